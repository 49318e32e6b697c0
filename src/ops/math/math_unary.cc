// Functions of one number: sign, rounding, roots and what kind it is.
#include "ops/fn/math_unary.h"

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/math.h"
#include "ops/broadcast_gradient.h"
#include "ops/complex_tiles.h"
#include "ops/elementwise.h"
#include "ops/fn/math_arithmetic.h"
#include "ops/fn/math_unary_grad.h"
#include "ops/fused_arithmetic.h"
#include "ops/scalar_constant.h"

namespace gk {
namespace {

constexpr auto kSign = [](auto x) {
  using T = decltype(x);
  const T unless_positive = Select(x < T(0), T(-1), Select(x == T(0), T(0), x));
  return Select(x > T(0), T(1), unless_positive);
};

using SqrtOfComplex = PartsFor<math::SqrtParts, 1>;
using OneOverComplex = PartsFor<math::ReciprocalParts, 1>;

const OpRecord kRecords[] = {
    {.name = "Neg",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, int8, int16, int32, "
              "int64, complex64, complex128]",
     .traits = kElementwise | kInvolution | kCheap | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = Unary<arithmetic::kNegate,
                     Join<Join<FloatTypes, SignedTypes>, ComplexTypes>,
                     kWrapAround>(),
     .gradient = [](GradContext& g) { g.Set(0, ops::Neg(g.dy(0))); },
     .python = {.names = "math.negative|negative"},
     .doc = "Returns -x element-wise.",
     .example = ">>> tf.negative([1, -2]).numpy().tolist()\n[-1, 2]",
     .test = {.reference = "-x"}},

    {.name = "Abs",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, int8, int16, int32, "
              "int64]",
     .traits = kElementwise | kIdempotent | kCheap | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel =
         Overloads<UnaryFor<[](auto x) { return math::Abs(x); }, FloatTypes>,
                   UnaryFor<[](auto x) {
                     using Bits = UnsignedOf<decltype(x)>;
                     const Bits bits(x);
                     return decltype(x)(
                         Select(x < 0, Bits(Bits(0) - bits), bits));
                   },
                            SignedTypes>>(),
     .gradient =
         [](GradContext& g) { g.Set(0, ops::Mul(g.dy(0), ops::Sign(g.x(0)))); },
     .doc = "Returns the absolute value of each element.",
     .test = {.reference = "abs(x)", .skip_gradient = true}},

    {.name = "Sign",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, int8, int16, int32, "
              "int64, complex64, complex128]",
     .traits = kElementwise | kIdempotent | kCheap | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = Overloads<UnaryFor<kSign, Join<FloatTypes, SignedTypes>>,
                         UnaryFor<[](auto x) {
                           using T = decltype(x);
                           const auto a =
                               CallOf<[](auto z) { return std::abs(z); }>(x);
                           return Select(a == 0, T(0),
                                         T(x.real() / a, x.imag() / a));
                         },
                                  ComplexTypes, kSlowLoop>>(),
     // Zero of complex numbers too, as in TensorFlow.
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Mul(g.dy(0), ScalarLike(g.x(0), 0)));
         },
     .doc = "Returns the sign of each element: -1, 0 or 1; x / |x| for a "
            "complex x.",
     .example = ">>> tf.sign([-2., 0., 3.]).numpy().tolist()\n[-1.0, 0.0, 1.0]",
     .test = {.reference = "sign(x)", .skip_gradient = true}},

