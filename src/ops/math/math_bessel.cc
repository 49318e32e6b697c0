// Bessel functions of orders 0 and 1.
#include "ops/fn/math_bessel.h"

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/math.h"
#include "kernels/math/bessel_i.h"
#include "ops/broadcast_gradient.h"
#include "ops/elementwise.h"
#include "ops/fn/Equal.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/math_arithmetic.h"
#include "ops/fn/math_divide.h"
#include "ops/fn/math_unary.h"
#include "ops/quick_unary.h"
#include "ops/scalar_constant.h"

namespace gk {
namespace {

// The C library's, with NaN rather than an error below zero.
// Below zero as at zero, as in TensorFlow.
double BesselY0Of(double x) { return x < 0 ? -math::kInf<double> : ::y0(x); }
double BesselY1Of(double x) { return x < 0 ? -math::kInf<double> : ::y1(x); }

// The same for floats.
using QuickJ0 = math::BySize<::j0, -8, 4, false>;
using QuickJ1 = math::BySize<::j1, -8, 4>;
using QuickY0 = math::ByTable<BesselY0Of, -8, 4>;
using QuickY1 = math::ByTable<BesselY1Of, -8, 4>;

template <int kOrder, bool kScaled, auto kOfDouble>
constexpr KernelSet BesselI() {
  return Overloads<
      UnaryFor<[](auto x) { return math::BesselIOfFloat<kOrder, kScaled>(x); },
               TypeList<half, bfloat16, float>>,
      UnaryFor<kCalled<kOfDouble>, TypeList<double>, kPlainLoop | kSlowLoop>>();
}

// A slope whose formula divides by x and whose limit at zero is 1/2.
Tensor UnlessZero(const Tensor& x, const Tensor& slope) {
  const Tensor condition = ops::Equal(x, ScalarLike(x, 0));
  return ops::SelectV2(condition, ScalarLike(x, 0.5), slope);
}

const OpRecord kRecords[] = {
    {.name = "BesselI0",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = BesselI<0, false, [](double x) { return math::BesselI0(x); }>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Mul(g.dy(0), ops::BesselI1(g.x(0))));
         },
     .python = {.names = "math.special.bessel_i0|math.bessel_i0"},
     .doc = "Returns the modified Bessel function of order 0, element-wise.",
     .example = ">>> tf.math.special.bessel_i0([0., 1.]).numpy().round(4)\n"
                "array([1.    , 1.2661], dtype=float32)",
     .test = {.low = 0.5, .reference = "i0(x)"}},

