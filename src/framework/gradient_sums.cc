// What gradients are made of with ops: zeros, dense forms, sums. Apart from
// grad_context.h, which what makes ops needs.
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
  Tensor axis = ValueOrThrow(OpBuilder::Current()->Constant(
      Tensor::Scalar<int32_t>(0), "segments_axis"));
  Tensor rows = MakeOp1("GatherV2", {g.dense_shape, axis, axis});
  return MakeOp1("UnsortedSegmentSum", {g.dense, g.indices, rows});
}

Gradient SumGradients(std::span<const Gradient> parts) {
  std::vector<Gradient> some;
  bool all_slices = true;
  for (const Gradient& g : parts) {
    if (g.is_none()) continue;
    some.push_back(g);
    all_slices &= g.is_slices();
  }
  if (some.empty()) return {};
  if (some.size() == 1) return some[0];
  TensorVector dense;
  if (all_slices) {
    TensorVector values, indices;
    for (const Gradient& g : some) {
      values.push_back(g.dense);
      indices.push_back(g.indices);
    }
    Tensor axis = ValueOrThrow(OpBuilder::Current()->Constant(
        Tensor::Scalar<int32_t>(0), "concat_axis"));
    values.push_back(axis);
    indices.push_back(axis);
    return {MakeOp("ConcatV2", values)[0], MakeOp("ConcatV2", indices)[0],
            some[0].dense_shape};
  }
  for (const Gradient& g : some) dense.push_back(Densify(g));
  if (dense.size() == 2 && dense[0].dtype() != DataType::kVariant) {
    return {MakeOp1("AddV2", {dense[0], dense[1]}), {}, {}};
  }
  return {MakeOp("AddN", dense)[0], {}, {}};
}

}  // namespace gk
