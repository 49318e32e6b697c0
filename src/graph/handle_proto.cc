#include "graph/handle_proto.h"

#include <utility>

#include "framework/absent_resource.h"
#include "graph/shape_proto.h"

namespace gk {
namespace {

StatusOr<ResourceHandle> HandleFromProto(const proto::ResourceHandleProto& m) {
  HandleData data;
  for (const auto& value : m.dtypes_and_shapes) {
    const int dtype = static_cast<int>(value.dtype);
    if (!DataTypeIsValid(dtype)) {
      return InvalidArgument("The handle of '{}' has the invalid dtype {}",
                             m.name, dtype);
    }
    GK_ASSIGN_OR_RETURN(PartialTensorShape shape, ShapeFromProto(*value.shape));
    data.push_back({static_cast<DataType>(dtype), std::move(shape)});
  }
  return ResourceHandle(
      MakeRef<AbsentResource>(m.device, m.maybe_type_name, m.hash_code), m.name,
      std::move(data), m.container);
}

}  // namespace

StatusOr<Tensor> HandlesFromProto(const proto::TensorProto& message,
                                  const TensorShape& shape) {
  const auto& handles = message.resource_handle_val;
  if (shape.num_elements() != static_cast<int64_t>(handles.size())) {
    return InvalidArgument("TensorProto has {} handles, its shape {} needs {}",
                           handles.size(), shape.DebugString(),
                           shape.num_elements());
  }
  GK_ASSIGN_OR_RETURN(Tensor t, Tensor::Allocate(DataType::kResource, shape));
  for (size_t i = 0; i < handles.size(); ++i) {
    GK_ASSIGN_OR_RETURN(t.data<ResourceHandle>()[i],
                        HandleFromProto(handles[i]));
  }
  return t;
}

Status WriteHandles(const Tensor& handles, proto::TensorProto* message) {
  for (const ResourceHandle& handle : handles.flat<ResourceHandle>()) {
    const auto* const absent = dynamic_cast<AbsentResource*>(handle.resource());
    if (absent == nullptr) {
      return Unimplemented(
          "A tensor of dtype resource cannot be written: resource '{}' is of "
          "this process",
          handle.name());
    }
    proto::ResourceHandleProto& m = message->resource_handle_val.emplace_back();
    m.device = absent->device();
    m.container = handle.container();
    m.name = handle.name();
    m.hash_code = absent->hash_code();
    m.maybe_type_name = absent->type_name();
    for (const HandleShape& value : handle.handle_data()) {
      auto& written = m.dtypes_and_shapes.emplace_back();
      written.dtype = static_cast<proto::DataType>(value.dtype);
      written.shape.mut() = ShapeToProto(value.shape);
    }
  }
  return OkStatus();
}

}  // namespace gk
