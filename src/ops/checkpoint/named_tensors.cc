#include "ops/checkpoint/named_tensors.h"

namespace gk {

Status OneElement(const Tensor& t, std::string_view input) {
  if (t.num_elements() == 1) return OkStatus();
  return InvalidArgument("Input {} should be a scalar tensor, got shape {}",
                         input, t.shape().DebugString());
}

Status OneForEach(const Tensor& t, std::string_view input, int64_t count) {
  if (t.rank() != 1) {
    return InvalidArgument("Input {} should be an 1-D tensor, got shape {}",
                           input, t.shape().DebugString());
  }
  if (t.num_elements() == count) return OkStatus();
  return InvalidArgument(
      "{} should have one element for each of {} tensors, got {}", input, count,
      t.num_elements());
}

StatusOr<PartialTensorShape> ShapeOfPart(std::string_view shape_and_slice) {
  SliceOfShape part;
  GK_ASSIGN_OR_RETURN(const bool is_part,
                      ParseShapeAndSlice(shape_and_slice, &part));
  if (!is_part) return PartialTensorShape();
  GK_RETURN_IF_ERROR(part.slice.CheckWithin(part.full));
  return PartialTensorShape(part.slice.ShapeIn(part.full));
}

StatusOr<Tensor> ReadNamed(const BundleReader& reader, const std::string& name,
                           const std::string& shape_and_slice, DataType dtype) {
  GK_ASSIGN_OR_RETURN(const auto* info, reader.Find(name));
  if (info->dtype != dtype) {
    return InvalidArgument(
        "tensor_name = {}; expected dtype {} does not equal original dtype {}",
        name, DataTypeString(dtype), DataTypeString(info->dtype));
  }
  SliceOfShape slice;
  GK_ASSIGN_OR_RETURN(const bool sliced,
                      ParseShapeAndSlice(shape_and_slice, &slice));
  if (!sliced) return reader.Read(name);
  if (slice.full != info->shape) {
    return InvalidArgument(
        "tensor_name = {}; shape in shape_and_slice spec {} does not match the "
        "shape stored in checkpoint: {}",
        name, slice.full.DebugString(), info->shape.DebugString());
  }
  return reader.ReadSlice(name, slice.slice);
}

}  // namespace gk
