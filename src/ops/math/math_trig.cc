// Trigonometric and hyperbolic functions and their inverses.
#include "ops/fn/math_trig.h"

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/math.h"
#include "ops/broadcast_gradient.h"
#include "ops/elementwise.h"
#include "ops/fn/math_arithmetic.h"
#include "ops/fn/math_divide.h"
#include "ops/fn/math_unary.h"
#include "ops/scalar_constant.h"

namespace gk {
namespace {

const OpRecord kRecords[] = {
    {.name = "Sin",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = Overloads<
         UnaryFor<math::kSin, TypeList<half, bfloat16, float>>,
         UnaryFor<math::kSin, TypeList<double>, kPlainLoop | kSlowLoop>,
         UnaryFor<kCalled<[](auto x) { return std::sin(x); }>, ComplexTypes,
                  kSlowLoop>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Mul(g.dy(0), ops::Cos(Conjugate(g.x(0)))));
         },
     .python = {.names = "math.sin|sin"},
     .doc = "Returns the sine of each element, in radians.",
     .example = ">>> tf.sin([0., 1.]).numpy().round(4)\narray([0.    , "
                "0.8415], dtype=float32)",
     .test = {.reference = "sin(x)"}},

    {.name = "Cos",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = Overloads<
         UnaryFor<math::kCos, TypeList<half, bfloat16, float>>,
         UnaryFor<math::kCos, TypeList<double>, kPlainLoop | kSlowLoop>,
         UnaryFor<kCalled<[](auto x) { return std::cos(x); }>, ComplexTypes,
                  kSlowLoop>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Neg(ops::Mul(g.dy(0), ops::Sin(Conjugate(g.x(0))))));
         },
     .python = {.names = "math.cos|cos"},
     .doc = "Returns the cosine of each element, in radians.",
     .example = ">>> tf.cos([0., 3.1415927]).numpy().tolist()\n[1.0, -1.0]",
     .test = {.reference = "cos(x)"}},

    {.name = "Tan",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = Overloads<
         UnaryFor<math::kTan, TypeList<half, bfloat16, float>>,
         UnaryFor<math::kTan, TypeList<double>, kPlainLoop | kSlowLoop>,
         UnaryFor<kCalled<[](auto x) { return std::tan(x); }>, ComplexTypes,
                  kSlowLoop>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Mul(g.dy(0), ops::Square(ops::Reciprocal(
                                          ops::Cos(Conjugate(g.x(0)))))));
         },
     .python = {.names = "math.tan|tan"},
     .doc = "Returns the tangent of each element, in radians.",
     .example = ">>> tf.tan([0., 1.]).numpy().round(4)\narray([0.    , "
                "1.5574], dtype=float32)",
     .test = {.low = -1, .high = 1, .reference = "tan(x)"}},

    {.name = "Asin",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = Overloads<UnaryFor<[](auto x) { return math::Asin(x); },
                                  TypeList<half, bfloat16, float>>,
                         UnaryFor<[](auto x) { return math::Asin(x); },
                                  TypeList<double>, kPlainLoop | kSlowLoop>,
                         UnaryFor<kCalled<[](auto x) { return std::asin(x); }>,
                                  ComplexTypes, kSlowLoop>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Mul(g.dy(0), ops::Rsqrt(ops::Sub(
                                          ScalarLike(g.x(0), 1),
                                          ops::Square(Conjugate(g.x(0)))))));
         },
     .python = {.names = "asin|math.asin"},
     .doc = "Returns the inverse sine of each element.",
     .example = ">>> tf.asin([0., 0.5]).numpy().round(4)\narray([0.    , "
                "0.5236], dtype=float32)",
     .test = {.low = -0.9, .high = 0.9, .reference = "arcsin(x)"}},

    {.name = "Acos",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = Overloads<UnaryFor<[](auto x) { return math::Acos(x); },
                                  TypeList<half, bfloat16, float>>,
                         UnaryFor<[](auto x) { return math::Acos(x); },
                                  TypeList<double>, kPlainLoop | kSlowLoop>,
                         UnaryFor<kCalled<[](auto x) { return std::acos(x); }>,
                                  ComplexTypes, kSlowLoop>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Neg(ops::Mul(
                        g.dy(0),
                        ops::Rsqrt(ops::Sub(ScalarLike(g.x(0), 1),
                                            ops::Square(Conjugate(g.x(0))))))));
         },
     .python = {.names = "math.acos|acos"},
     .doc = "Returns the inverse cosine of each element.",
     .example = ">>> tf.acos([1., 0.5, -1.]).numpy().round(4)\narray([0.    , "
                "1.0472, 3.1416], dtype=float32)",
     .test = {.low = -0.9, .high = 0.9, .reference = "arccos(x)"}},

    {.name = "Atan",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel =
         Overloads<UnaryFor<[](auto x) { return math::Atan(x); }, FloatTypes>,
                   UnaryFor<kCalled<[](auto x) { return std::atan(x); }>,
                            ComplexTypes, kSlowLoop>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::RealDiv(g.dy(0),
                                 ops::AddV2(ScalarLike(g.x(0), 1),
                                            ops::Square(Conjugate(g.x(0))))));
         },
     .python = {.names = "atan|math.atan"},
     .doc = "Returns the inverse tangent of each element.",
     .example = ">>> tf.atan([0., 1.]).numpy().round(4)\narray([0.    , "
                "0.7854], dtype=float32)",
     .test = {.reference = "arctan(x)"}},

    {.name = "Sinh",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel =
         Overloads<UnaryFor<[](auto x) { return math::Sinh(x); }, FloatTypes>,
                   UnaryFor<kCalled<[](auto x) { return std::sinh(x); }>,
                            ComplexTypes, kSlowLoop>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Mul(g.dy(0), ops::Cosh(Conjugate(g.x(0)))));
         },
     .python = {.names = "math.sinh|sinh"},
     .doc = "Returns the hyperbolic sine of each element.",
     .example = ">>> tf.sinh([0., 1.]).numpy().round(4)\narray([0.    , "
                "1.1752], dtype=float32)",
     .test = {.reference = "sinh(x)"}},

    {.name = "Cosh",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel =
         Overloads<UnaryFor<[](auto x) { return math::Cosh(x); }, FloatTypes>,
                   UnaryFor<kCalled<[](auto x) { return std::cosh(x); }>,
                            ComplexTypes, kSlowLoop>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Mul(g.dy(0), ops::Sinh(Conjugate(g.x(0)))));
         },
     .python = {.names = "math.cosh|cosh"},
     .doc = "Returns the hyperbolic cosine of each element.",
     .example = ">>> tf.cosh([0., 1.]).numpy().round(4)\narray([1.    , "
                "1.5431], dtype=float32)",
     .test = {.reference = "cosh(x)"}},

    {.name = "Asinh",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel =
         Overloads<UnaryFor<[](auto x) { return math::Asinh(x); }, FloatTypes>,
                   UnaryFor<kCalled<[](auto x) { return std::asinh(x); }>,
                            ComplexTypes, kSlowLoop>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::RealDiv(g.dy(0), ops::Cosh(Conjugate(g.y(0)))));
         },
     .python = {.names = "math.asinh|asinh"},
     .doc = "Returns the inverse hyperbolic sine of each element.",
     .example = ">>> tf.asinh([0., 1.]).numpy().round(4)\narray([0.    , "
                "0.8814], dtype=float32)",
     .test = {.reference = "arcsinh(x)"}},

    {.name = "Acosh",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel =
         Overloads<UnaryFor<[](auto x) { return math::Acosh(x); }, FloatTypes>,
                   UnaryFor<kCalled<[](auto x) { return std::acosh(x); }>,
                            ComplexTypes, kSlowLoop>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::RealDiv(g.dy(0), ops::Sinh(Conjugate(g.y(0)))));
         },
     .python = {.names = "math.acosh|acosh"},
     .doc = "Returns the inverse hyperbolic cosine of each element.",
     .example = ">>> tf.acosh([1., 2.]).numpy().round(4)\narray([0.   , "
                "1.317], dtype=float32)",
     .test = {.low = 1.1, .high = 3, .reference = "arccosh(x)"}},

    {.name = "Atanh",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel =
         Overloads<UnaryFor<[](auto x) { return math::Atanh(x); }, FloatTypes>,
                   UnaryFor<kCalled<[](auto x) { return std::atanh(x); }>,
                            ComplexTypes, kSlowLoop>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Mul(g.dy(0), ops::Reciprocal(ops::Sub(
                                          ScalarLike(g.x(0), 1),
                                          ops::Square(Conjugate(g.x(0)))))));
         },
     .python = {.names = "math.atanh|atanh"},
     .doc = "Returns the inverse hyperbolic tangent of each element.",
     .example = ">>> tf.atanh([0., 0.5]).numpy().round(4)\narray([0.    , "
                "0.5493], dtype=float32)",
     .test = {.low = -0.9, .high = 0.9, .reference = "arctanh(x)"}},

    {.name = "Atan2",
     .inputs = "y: T; x: T",
     .outputs = "z: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise,
     .shape = shape_fn::Broadcast,
     .kernel =
         Binary<[](auto y, auto x) { return math::Atan2(y, x); }, FloatTypes>(),
     .gradient =
         [](GradContext& g) {
           const Tensor &y = g.x(0), &x = g.x(1);
           const Tensor scale = ops::RealDiv(
               g.dy(0), ops::AddV2(ops::Square(x), ops::Square(y)));
           SetBroadcastGrads(g, ops::Mul(x, scale),
                             ops::Mul(ops::Neg(y), scale));
         },
     .python = {.names = "atan2|math.atan2"},
     .doc = "Returns the angle of the point (x, y), in radians.",
     .example = ">>> tf.atan2([1., 1.], [1., -1.]).numpy().round(4)\n"
                "array([0.7854, 2.3562], dtype=float32)",
     .test = {.low = 0.5, .reference = "arctan2(y, x)"}},
};

}  // namespace

GK_REGISTER_OPS(math_trig)

}  // namespace gk
