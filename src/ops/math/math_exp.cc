// Exponentials, logarithms and sigmoids.
#include "ops/fn/math_exp.h"

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/math.h"
#include "ops/broadcast_gradient.h"
#include "ops/complex_tiles.h"
#include "ops/elementwise.h"
#include "ops/fn/math_arithmetic.h"
#include "ops/fn/math_unary.h"
#include "ops/fn/math_unary_grad.h"
#include "ops/fused_arithmetic.h"
#include "ops/scalar_constant.h"

namespace gk {
namespace {

constexpr auto kExpm1 = [](auto z) {
  using T = decltype(z);
  const auto x = z.real(), y = z.imag();
  // e^x cos(y) - 1 without the cancellation near 0.
  const auto half = std::sin(y / 2);
  const auto m = math::Expm1(x);
  return T(m * std::cos(y) - 2 * half * half, (m + 1) * std::sin(y));
};

constexpr auto kLog1p = [](auto z) {
  using T = decltype(z);
  const auto x = z.real(), y = z.imag();
  // |1 + z|^2 - 1 = x (2 + x) + y^2 keeps the digits of a small z.
  const auto far = std::abs(x) > 0.5 || std::abs(y) > 0.5;
  const auto log =
      far ? std::log(std::abs(T(1) + z)) : math::Log1p(x * (2 + x) + y * y) / 2;
  return T(log, std::atan2(y, 1 + x));
};

using ExpOfComplex = PartsFor<math::ExpParts, 1>;

const OpRecord kRecords[] = {
    {.name = "Exp",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel =
         Overloads<UnaryFor<arithmetic::kExp, FloatTypes>, ExpOfComplex>(),
     .gradient =
         [](GradContext& g) { g.Set(0, ops::Mul(g.dy(0), Conjugate(g.y(0)))); },
     .python = {.names = "math.exp|exp"},
     .doc = "Returns e to the power of each element.",
     .example = ">>> tf.exp([0., 1.]).numpy().round(4)\narray([1.    , "
                "2.7183], dtype=float32)",
     .test = {.reference = "exp(x)"}},

    {.name = "Expm1",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel =
         Overloads<UnaryFor<[](auto x) { return math::Expm1(x); }, FloatTypes>,
                   UnaryFor<kCalled<kExpm1>, ComplexTypes, kSlowLoop>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Mul(g.dy(0), ops::Exp(Conjugate(g.x(0)))));
         },
     .python = {.names = "math.expm1"},
     .doc = "Returns exp(x) - 1 element-wise, exact for small x.",
     .example = ">>> tf.math.expm1([0., 1.]).numpy().round(4)\narray([0.    , "
                "1.7183], dtype=float32)",
     .test = {.reference = "expm1(x)"}},

    {.name = "Log",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel =
         Overloads<UnaryFor<[](auto x) { return math::Log(x); }, FloatTypes>,
                   PartsFor<math::LogParts, 1>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Mul(g.dy(0), ops::Reciprocal(Conjugate(g.x(0)))));
         },
     .python = {.names = "math.log"},
     .doc = "Returns the natural logarithm of each element.",
     .example = ">>> tf.math.log([1., 2.]).numpy().round(4)\narray([0.    , "
                "0.6931], dtype=float32)",
     .test = {.low = 0.1, .reference = "log(x)"}},

    {.name = "Log1p",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel =
         Overloads<UnaryFor<[](auto x) { return math::Log1p(x); }, FloatTypes>,
                   UnaryFor<kCalled<kLog1p>, ComplexTypes, kSlowLoop>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Mul(g.dy(0),
                             ops::Reciprocal(ops::AddV2(ScalarLike(g.x(0), 1),
                                                        Conjugate(g.x(0))))));
         },
     .python = {.names = "math.log1p"},
     .doc = "Returns ln(1 + x) element-wise, exact for small x.",
     .example = ">>> tf.math.log1p([0., 1.]).numpy().round(4)\narray([0.    , "
                "0.6931], dtype=float32)",
     .test = {.low = -0.9, .reference = "log1p(x)"}},

    {.name = "Tanh",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = Overloads<UnaryFor<arithmetic::kTanh, FloatTypes>,
                         PartsFor<math::TanhParts, 1>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::TanhGrad(Conjugate(g.y(0)), g.dy(0)));
         },
     .python = {.names = "math.tanh|tanh|nn.tanh"},
     .doc = "Returns the hyperbolic tangent of each element.",
     .example = ">>> tf.tanh([0., 1.]).numpy().round(4)\narray([0.    , "
                "0.7616], dtype=float32)",
     .test = {.reference = "tanh(x)"}},

    {.name = "Sigmoid",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = Overloads<UnaryFor<arithmetic::kSigmoid, FloatTypes>,
                         UnaryFor<[](auto x) {
                           using T = decltype(x);
                           return T(1) / (T(1) + ExpOfComplex::kFunction(-x));
                         },
                                  ComplexTypes, kSlowLoop>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::SigmoidGrad(Conjugate(g.y(0)), g.dy(0)));
         },
     .python = {.names = "math.sigmoid|nn.sigmoid|sigmoid"},
     .doc = "Returns 1 / (1 + exp(-x)) element-wise.",
     .example = ">>> tf.sigmoid([0., 1.]).numpy().round(4)\narray([0.5   , "
                "0.7311], dtype=float32)",
     .test = {.reference = "1 / (1 + exp(-x))"}},
};

}  // namespace

GK_REGISTER_OPS(math_exp)

}  // namespace gk
