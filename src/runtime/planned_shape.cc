#include "runtime/planned_shape.h"

#include <algorithm>

namespace gk {

std::optional<TensorShape> PlannedShape(const PartialTensorShape& shape,
                                        DataType dtype) {
  if (!shape.IsFullyDefined()) return {};
  const StatusOr<TensorShape> known = shape.AsTensorShape();
  if (!known.ok()) return {};
  const int64_t bytes = MultiplyWithoutOverflow(
      known->num_elements(), std::max(1, DataTypeSize(dtype)));
  if (bytes < 0 || bytes > kMaxPlannedBytes) return {};
  return *known;
}

std::optional<TensorShape> PlannedShape(const Output& value) {
  const Node::OutputInfo& info = value.node->output(value.index);
  return PlannedShape(info.shape, info.dtype);
}

}  // namespace gk
