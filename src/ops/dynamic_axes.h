// Axes and sizes of tensors whose rank may be known only when a graph runs:
// int32 tensors made by the current builder, constants where the rank is
// known. Functions throw Error. Thread-safe.
#ifndef GK_OPS_DYNAMIC_AXES_H_
#define GK_OPS_DYNAMIC_AXES_H_

#include <span>

#include "ops/composition.h"

namespace gk {

// The scalar rank.
Tensor RankOf(const Tensor& x);
// The axes, each in [-rank, rank), as a vector of numbers in [0, rank). Of an
// unknown rank, one that is out of range fails when the graph runs.
Tensor PositiveAxes(const Tensor& x, std::span<const int64_t> axes);
// The order of axes in which `axis` and the last one have changed places; its
// own inverse.
Tensor SwappedWithLast(const Tensor& x, int64_t axis);
// The order in which `axis` comes last and the others keep theirs.
Tensor BroughtToEnd(const Tensor& x, int64_t axis);
// Of a vector of sizes: all but the last (a vector), and the last (a vector
// of one).
Tensor AllButLast(const Tensor& sizes);
Tensor LastOf(const Tensor& sizes);
// The product of a vector, as a vector of one.
Tensor ProductOf(const Tensor& sizes);
Tensor Joined(const TensorVector& vectors);

}  // namespace gk

#endif  // GK_OPS_DYNAMIC_AXES_H_