    {.name = "BesselI1",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = BesselI<1, false, [](double x) { return math::BesselI1(x); }>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0,
                 ops::Mul(g.dy(0),
                          UnlessZero(g.x(0),
                                     ops::Sub(ops::BesselI0(g.x(0)),
                                              ops::RealDiv(g.y(0), g.x(0))))));
         },
     .python = {.names = "math.special.bessel_i1|math.bessel_i1"},
     .doc = "Returns the modified Bessel function of order 1, element-wise.",
     .example = ">>> tf.math.special.bessel_i1([0., 1.]).numpy().round(4)\n"
                "array([0.    , 0.5652], dtype=float32)",
     .test = {.low = 0.5, .reference = "i1(x)"}},

    {.name = "BesselI0e",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = BesselI<0, true, [](double x) { return math::BesselI0e(x); }>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Mul(g.dy(0),
                             ops::Sub(ops::BesselI1e(g.x(0)),
                                      ops::Mul(ops::Sign(g.x(0)), g.y(0)))));
         },
     .python = {.names = "math.special.bessel_i0e|math.bessel_i0e"},
     .doc = "Returns exp(-|x|) times the modified Bessel function of order 0, "
            "element-wise.",
     .example = ">>> tf.math.special.bessel_i0e([0., 1.]).numpy().round(4)\n"
                "array([1.    , 0.4658], dtype=float32)",
     .test = {.low = 0.5, .reference = "i0e(x)"}},

    {.name = "BesselI1e",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = BesselI<1, true, [](double x) { return math::BesselI1e(x); }>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0,
                 ops::Mul(
                     g.dy(0),
                     UnlessZero(
                         g.x(0),
                         ops::Sub(ops::BesselI0e(g.x(0)),
                                  ops::Mul(g.y(0), ops::AddV2(ops::Sign(g.x(0)),
                                                              ops::Reciprocal(
                                                                  g.x(0))))))));
         },
     .python = {.names = "math.special.bessel_i1e|math.bessel_i1e"},
     .doc = "Returns exp(-|x|) times the modified Bessel function of order 1, "
            "element-wise.",
     .example = ">>> tf.math.special.bessel_i1e([0., 1.]).numpy().round(4)\n"
                "array([0.    , 0.2079], dtype=float32)",
     .test = {.low = 0.5, .reference = "i1e(x)"}},

    {.name = "BesselJ0",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = QuickUnary<QuickJ0, ::j0>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Neg(ops::Mul(g.dy(0), ops::BesselJ1(g.x(0)))));
         },
     .python = {.names = "math.special.bessel_j0"},
     .doc = "Returns the Bessel function of the first kind of order 0, "
            "element-wise.",
     .example = ">>> tf.math.special.bessel_j0([0., 1.]).numpy().round(4)\n"
                "array([1.    , 0.7652], dtype=float32)",
     .test = {.low = 0.5, .reference = "j0(x)"}},

    {.name = "BesselJ1",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = QuickUnary<QuickJ1, ::j1>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0,
                 ops::Mul(g.dy(0),
                          UnlessZero(g.x(0),
                                     ops::Sub(ops::BesselJ0(g.x(0)),
                                              ops::RealDiv(g.y(0), g.x(0))))));
         },
     .python = {.names = "math.special.bessel_j1"},
     .doc = "Returns the Bessel function of the first kind of order 1, "
            "element-wise.",
     .example = ">>> tf.math.special.bessel_j1([0., 1.]).numpy().round(4)\n"
                "array([0.    , 0.4401], dtype=float32)",
     .test = {.low = 0.5, .reference = "j1(x)"}},

    {.name = "BesselY0",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = QuickUnary<QuickY0, BesselY0Of>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Neg(ops::Mul(g.dy(0), ops::BesselY1(g.x(0)))));
         },
     .python = {.names = "math.special.bessel_y0"},
     .doc = "Returns the Bessel function of the second kind of order 0, "
            "element-wise.",
     .example = ">>> tf.math.special.bessel_y0([0.5, 1.]).numpy().round(4)\n"
                "array([-0.4445,  0.0883], dtype=float32)",
     .test = {.low = 0.5, .reference = "y0(x)"}},

    {.name = "BesselY1",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = QuickUnary<QuickY1, BesselY1Of>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Mul(g.dy(0), ops::Sub(ops::BesselY0(g.x(0)),
                                               ops::RealDiv(g.y(0), g.x(0)))));
         },
     .python = {.names = "math.special.bessel_y1"},
     .doc = "Returns the Bessel function of the second kind of order 1, "
            "element-wise.",
     .example = ">>> tf.math.special.bessel_y1([0.5, 1.]).numpy().round(4)\n"
                "array([-1.4715, -0.7812], dtype=float32)",
     .test = {.low = 0.5, .reference = "y1(x)"}},

    {.name = "BesselK0",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = QuickUnary<math::QuickBesselK<0>, math::BesselK<0>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Neg(ops::Mul(g.dy(0), ops::BesselK1(g.x(0)))));
         },
     .python = {.names = "math.special.bessel_k0"},
     .doc = "Returns the modified Bessel function of the second kind of order "
            "0, element-wise.",
     .example = ">>> tf.math.special.bessel_k0([0.5, 1.]).numpy().round(4)\n"
                "array([0.9244, 0.421 ], dtype=float32)",
     .test = {.low = 0.5, .reference = "k0(x)"}},

    {.name = "BesselK1",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = QuickUnary<math::QuickBesselK<1>, math::BesselK<1>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Neg(ops::Mul(
                        g.dy(0), ops::AddV2(ops::BesselK0(g.x(0)),
                                            ops::RealDiv(g.y(0), g.x(0))))));
         },
     .python = {.names = "math.special.bessel_k1"},
     .doc = "Returns the modified Bessel function of the second kind of order "
            "1, element-wise.",
     .example = ">>> tf.math.special.bessel_k1([0.5, 1.]).numpy().round(4)\n"
                "array([1.6564, 0.6019], dtype=float32)",
     .test = {.low = 0.5, .reference = "k1(x)"}},

    {.name = "BesselK0e",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel =
         QuickUnary<math::QuickScaledBesselK<0>, math::ScaledBesselK<0>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0,
                 ops::Mul(g.dy(0), ops::Sub(g.y(0), ops::BesselK1e(g.x(0)))));
         },
     .python = {.names = "math.special.bessel_k0e"},
     .doc = "Returns exp(x) times the modified Bessel function of the second "
            "kind of order 0, element-wise.",
     .example = ">>> tf.math.special.bessel_k0e([0.5, 1.]).numpy().round(4)\n"
                "array([1.5241, 1.1445], dtype=float32)",
     .test = {.low = 0.5, .reference = "k0e(x)"}},

    {.name = "BesselK1e",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel =
         QuickUnary<math::QuickScaledBesselK<1>, math::ScaledBesselK<1>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0,
                 ops::Mul(g.dy(0),
                          ops::Sub(ops::Mul(g.y(0),
                                            ops::Sub(ScalarLike(g.x(0), 1),
                                                     ops::Reciprocal(g.x(0)))),
                                   ops::BesselK0e(g.x(0)))));
         },
     .python = {.names = "math.special.bessel_k1e"},
     .doc = "Returns exp(x) times the modified Bessel function of the second "
            "kind of order 1, element-wise.",
     .example = ">>> tf.math.special.bessel_k1e([0.5, 1.]).numpy().round(4)\n"
                "array([2.731 , 1.6362], dtype=float32)",
     .test = {.low = 0.5, .reference = "k1e(x)"}},
};

}  // namespace

GK_REGISTER_OPS(math_bessel)

}  // namespace gk
