// Error, gamma and beta functions and their inverses.
#include "ops/fn/math_special.h"

#include <numbers>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/math.h"
#include "kernels/math/tabulated.h"
#include "ops/broadcast_gradient.h"
#include "ops/elementwise.h"
#include "ops/fn/math_arithmetic.h"
#include "ops/fn/math_exp.h"
#include "ops/fn/math_unary.h"
#include "ops/quick_unary.h"
#include "ops/scalar_constant.h"

namespace gk {
namespace {

// d Igamma(a, x) / dx.
Tensor GammaDensity(const Tensor& a, const Tensor& x) {
  const Tensor power = ops::Mul(ops::Sub(a, ScalarLike(a, 1)), ops::Log(x));
  return ops::Exp(ops::Sub(ops::Sub(power, x), ops::Lgamma(a)));
}

constexpr auto kBetainc = [](auto a, auto b, auto x) {
  return math::CallByPrecision<math::QuickBetainc, math::Betainc<double>>(a, b,
                                                                          x);
};
using BetaincTable =
    TernaryFor<kBetainc, TypeList<float, double>, kPlainLoop | kSlowLoop>;

// Scalars broadcast; the other inputs have one shape.
Status BetaincShape(InferenceContext& c) {
  PartialTensorShape shape = TensorShape();
  bool unknown = false;
  for (int i = 0; i < 3; ++i) {
    const PartialTensorShape& in = c.input(i);
    if (in.unknown_rank()) unknown = true;
    if (in.unknown_rank() || in.rank() == 0) continue;
    if (shape.rank() == 0) {
      shape = in;
    } else {
      GK_ASSIGN_OR_RETURN(shape, shape.MergeWith(in));
    }
  }
  c.set_output(0, unknown && shape.rank() == 0 ? PartialTensorShape() : shape);
  return OkStatus();
}

Status ComputeBetainc(KernelContext& c) {
  const char* const names[] = {"a", "b", "x"};
  int first = -1;
  for (int i = 0; i < 3; ++i) {
    if (c.input(i).rank() == 0) continue;
    if (first < 0) first = i;
    if (c.input(i).shape() == c.input(first).shape()) continue;
    return InvalidArgument("Shapes of {} and {} are inconsistent: {} vs. {}",
                           names[first], names[i],
                           c.input(first).shape().DebugString(),
                           c.input(i).shape().DebugString());
  }
  return ComputeElementwise(c);
}

// The derivatives in a and b have no closed form: they get no gradient.
void BetaincGrad(GradContext& g) {
  if (!g.wants(2)) return;
  const Tensor &a = g.x(0), &b = g.x(1), &x = g.x(2);
  const Tensor one = ScalarLike(x, 1);
  const Tensor log_beta = ops::Sub(ops::AddV2(ops::Lgamma(a), ops::Lgamma(b)),
                                   ops::Lgamma(ops::AddV2(a, b)));
  const Tensor log_density =
      ops::Sub(ops::AddV2(ops::Mul(ops::Sub(b, one), ops::Log1p(ops::Neg(x))),
                          ops::Mul(ops::Sub(a, one), ops::Log(x))),
               log_beta);
  g.Set(2, SumToShape(ops::Mul(g.dy(0), ops::Exp(log_density)), x, g.y(0)));
}

const OpRecord kRecords[] = {
    {.name = "Erf",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = Unary<[](auto x) { return math::Erf(x); }, FloatTypes>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0,
                 ops::Mul(
                     g.dy(0),
                     ops::Mul(ScalarLike(g.x(0), 2 * std::numbers::inv_sqrtpi),
                              ops::Exp(ops::Neg(ops::Square(g.x(0)))))));
         },
     .python = {.names = "math.erf"},
     .doc = "Returns the error function of each element.",
     .example = ">>> tf.math.erf([0., 1.]).numpy().round(4)\narray([0.    , "
                "0.8427], dtype=float32)",
     .test = {.reference = "erf(x)"}},

