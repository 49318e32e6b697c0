#include "ops/axis_parts.h"

#include "kernels/strided_copy.h"
#include "ops/element_moves.h"

namespace gk {

AxisView ViewAt(const TensorShape& shape, int axis) {
  AxisView v;
  for (int i = 0; i < axis; ++i) v.outer *= shape.dim(i);
  for (int i = axis + 1; i < shape.rank(); ++i) v.inner *= shape.dim(i);
  return v;
}

Status CopyPart(const Tensor& from, int64_t from_at, int64_t from_row,
                Tensor* to, int64_t to_at, int64_t to_row, int64_t outer,
                int64_t width) {
  StridedBox box;
  box.AddAxis(outer, from_row, to_row);
  box.AddAxis(width, 1, 1);
  return CopyBox(box, from, from_at, to, to_at);
}

Status AxisError(int64_t axis, int rank) {
  return InvalidArgument("axis = {} not in [{}, {})", axis, -rank, rank);
}

}  // namespace gk
