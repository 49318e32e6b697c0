// What convolutions of all ranks and their gradients cost, for their records.
#ifndef GK_OPS_NN_CONV_FLOPS_H_
#define GK_OPS_NN_CONV_FLOPS_H_

#include "ops/op_cost.h"

namespace gk {

// A filter [..., in, out] used once for each place of the result.
inline double DenseFlops(const TensorShape& filter, const TensorShape& result) {
  const int rank = filter.rank();
  if (rank < 2 || filter.dim(rank - 1) == 0) return 0;
  return 2 * ElementsOf(result) * ElementsOf(filter) / filter.dim(rank - 1);
}
inline double ConvFlops(const AttrMap&, FlopsShapes in, FlopsShapes out) {
  return DenseFlops(in[1], out[0]);
}
inline double ConvInputFlops(const AttrMap&, FlopsShapes in, FlopsShapes) {
  return DenseFlops(in[1], in[2]);
}
inline double ConvFilterFlops(const AttrMap&, FlopsShapes in, FlopsShapes out) {
  return DenseFlops(out[0], in[2]);
}

}  // namespace gk

#endif  // GK_OPS_NN_CONV_FLOPS_H_
