// Parts of the structured values in saved models.
#ifndef GK_SAVED_MODEL_VALUE_MESSAGES_H_
#define GK_SAVED_MODEL_VALUE_MESSAGES_H_

#include <string>

#include "framework/tensor_shape.h"
#include "framework/types.h"
#include "proto/saved_model.gk.h"

namespace gk {

// None.
proto::StructuredValue NoneMessage();
// The spec of a tensor.
proto::StructuredValue TensorSpecMessage(const std::string& name,
                                         DataType dtype,
                                         const PartialTensorShape& shape);
// Names the specs of tensors that have no name by their way through lists,
// tuples and mappings: "z_0" of {"z": [spec]}, "tensor_1" of the second of a
// tuple, "unknown" of one that is in nothing.
void NameTensorSpecs(proto::StructuredValue* value);

}  // namespace gk

#endif  // GK_SAVED_MODEL_VALUE_MESSAGES_H_
