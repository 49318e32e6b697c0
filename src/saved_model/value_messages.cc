#include "saved_model/value_messages.h"

#include "graph/tensor_proto.h"

namespace gk {

proto::StructuredValue NoneMessage() {
  proto::StructuredValue value;
  value.mutable_none_value();
  return value;
}

proto::StructuredValue TensorSpecMessage(const std::string& name,
                                         DataType dtype,
                                         const PartialTensorShape& shape) {
  proto::StructuredValue value;
  proto::TensorSpecProto& spec = value.mutable_tensor_spec_value();
  spec.name = name;
  spec.dtype = static_cast<proto::DataType>(dtype);
  spec.shape = ShapeToProto(shape);
  return value;
}

}  // namespace gk