    {.name = "Square",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, int8, int16, int32, "
              "int64, uint8, uint16, uint32, uint64, complex64, complex128]",
     .traits = kElementwise | kCheap | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = Unary<[](auto x) {
       using T = decltype(x);
       if constexpr (std::is_integral_v<ScalarOf<T>>) {
         using Wide = Over<T, uint64_t>;
         return T(Wide(x) * Wide(x));
       } else {
         return T(x * x);
       }
     },
                     NumberTypes, kWrapAround>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Mul(g.dy(0), ops::Mul(Conjugate(g.x(0)),
                                               ScalarLike(g.x(0), 2))));
         },
     .python = {.names = "math.square|square"},
     .doc = "Returns x * x element-wise.",
     .example =
         ">>> tf.square([-2., 0., 3.]).numpy().tolist()\n[4.0, 0.0, 9.0]",
     .test = {.reference = "x * x"}},

    {.name = "Floor",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise | kIdempotent | kNoGradient | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = Overloads<
         UnaryFor<[](auto x) { return math::Floor(x); }, FloatTypes>>(),
     .python = {.names = "math.floor|floor"},
     .doc = "Rounds each element down to an integer.",
     .example = ">>> tf.floor([1.5, -1.5]).numpy().tolist()\n[1.0, -2.0]",
     .test = {.reference = "floor(x)", .skip_gradient = true}},

    {.name = "Ceil",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise | kIdempotent | kNoGradient | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = Overloads<
         UnaryFor<[](auto x) { return math::Ceil(x); }, FloatTypes>>(),
     .python = {.names = "math.ceil"},
     .doc = "Rounds each element up to an integer.",
     .example = ">>> tf.math.ceil([1.5, -1.5]).numpy().tolist()\n[2.0, -1.0]",
     .test = {.reference = "ceil(x)", .skip_gradient = true}},

    {.name = "Rint",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise | kIdempotent | kNoGradient | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = Overloads<
         UnaryFor<[](auto x) { return math::Rint(x); }, FloatTypes>>(),
     .python = {.names = "math.rint"},
     .doc = "Rounds each element to the nearest integer, halves to the even "
            "one.",
     .example = ">>> tf.math.rint([0.5, 1.5, -0.7]).numpy().tolist()\n[0.0, "
                "2.0, -1.0]",
     .test = {.reference = "rint(x)", .skip_gradient = true}},

    {.name = "Round",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, int8, int16, int32, "
              "int64, complex64, complex128]",
     .traits = kElementwise | kIdempotent | kNoGradient | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel =
         Overloads<UnaryFor<[](auto x) { return math::Rint(x); }, FloatTypes>,
                   UnaryFor<[](auto x) { return x; }, SignedTypes, kWrapAround>,
                   UnaryFor<[](auto x) {
                     return decltype(x)(math::Rint(x.real()),
                                        math::Rint(x.imag()));
                   },
                            ComplexTypes>>(),
     .doc = "Rounds each element to the nearest integer, halves to the even "
            "one.",
     .test = {.reference = "round(x)", .skip_gradient = true}},

    {.name = "Reciprocal",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, int8, int16, int32, "
              "int64, complex64, complex128]",
     .traits = kElementwise | kInvolution,
     .shape = shape_fn::SameAsInput,
     .kernel = Overloads<
         UnaryFor<[](auto x) { return decltype(x)(1) / x; }, FloatTypes>,
         OneOverComplex>(),
     .gradient =
         [](GradContext& g) { g.Set(0, ops::ReciprocalGrad(g.y(0), g.dy(0))); },
     .python = {.names = "math.reciprocal"},
     .doc = "Returns 1 / x element-wise.",
     .example = ">>> tf.math.reciprocal([2., 4.]).numpy().tolist()\n[0.5, "
                "0.25]",
     .test = {.low = 0.5, .reference = "1 / x"}},

    {.name = "Inv",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, int8, int16, int32, "
              "int64, complex64, complex128]",
     .traits = kElementwise | kInvolution,
     .shape = shape_fn::SameAsInput,
     .kernel = Overloads<
         UnaryFor<[](auto x) { return decltype(x)(1) / x; }, FloatTypes>,
         OneOverComplex>(),
     .gradient =
         [](GradContext& g) { g.Set(0, ops::InvGrad(g.y(0), g.dy(0))); },
     .doc = "Returns 1 / x element-wise.",
     .test = {.low = 0.5, .reference = "1 / x"}},

    {.name = "Sqrt",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel =
         Overloads<UnaryFor<[](auto x) { return math::Sqrt(x); }, FloatTypes>,
                   SqrtOfComplex>(),
     .gradient =
         [](GradContext& g) { g.Set(0, ops::SqrtGrad(g.y(0), g.dy(0))); },
     .python = {.names = "math.sqrt|sqrt"},
     .doc = "Returns the square root of each element.",
     .example = ">>> tf.sqrt([4., 9.]).numpy().tolist()\n[2.0, 3.0]",
     .test = {.low = 0.1, .reference = "sqrt(x)"}},

    {.name = "Rsqrt",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel =
         Overloads<UnaryFor<[](auto x) { return math::Rsqrt(x); }, FloatTypes>,
                   UnaryFor<[](auto x) {
                     return OneOverComplex::kFunction(
                         SqrtOfComplex::kFunction(x));
                   },
                            ComplexTypes, kSlowLoop>>(),
     .gradient =
         [](GradContext& g) { g.Set(0, ops::RsqrtGrad(g.y(0), g.dy(0))); },
     .python = {.names = "math.rsqrt"},
     .doc = "Returns 1 / sqrt(x) element-wise.",
     .example = ">>> tf.math.rsqrt([4., 16.]).numpy().tolist()\n[0.5, 0.25]",
     .test = {.low = 0.1, .reference = "1 / sqrt(x)"}},

    {.name = "IsNan",
     .inputs = "x: T",
     .outputs = "y: bool",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise | kNoGradient,
     .shape = shape_fn::SameAsInput,
     .kernel = Overloads<UnaryFor<[](auto x) { return x != x; }, FloatTypes>>(),
     .python = {.names = "math.is_nan"},
     .doc = "Says which elements are NaN.",
     .example = ">>> tf.math.is_nan([1., float('nan')]).numpy().tolist()\n"
                "[False, True]",
     .test = {.reference = "isnan(x)"}},

    {.name = "IsInf",
     .inputs = "x: T",
     .outputs = "y: bool",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise | kNoGradient,
     .shape = shape_fn::SameAsInput,
     .kernel = Overloads<UnaryFor<[](auto x) {
       return math::Abs(x) == math::kInf<decltype(x)>;
     },
                                  FloatTypes>>(),
     .python = {.names = "math.is_inf"},
     .doc = "Says which elements are infinite.",
     .example = ">>> tf.math.is_inf([1., float('inf')]).numpy().tolist()\n"
                "[False, True]",
     .test = {.reference = "isinf(x)"}},

    {.name = "IsFinite",
     .inputs = "x: T",
     .outputs = "y: bool",
     .attrs = "T: type in [bfloat16, half, float, double]",
     .traits = kElementwise | kNoGradient,
     .shape = shape_fn::SameAsInput,
     .kernel = Overloads<
         UnaryFor<[](auto x) { return math::Abs(x) < math::kInf<decltype(x)>; },
                  FloatTypes>>(),
     .python = {.names = "math.is_finite"},
     .doc = "Says which elements are neither infinite nor NaN.",
     .example = ">>> tf.math.is_finite([1., float('inf')]).numpy().tolist()\n"
                "[True, False]",
     .test = {.reference = "isfinite(x)"}},
};

}  // namespace

GK_REGISTER_OPS(math_unary)

}  // namespace gk
