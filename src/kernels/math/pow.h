// Powers. A float's power is computed in double precision as e^(y ln x), with
// the C standard's results for every special pair. The double version is the
// C library's, but for squares. Pure functions.
#ifndef GK_KERNELS_MATH_POW_H_
#define GK_KERNELS_MATH_POW_H_

#include <cmath>

#include "kernels/math/exp_log.h"

namespace gk::math {

GK_INLINE float PowFloat(float x, float y) {
  const double a = Abs(static_cast<double>(x));
  const LogExponent<double> parts = SplitExponent(a);
  const double f = FromBits<double>(parts.mantissa) - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double log =
      parts.k * 0x1.62e42fefa39efp-1 +
      (s * z *
           Poly(z, 0.6666666667629102, 0.39999995436555014, 0.2857213060426228,
                0.2217522314864612, 0.19598974035752978) +
       (s + s));
  double product = LogSpecial(a, log) * static_cast<double>(y);
  product = product > 100.0 ? 100.0 : product;
  product = product < -110.0 ? -110.0 : product;
  const ExpReduced<double> e = ReduceExp(product);
  const double tail = Poly(e.r, 0.50000000697246882, 0.16666665927888069,
                           0.041666289633349486, 0.0083334833131648422,
                           0.0013944980017897787, 0.00019797962097992979);
  float v = static_cast<float>((e.r * e.r * tail + e.r + 1.0) *
                               PowerOfTwo<double>(e.n));
  const float half = y * 0.5f;
  const bool integral = __builtin_rintf(y) == y;
  const bool even = __builtin_rintf(half) == half;
  // The sign bit of x counts for odd integers, even at zero.
  const uint32_t sign = integral && !even ? ToBits(x) & 0x80000000u : 0u;
  v = FromBits<float>(ToBits(v) ^ sign);
  v = x < 0.0f && x > -kInf<float> && !integral ? kNan<float> : v;
  v = y == 0.0f ? 1.0f : v;
  // The exact square rounded, as graphs compute it: ties are many.
  v = y == 2.0f ? x * x : v;
  v = x == -1.0f && Abs(y) == kInf<float> ? 1.0f : v;
  return x == 1.0f ? 1.0f : v;
}

template <class T>
GK_INLINE T Pow(T x, T y) {
  if constexpr (sizeof(T) == 4) {
    return PowFloat(x, y);
  } else {
    return y == T(2) ? x * x : std::pow(x, y);
  }
}

}  // namespace gk::math

#endif  // GK_KERNELS_MATH_POW_H_