    {.name = "Erfc",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = Unary<[](auto x) { return math::Erfc(x); }, FloatTypes>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0,
                 ops::Mul(
                     g.dy(0),
                     ops::Mul(ScalarLike(g.x(0), -2 * std::numbers::inv_sqrtpi),
                              ops::Exp(ops::Neg(ops::Square(g.x(0)))))));
         },
     .python = {.names = "math.erfc"},
     .doc = "Returns 1 - erf(x) element-wise, exact for large x.",
     .example = ">>> tf.math.erfc([0., 1.]).numpy().round(4)\narray([1.    , "
                "0.1573], dtype=float32)",
     .test = {.reference = "erfc(x)"}},

    {.name = "Erfinv",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = Unary<[](auto x) { return math::Erfinv(x); }, FloatTypes>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0,
                 ops::Mul(g.dy(0),
                          ops::Mul(ScalarLike(g.x(0),
                                              0.5 / std::numbers::inv_sqrtpi),
                                   ops::Exp(ops::Square(g.y(0))))));
         },
     .python = {.names = "math.erfinv"},
     .doc = "Returns the inverse of the error function.",
     .example = ">>> tf.math.erfinv([0., 0.5]).numpy().round(4)\narray([0.    "
                ", 0.4769], dtype=float32)",
     .test = {.low = -0.9, .high = 0.9, .reference = "erfinv(x)"}},

    {.name = "Ndtri",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = Unary<[](auto x) { return math::Ndtri(x); }, FloatTypes>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0,
                 ops::Mul(
                     g.dy(0),
                     ops::Mul(ScalarLike(g.x(0), std::numbers::sqrt2 /
                                                     std::numbers::inv_sqrtpi),
                              ops::Exp(ops::Mul(ScalarLike(g.x(0), 0.5),
                                                ops::Square(g.y(0)))))));
         },
     .python = {.names = "math.ndtri"},
     .doc = "Returns the quantile of the standard normal distribution.",
     .example = ">>> tf.math.ndtri([0.5, 0.9]).numpy().round(4)\narray([0.    "
                ", 1.2816], dtype=float32)",
     .test = {.low = 0.1, .high = 0.9, .reference = "ndtri(x)"}},

    {.name = "Lgamma",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = QuickUnary<math::LgammaByTable, math::Lgamma<double>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Mul(g.dy(0), ops::Digamma(g.x(0))));
         },
     .python = {.names = "math.lgamma"},
     .doc = "Returns ln |Gamma(x)| element-wise.",
     .example = ">>> tf.math.lgamma([1., 4.]).numpy().round(4)\narray([0.    "
                ", 1.7918], dtype=float32)",
     .test = {.low = 0.5, .high = 4, .reference = "gammaln(x)"}},

    {.name = "Digamma",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = QuickUnary<math::QuickDigamma, math::Digamma<double>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Mul(g.dy(0),
                             ops::Polygamma(ScalarLike(g.x(0), 1), g.x(0))));
         },
     .python = {.names = "math.digamma"},
     .doc = "Returns the derivative of ln |Gamma(x)| element-wise.",
     .example = ">>> tf.math.digamma([1., 2.]).numpy().round(4)\n"
                "array([-0.5772,  0.4228], dtype=float32)",
     .test = {.low = 0.5, .high = 4, .reference = "digamma(x)"}},

    {.name = "Igamma",
     .inputs = "a: T; x: T",
     .outputs = "z: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<[](auto x, auto y) {
       return math::CallByPrecision<math::QuickIgamma, math::Igamma<double>>(x,
                                                                             y);
     },
                      FloatTypes, kPlainLoop | kSlowLoop>(),
     .gradient =
         [](GradContext& g) {
           SetBroadcastGrads(
               g,
               g.wants(0) ? ops::Mul(g.dy(0), ops::IgammaGradA(g.x(0), g.x(1)))
                          : Tensor(),
               g.wants(1) ? ops::Mul(g.dy(0), GammaDensity(g.x(0), g.x(1)))
                          : Tensor());
         },
     .python = {.names = "math.igamma"},
     .doc = "Returns the lower regularized incomplete gamma function.",
     .example = ">>> tf.math.igamma(1., [0., 1.]).numpy().round(4)\narray([0. "
                "   , 0.6321], dtype=float32)",
     .test = {.low = 0.5, .reference = "gammainc(a, x)"}},

    {.name = "Igammac",
     .inputs = "a: T; x: T",
     .outputs = "z: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<[](auto x, auto y) {
       return math::CallByPrecision<math::QuickIgammac, math::Igammac<double>>(
           x, y);
     },
                      FloatTypes, kPlainLoop | kSlowLoop>(),
     .gradient =
         [](GradContext& g) {
           SetBroadcastGrads(
               g,
               g.wants(0) ? ops::Mul(g.dy(0),
                                     ops::Neg(ops::IgammaGradA(g.x(0), g.x(1))))
                          : Tensor(),
               g.wants(1)
                   ? ops::Mul(g.dy(0), ops::Neg(GammaDensity(g.x(0), g.x(1))))
                   : Tensor());
         },
     .python = {.names = "math.igammac"},
     .doc = "Returns the upper regularized incomplete gamma function.",
     .example = ">>> tf.math.igammac(1., [0., 1.]).numpy().round(4)\n"
                "array([1.    , 0.3679], dtype=float32)",
     .test = {.low = 0.5, .reference = "gammaincc(a, x)"}},

    {.name = "IgammaGradA",
     .inputs = "a: T; x: T",
     .outputs = "z: T",
     .attrs = "T: type in [float, double]",
     .traits = kElementwise,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<[](auto x, auto y) {
       return math::CallByPrecision<math::IgammaGradA<true>,
                                    math::IgammaGradA<>>(x, y);
     },
                      TypeList<float, double>, kPlainLoop | kSlowLoop>(),
     .doc = "Returns the derivative of Igamma with respect to a.",
     .test = {.low = 0.5}},

    {.name = "Zeta",
     .inputs = "x: T; q: T",
     .outputs = "z: T",
     .attrs = "T: type in [float, double]",
     .traits = kElementwise,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<[](auto x, auto y) {
       return math::CallByPrecision<math::QuickZeta, math::Zeta<double>>(x, y);
     },
                      TypeList<float, double>, kPlainLoop | kSlowLoop>(),
     .gradient =
         [](GradContext& g) {
           if (!g.wants(1)) return;
           const Tensor &x = g.x(0), &q = g.x(1);
           SetBroadcastGrads(
               g, Tensor(),
               ops::Mul(
                   g.dy(0),
                   ops::Mul(ops::Neg(x),
                            ops::Zeta(ops::AddV2(x, ScalarLike(x, 1)), q))));
         },
     .python = {.names = "math.zeta"},
     .doc = "Returns the Hurwitz zeta function of x and q.",
     .example = ">>> tf.math.zeta([2., 3.], 1.).numpy().round(4)\n"
                "array([1.6449, 1.2021], dtype=float32)",
     .test = {.low = 1.5, .high = 4, .reference = "zeta(x, q)"}},

    {.name = "Polygamma",
     .inputs = "a: T; x: T",
     .outputs = "z: T",
     .attrs = "T: type in [float, double]",
     .traits = kElementwise,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<[](auto x, auto y) {
       return math::CallByPrecision<math::QuickPolygamma,
                                    math::Polygamma<double>>(x, y);
     },
                      TypeList<float, double>, kPlainLoop | kSlowLoop>(),
     .gradient =
         [](GradContext& g) {
           if (!g.wants(1)) return;
           const Tensor &a = g.x(0), &x = g.x(1);
           SetBroadcastGrads(
               g, Tensor(),
               ops::Mul(g.dy(0),
                        ops::Polygamma(ops::AddV2(a, ScalarLike(a, 1)), x)));
         },
     .python = {.names = "math.polygamma"},
     .doc = "Returns the derivative of order a of digamma at x.",
     .example = ">>> tf.math.polygamma(1., [1., 2.]).numpy().round(4)\n"
                "array([1.6449, 0.6449], dtype=float32)",
     .test = {.low = 1, .reference = "polygamma(a, x)"}},

    {.name = "Betainc",
     .inputs = "a: T; b: T; x: T",
     .outputs = "z: T",
     .attrs = "T: type in [float, double]",
     .traits = kElementwise,
     .shape = BetaincShape,
     .kernel = {.compute = ComputeBetainc,
                .tile = BetaincTable::Find,
                .types = BetaincTable::kTypes},
     .gradient = BetaincGrad,
     .python = {.names = "math.betainc"},
     .doc = "Returns the regularized incomplete beta function of a, b and x.",
     .example = ">>> tf.math.betainc(1., 1., [0.25, 0.5]).numpy().tolist()\n"
                "[0.25, 0.5]",
     .test = {.low = 0.1, .high = 0.9, .reference = "betainc(a, b, x)"}},
};

}  // namespace

GK_REGISTER_OPS(math_special)

}  // namespace gk
