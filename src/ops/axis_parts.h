// Parts of a tensor along one axis: moving them into another one and back.
#ifndef GK_OPS_AXIS_PARTS_H_
#define GK_OPS_AXIS_PARTS_H_

#include "framework/tensor.h"

namespace gk {

// A tensor seen from one axis: [outer, axis, inner].
struct AxisView {
  int64_t outer = 1, inner = 1;
};
AxisView ViewAt(const TensorShape& shape, int axis);

// Copies [outer, n, inner] between two arrays whose rows have other lengths.
Status CopyPart(const Tensor& from, int64_t from_at, int64_t from_row,
                Tensor* to, int64_t to_at, int64_t to_row, int64_t outer,
                int64_t width);

// "axis = 3 not in [-2, 2)".
Status AxisError(int64_t axis, int rank);

}  // namespace gk

#endif  // GK_OPS_AXIS_PARTS_H_
