// Hyperbolic functions and their inverses. Each is a polynomial near zero,
// where the formula by exponentials cancels, and that formula elsewhere;
// both are computed and one is selected. Pure functions.
#ifndef GK_KERNELS_MATH_HYPERBOLIC_H_
#define GK_KERNELS_MATH_HYPERBOLIC_H_

#include "kernels/math/exp_log.h"

namespace gk::math {

// (e^2a - 1) / (e^2a + 1) with e^2a - 1 computed whole, so that nothing
// cancels near zero and one formula serves all floats: 2.5 units in the last
// place. Since 2a = n ln(2) + r is small, one constant serves for ln(2).
template <class T>
GK_INLINE T TanhFloat(T x) {
  using B = FloatBits<float>;
  constexpr float kTwoLog2E = 0x1.715476p+1f, kLn2 = 0x1.62e43p-1f;
  constexpr float kMagic = B::kMagic + B::kBias;
  const T a = Abs(x);
  const T rounded = a * kTwoLog2E + kMagic;
  const T p = ExpReducedM1((a + a) - (rounded - kMagic) * kLn2);
  const T scale = PowerOfTwo<T>(ToBits(rounded));
  const T t = scale * p + (scale - 1.0f);
  return CopySign(Select(a > 9.02f, 1.0f, t / (t + 2.0f)), x);
}

template <class T>
GK_INLINE T Tanh(T x) {
  if constexpr (kIsFloatValue<T>) {
    return TanhFloat(x);
  } else {
    const T z = x * x;
    const T tail = Poly(
        z, -0.33333333333333331, 0.13333333333333017, -0.053968253968052889,
        0.021869488529516715, -0.008863235398100449, 0.0035921263320506857,
        -0.0014558193331724218, 0.00058993411968786223, -0.00023871770048122161,
        9.5624643654978184e-5, -3.6431062972014204e-5, 1.1620192917080665e-5,
        -2.2025205729170539e-6);
    const T small = x * z * tail + x;
    const T a = Abs(x);
    const T large = T(1) - T(2) / (Exp(a + a) + T(1));
    return CopySign(Select(a < T(0.625), small, large), x);
  }
}

// The sinh of a large argument is e^(x/2) e^(x/2) / 2, because e^x overflows
// before sinh does.
template <class T>
GK_INLINE T Sinh(T x) {
  constexpr ScalarOf<T> kLarge = kIsFloatValue<T> ? 80 : 700;
  const T a = Abs(x);
  const T m = Expm1(a);
  const T moderate = T(0.5) * (m + m / (m + T(1)));
  const T root = Exp(T(0.5) * a);
  const T y = Select(a > kLarge, T(0.5) * root * root, moderate);
  return CopySign(y, x);
}

template <class T>
GK_INLINE T Cosh(T x) {
  constexpr ScalarOf<T> kLarge = kIsFloatValue<T> ? 80 : 700;
  const T a = Abs(x);
  const T e = Exp(a);
  const T moderate = T(0.5) * e + T(0.5) / e;
  const T root = Exp(T(0.5) * a);
  return Select(a > kLarge, T(0.5) * root * root, moderate);
}

template <class T>
GK_INLINE T Asinh(T x) {
  constexpr ScalarOf<T> kHuge = kIsFloatValue<T> ? 0x1p14 : 0x1p28;
  const T a = Abs(x);
  const auto huge = a > kHuge;
  // asinh(a) = ln(1 + a + a^2 / (1 + sqrt(a^2 + 1))), and ln(2a) far out.
  const T square = Select(huge, T(1), a * a);
  const T inner = a + square / (T(1) + Sqrt(square + T(1)));
  const T argument = Select(huge, a - T(1), inner);
  const T y = Log1p(argument) + Select(huge, T(0x1.62e42fefa39efp-1), T(0));
  return CopySign(Select(x == T(0), a, y), x);
}

template <class T>
GK_INLINE T Acosh(T x) {
  constexpr ScalarOf<T> kHuge = kIsFloatValue<T> ? 0x1p14 : 0x1p28;
  const auto huge = x > kHuge;
  const T t = x - T(1);
  const T inner = t + Sqrt(T(2) * t + t * t);
  const T y = Log1p(Select(huge, t, inner)) +
              Select(huge, T(0x1.62e42fefa39efp-1), T(0));
  return Select(x >= T(1), y, kNan<T>);
}

template <class T>
GK_INLINE T Atanh(T x) {
  const T a = Abs(x);
  const T y = T(0.5) * Log1p((a + a) / (T(1) - a));
  return CopySign(Select(x == T(0), a, y), x);
}

}  // namespace gk::math

#endif  // GK_KERNELS_MATH_HYPERBOLIC_H_
