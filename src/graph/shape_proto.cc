#include "graph/shape_proto.h"

#include <vector>

namespace gk {

proto::TensorShapeProto ShapeToProto(const PartialTensorShape& shape) {
  proto::TensorShapeProto message;
  message.unknown_rank = shape.unknown_rank();
  if (shape.unknown_rank()) return message;
  for (int64_t d : shape.dims()) {
    message.dim.emplace_back();
    message.dim.back().size = d;
  }
  return message;
}

StatusOr<PartialTensorShape> ShapeFromProto(
    const proto::TensorShapeProto& shape) {
  if (shape.unknown_rank) return PartialTensorShape();
  std::vector<int64_t> dims;
  for (const auto& d : shape.dim) dims.push_back(d.size);
  return PartialTensorShape::Make(dims);
}

}  // namespace gk
