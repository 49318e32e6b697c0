// The product of matrices that are said to hold many zeros.
#include "ops/fn/math_matmul_sparse.h"

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/element_moves.h"
#include "ops/fn/MatMul.h"
#include "ops/nn/delegated.h"

namespace gk {
namespace {

// As numbers of float; itself if it has these.
StatusOr<Tensor> AsFloats(const Tensor& x) {
  if (x.dtype() == DataType::kFloat) return x;
  GK_ASSIGN_OR_RETURN(Tensor out,
                      Tensor::Allocate(DataType::kFloat, x.shape()));
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    out.data<float>()[i] = static_cast<float>(x.data<bfloat16>()[i]);
  }
  return out;
}

AttrMap ProductAttrs(bool transpose_a, bool transpose_b) {
  return {{"T", DataType::kFloat},
          {"transpose_a", transpose_a},
          {"transpose_b", transpose_b}};
}

// Dense products are faster than looking for zeros.
Status ComputeHintedProduct(KernelContext& c) {
  for (int i = 0; i < 2; ++i) {
    if (c.input(i).rank() == 2) continue;
    return InvalidArgument("{} is not a matrix: its shape is {}",
                           i == 0 ? "a" : "b",
                           c.input(i).shape().DebugString());
  }
  GK_ASSIGN_OR_RETURN(const Tensor a, AsFloats(c.input(0)));
  GK_ASSIGN_OR_RETURN(const Tensor b, AsFloats(c.input(1)));
  const bool turn_a = c.attr<bool>("transpose_a");
  const bool turn_b = c.attr<bool>("transpose_b");
  if (a.dim(turn_a ? 0 : 1) != b.dim(turn_b ? 1 : 0)) {
    return InvalidArgument("Matrix size incompatible: a: {}, b: {}",
                           a.shape().DebugString(), b.shape().DebugString());
  }
  const Tensor* const inputs[] = {&a, &b};
  return RunAs(c, "MatMul", ProductAttrs(turn_a, turn_b), inputs);
}

Status HintedProductShape(InferenceContext& c) {
  const PartialTensorShape inputs[] = {c.input(0), c.input(1)};
  return ShapeAs(
      c, "MatMul",
      ProductAttrs(c.attr<bool>("transpose_a"), c.attr<bool>("transpose_b")),
      inputs);
}

void HintedProductGradient(GradContext& g) {
  const bool turn_a = g.attr<bool>("transpose_a");
  const bool turn_b = g.attr<bool>("transpose_b");
  const Tensor a = CastTo(g.x(0), DataType::kFloat),
               b = CastTo(g.x(1), DataType::kFloat), dy = g.dy(0);
  if (g.wants(0)) {
    g.Set(0, CastTo(turn_a ? ops::MatMul(b, dy, turn_b, true)
                           : ops::MatMul(dy, b, false, !turn_b),
                    g.x(0).dtype()));
  }
  if (g.wants(1)) {
    g.Set(1, CastTo(turn_b ? ops::MatMul(dy, a, true, turn_a)
                           : ops::MatMul(a, dy, !turn_a, false),
                    g.x(1).dtype()));
  }
}

const OpRecord kRecords[] = {
    {.name = "SparseMatMul",
     .inputs = "a: Ta; b: Tb",
     .outputs = "product: float",
     .attrs = "transpose_a: bool = False; transpose_b: bool = False; "
              "a_is_sparse: bool = False; b_is_sparse: bool = False; Ta: type "
              "in [float, bfloat16] = float; Tb: type in [float, bfloat16] = "
              "float",
     .shape = HintedProductShape,
     .kernel = {.compute = ComputeHintedProduct},
     .gradient = HintedProductGradient,
     .doc = "The product of two dense matrices, which may hold many zeros, in "
            "float."},
};

}  // namespace

GK_REGISTER_OPS(math_matmul_sparse)

}  // namespace gk
