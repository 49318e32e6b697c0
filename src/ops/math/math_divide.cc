// Quotients, remainders and powers of two tensors.
#include "ops/fn/math_divide.h"

#include "base/status.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/math.h"
#include "ops/broadcast_gradient.h"
#include "ops/complex_tiles.h"
#include "ops/elementwise.h"
#include "ops/fn/Greater.h"
#include "ops/fn/NotEqual.h"
#include "ops/fn/OnesLike.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/ZerosLike.h"
#include "ops/fn/math_arithmetic.h"
#include "ops/fn/math_exp.h"
#include "ops/fn/math_unary.h"
#include "ops/scalar_constant.h"

namespace gk {
namespace {

constexpr char kByZero[] = "Integer division by zero";

// Integer arithmetic that no input can make trap: a zero divisor is reported
// before, and the negation of the smallest integer wraps around.
constexpr auto kIsZero = [](auto, auto y) { return y == 0; };
template <class T>
GK_INLINE T Quotient(T x, T y) {
  if constexpr (std::is_signed_v<ScalarOf<T>>) {
    using Bits = UnsignedOf<T>;
    const auto negates = y == T(-1);
    return Select(negates, T(Bits(0) - Bits(x)),
                  T(x / Select(negates, T(1), y)));
  } else {
    return T(x / y);
  }
}
template <class T>
GK_INLINE T Remainder(T x, T y) {
  if constexpr (std::is_signed_v<ScalarOf<T>>) {
    return T(x % Select(y == T(-1), T(1), y));
  } else {
    return T(x % y);
  }
}
constexpr auto kQuotient = [](auto x, auto y) { return Quotient(x, y); };
constexpr auto kRemainder = [](auto x, auto y) { return Remainder(x, y); };
constexpr auto kFloorQuotient = [](auto x, auto y) {
  using T = decltype(x);
  const T q = Quotient(x, y), r = Remainder(x, y);
  return T(q - And(r != 0, (r < 0) != (y < 0)));
};
constexpr auto kFloorRemainder = [](auto x, auto y) {
  using T = decltype(x);
  const T r = Remainder(x, y);
  return Select(And(r != 0, (r < 0) != (y < 0)), T(r + y), r);
};

constexpr auto kDivide = [](auto x, auto y) { return decltype(x)(x / y); };
constexpr auto kFmod = [](auto x, auto y) { return math::Fmod(x, y); };
using DivideReal = TileOverloads<BinaryFor<kDivide, FloatTypes>,
                                 PartsFor<math::DivideParts, 2>>;

constexpr auto kIsNegative = [](auto, auto y) { return y < 0; };
// Powers of integers wrap around; a negative exponent is reported before.
constexpr auto kPowerOfIntegers = [](auto x, auto y) {
  using T = decltype(x);
  uint64_t power = 1, base = static_cast<uint64_t>(x);
  for (auto rest = y; rest > 0; rest >>= 1) {
    if (rest & 1) power *= base;
    base *= base;
  }
  return static_cast<T>(power);
};

Tensor WhereTrue(const Tensor& condition, const Tensor& x) {
  return ops::SelectV2(condition, x, ops::ZerosLike(x));
}

void DivideGrads(GradContext& g) {
  const Tensor y = Conjugate(g.x(1));
  SetBroadcastGrads(
      g, g.wants(0) ? ops::RealDiv(g.dy(0), y) : Tensor(),
      g.wants(1)
          ? ops::Mul(
                g.dy(0),
                ops::RealDiv(ops::RealDiv(ops::Neg(Conjugate(g.x(0))), y), y))
          : Tensor());
}

void IntegerOrRealDivideGrads(GradContext& g) {
  if (IsTrainable(g.x(0).dtype())) DivideGrads(g);
}

void PowerGrads(GradContext& g) {
  const Tensor x = Conjugate(g.x(0)), y = Conjugate(g.x(1)),
               z = Conjugate(g.y(0));
  Tensor gx, gy;
  if (g.wants(0)) {
    gx = ops::Mul(g.dy(0),
                  ops::Mul(y, ops::Pow(x, ops::Sub(y, ScalarLike(y, 1)))));
  }
  if (g.wants(1)) {
    // ln(x) where it exists; elsewhere the slope is taken to be zero.
    const Tensor zero = ScalarLike(x, 0);
    const Tensor known =
        IsComplex(x.dtype()) ? ops::NotEqual(x, zero) : ops::Greater(x, zero);
    const Tensor safe = ops::SelectV2(known, x, ops::OnesLike(x));
    gy = ops::Mul(ops::Mul(g.dy(0), z), WhereTrue(known, ops::Log(safe)));
  }
  SetBroadcastGradsPastScalars(g, gx, gy);
}

const OpRecord kRecords[] = {
    {.name = "Div",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [bfloat16, half, float, double, uint8, int8, "
              "uint16, int16, int32, uint32, uint64, int64, complex64, "
              "complex128]",
     .traits = kElementwise,
     .shape = shape_fn::Broadcast,
     .kernel =
         Overloads<DivideReal,
                   CheckedBinaryFor<kQuotient, kIsZero, IntegerTypes>>(kByZero),
     .gradient = IntegerOrRealDivideGrads,
     .doc = "Returns x / y element-wise; integers are rounded towards zero.",
     .test = {.low = 0.5, .reference = "x / y"}},

    {.name = "RealDiv",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [bfloat16, half, float, double, uint8, int8, "
              "uint16, int16, int32, uint32, uint64, int64, complex64, "
              "complex128]",
     .traits = kElementwise,
     .shape = shape_fn::Broadcast,
     .kernel = Overloads<DivideReal>(),
     .gradient = DivideGrads,
     .python = {.names = "realdiv", .converts_first = true},
     .doc = "Returns x / y element-wise for real and complex types.",
     .example = ">>> tf.realdiv([1., 3.], 2.).numpy().tolist()\n[0.5, 1.5]",
     .test = {.low = 0.5, .reference = "x / y"}},

    {.name = "TruncateDiv",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [bfloat16, half, float, double, uint8, int8, "
              "uint16, int16, int32, uint32, uint64, int64, complex64, "
              "complex128]",
     .traits = kElementwise | kNoGradient,
     .shape = shape_fn::Broadcast,
     .kernel =
         Overloads<BinaryFor<[](auto x, auto y) { return math::Trunc(x / y); },
                             FloatTypes>,
                   CheckedBinaryFor<kQuotient, kIsZero, IntegerTypes>>(kByZero),
     .python = {.names = "truncatediv"},
     .doc = "Returns x / y element-wise, rounded towards zero.",
     .example = ">>> tf.truncatediv([7, -7], 2).numpy().tolist()\n[3, -3]",
     .test = {.low = 0.5, .reference = "trunc(x / y)"}},

    {.name = "FloorDiv",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [bfloat16, half, float, double, uint8, int8, "
              "uint16, int16, int32, uint32, uint64, int64, complex64, "
              "complex128]",
     .traits = kElementwise | kNoGradient,
     .shape = shape_fn::Broadcast,
     .kernel =
         Overloads<BinaryFor<[](auto x, auto y) { return math::Floor(x / y); },
                             FloatTypes>,
                   CheckedBinaryFor<kFloorQuotient, kIsZero, IntegerTypes>>(
             kByZero),
     .python = {.names = "math.floordiv",
                .args = "x: tensor(T); y: tensor(T)",
                .scope = "floordiv"},
     .doc = "Returns x // y element-wise, rounded towards minus infinity.\n\n"
            "Raises InvalidArgumentError for an integer divided by zero.",
     .example = ">>> tf.math.floordiv(-3, 2).numpy().item()\n-2",
     .test = {.low = 0.5, .reference = "floor(x / y)"}},

    {.name = "FloorMod",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [int8, int16, int32, int64, uint8, uint16, uint32, "
              "uint64, bfloat16, half, float, double]",
     .traits = kElementwise,
     .shape = shape_fn::Broadcast,
     .kernel = Overloads<
         BinaryFor<[](auto x, auto y) { return math::FloorMod(x, y); },
                   FloatTypes, kPlainLoop | kSlowLoop>,
         CheckedBinaryFor<kFloorRemainder, kIsZero, IntegerTypes>>(kByZero),
     .gradient =
         [](GradContext& g) {
           if (!IsTrainable(g.x(0).dtype())) return;
           SetBroadcastGrads(
               g, g.dy(0),
               g.wants(1)
                   ? ops::Mul(g.dy(0), ops::Neg(ops::FloorDiv(g.x(0), g.x(1))))
                   : Tensor());
         },
     .python = {.names = "math.floormod|math.mod",
                .args = "x: tensor(T); y: tensor(T)"},
     .doc = "Returns the remainder of x // y element-wise, with the sign of "
            "y.",
     .example = ">>> tf.math.mod(-3, 2).numpy().item()\n1",
     .test = {.low = 0.5, .reference = "x % y", .skip_gradient = true}},

    {.name = "Mod",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [int32, int64, half, bfloat16, float, double]",
     .traits = kElementwise,
     .shape = shape_fn::Broadcast,
     .kernel = Overloads<
         BinaryFor<kFmod, FloatTypes, kPlainLoop | kSlowLoop>,
         CheckedBinaryFor<kRemainder, kIsZero, TypeList<int32_t, int64_t>>>(
         kByZero),
     .doc = "Returns the remainder of x / y element-wise, with the sign of x.",
     .test = {.low = 0.5, .reference = "fmod(x, y)", .skip_gradient = true}},

    {.name = "TruncateMod",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [int32, int64, bfloat16, half, float, double]",
     .traits = kElementwise,
     .shape = shape_fn::Broadcast,
     .kernel = Overloads<
         BinaryFor<kFmod, FloatTypes, kPlainLoop | kSlowLoop>,
         CheckedBinaryFor<kRemainder, kIsZero, TypeList<int32_t, int64_t>>>(
         kByZero),
     .python = {.names = "truncatemod"},
     .doc = "Returns the remainder of x / y element-wise, with the sign of x.",
     .example = ">>> tf.truncatemod([7, -7], 4).numpy().tolist()\n[3, -3]",
     .test = {.low = 0.5, .reference = "fmod(x, y)", .skip_gradient = true}},

    {.name = "DivNoNan",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [half, float, bfloat16, double, complex64, "
              "complex128]",
     .traits = kElementwise,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<[](auto x, auto y) {
       using T = decltype(x);
       const T q = x / y;
       return Select(y == T(0), T(0), q);
     },
                      FloatAndComplexTypes>(),
     .gradient =
         [](GradContext& g) {
           SetBroadcastGrads(
               g,
               g.wants(0) ? ops::DivNoNan(g.dy(0), Conjugate(g.x(1)))
                          : Tensor(),
               g.wants(1)
                   ? ops::Mul(g.dy(0),
                              ops::DivNoNan(
                                  ops::DivNoNan(ops::Neg(Conjugate(g.x(0))),
                                                Conjugate(g.x(1))),
                                  Conjugate(g.x(1))))
                   : Tensor());
         },
     .python = {.scope = "div_no_nan"},
     .doc = "Returns x / y element-wise, and 0 where y is 0.",
     .test = {.low = 0.5, .reference = "x / y"}},

    {.name = "MulNoNan",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<[](auto x, auto y) {
       using T = decltype(x);
       const T p = x * y;
       return Select(y == T(0), T(0), p);
     },
                      FloatAndComplexTypes>(),
     .gradient =
         [](GradContext& g) {
           SetBroadcastGrads(
               g, g.wants(0) ? ops::MulNoNan(g.dy(0), g.x(1)) : Tensor(),
               g.wants(1) ? ops::MulNoNan(g.x(0), g.dy(0)) : Tensor());
         },
     .doc = "Returns x * y element-wise, and 0 where y is 0 even if x is not "
            "finite.",
     .test = {.reference = "x * y"}},

    {.name = "Pow",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [bfloat16, float, half, double, int8, int16, int32, "
              "int64, complex64, complex128]",
     .traits = kElementwise | kIdentityOne,
     .special = {2, "Square"},
     .shape = shape_fn::Broadcast,
     .kernel = Overloads<
         BinaryFor<[](auto x, auto y) { return math::Pow(x, y); },
                   TypeList<half, bfloat16, float>, kSlowLoop>,
         BinaryFor<[](auto x, auto y) { return math::Pow(x, y); },
                   TypeList<double>, kPlainLoop | kSlowLoop>,
         BinaryFor<kCalled<[](auto x, auto y) { return std::pow(x, y); }>,
                   ComplexTypes, kPlainLoop | kSlowLoop>,
         CheckedBinaryFor<kCalled<kPowerOfIntegers>, kIsNegative, SignedTypes>>(
         "Integers to negative integer powers are not allowed"),
     .gradient = PowerGrads,
     .python = {.names = "pow|math.pow",
                .args = "x: tensor(T); y: tensor(T)",
                .scope = "Pow"},
     .doc = "Returns x to the power of y element-wise, with broadcasting.",
     .example = ">>> tf.pow(2, 3).numpy().item()\n8",
     .test = {.low = 0.5, .reference = "x**y"}},
};

}  // namespace

GK_REGISTER_OPS(math_divide)

}  // namespace gk
