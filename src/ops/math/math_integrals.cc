// Integrals without closed form: Dawson's, the exponential one, Fresnel's,
// Spence's.
#include "ops/fn/math_integrals.h"

#include <numbers>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/math.h"
#include "ops/elementwise.h"
#include "ops/fn/Cos.h"
#include "ops/fn/Equal.h"
#include "ops/fn/Exp.h"
#include "ops/fn/Log.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Sin.h"
#include "ops/fn/math_arithmetic.h"
#include "ops/fn/math_divide.h"
#include "ops/fn/math_unary.h"
#include "ops/quick_unary.h"
#include "ops/scalar_constant.h"

namespace gk {
namespace {

// pi x^2 / 2
Tensor FresnelAngle(const Tensor& x) {
  return ops::Mul(ScalarLike(x, std::numbers::pi / 2), ops::Square(x));
}

const OpRecord kRecords[] = {
    {.name = "Dawsn",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = QuickUnary<math::QuickDawson, math::Dawson>(),
     .gradient =
         [](GradContext& g) {
           const Tensor &x = g.x(0), product = ops::Mul(x, g.y(0));
           g.Set(0, ops::Mul(g.dy(0),
                             ops::Sub(ScalarLike(x, 1),
                                      ops::Mul(ScalarLike(x, 2), product))));
         },
     .python = {.names = "math.special.dawsn"},
     .doc = "Dawson's integral: exp(-x^2) times the integral of exp(t^2) from "
            "0 to x, element-wise.",
     .example = ">>> tf.math.special.dawsn([0., 1.]).numpy().round(4)\n"
                "array([0.    , 0.5381], dtype=float32)",
     .test = {.reference = "dawsn(x)"}},

    {.name = "Expint",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = QuickUnary<math::QuickExpIntegral, math::ExpIntegral>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::RealDiv(ops::Mul(g.dy(0), ops::Exp(g.x(0))), g.x(0)));
         },
     .python = {.names = "math.special.expint"},
     .doc = "The integral of exp(t) / t up to x, of positive numbers, "
            "element-wise.",
     .example = ">>> tf.math.special.expint([1., 2.]).numpy().round(4)\n"
                "array([1.8951, 4.9542], dtype=float32)",
     .test = {.low = 0.5, .reference = "expi(x)"}},

    {.name = "FresnelCos",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = QuickUnary<math::QuickFresnel<false>, math::Fresnel<false>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Mul(g.dy(0), ops::Cos(FresnelAngle(g.x(0)))));
         },
     .python = {.names = "math.special.fresnel_cos"},
     .doc = "The integral of cos(pi t^2 / 2) from 0 to x, element-wise.",
     .example = ">>> tf.math.special.fresnel_cos([0., 1.]).numpy().round(4)\n"
                "array([0.    , 0.7799], dtype=float32)",
     .test = {.reference = "fresnel(x)[1]"}},

    {.name = "FresnelSin",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = QuickUnary<math::QuickFresnel<true>, math::Fresnel<true>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Mul(g.dy(0), ops::Sin(FresnelAngle(g.x(0)))));
         },
     .python = {.names = "math.special.fresnel_sin"},
     .doc = "The integral of sin(pi t^2 / 2) from 0 to x, element-wise.",
     .example = ">>> tf.math.special.fresnel_sin([0., 1.]).numpy().round(4)\n"
                "array([0.    , 0.4383], dtype=float32)",
     .test = {.reference = "fresnel(x)[0]"}},

    {.name = "Spence",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = QuickUnary<math::QuickSpence, math::Spence>(),
     .gradient =
         [](GradContext& g) {
           const Tensor& x = g.x(0);
           const Tensor one = ScalarLike(x, 1);
           const Tensor slope = ops::RealDiv(ops::Log(x), ops::Sub(one, x));
           g.Set(0, ops::Mul(g.dy(0), ops::SelectV2(ops::Equal(x, one),
                                                    ScalarLike(x, -1), slope)));
         },
     .python = {.names = "math.special.spence"},
     .doc = "The integral of ln(t) / (1 - t) from 1 to x, element-wise.",
     .example = ">>> tf.math.special.spence([1., 2.]).numpy().round(4)\n"
                "array([ 0.    , -0.8225], dtype=float32)",
     .test = {.low = 1.2, .high = 4, .reference = "spence(x)"}},
};

}  // namespace

GK_REGISTER_OPS(math_integrals)

}  // namespace gk
