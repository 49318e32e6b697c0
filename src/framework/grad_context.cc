#include "framework/grad_context.h"

#include "framework/op_builder.h"

namespace gk {

Tensor GradContext::dy(int i) const {
  const Gradient& g = output_grads_[i];
  if (!g.is_none()) return Densify(g);
  return MakeOp1("ZerosLike", {outputs_[i]});
}

Tensor Densify(const Gradient& g) {
  if (!g.is_slices()) return g.dense;
  Tensor axis = OpBuilder::Current()
                    ->Constant(Tensor::Scalar<int32_t>(0), "segments_axis")
                    .value();
  Tensor rows = MakeOp1("GatherV2", {g.dense_shape, axis, axis});
  return MakeOp1("UnsortedSegmentSum", {g.dense, g.indices, rows});
}

}  // namespace gk
