// Special functions with no vectorised form: plain calls of the C library or
// short series in double precision. A float is computed in double.
// Erfinv and Ndtri: Newton-Halley steps on erfc from Giles' starting value
// ("Approximating the erfinv function", GPU Computing Gems, 2011). Digamma:
// DLMF 5.5.2, 5.5.4 and 5.11.2. Pure functions.
#ifndef GK_KERNELS_MATH_SPECIAL_H_
#define GK_KERNELS_MATH_SPECIAL_H_

#include <math.h>

#include <cmath>
#include <numbers>

#include "kernels/math/rounding.h"

namespace gk::math {

// erfc^-1(p) for 0 < p <= 1.
inline double ErfcinvUpper(double p) {
  // From erfc(x) ~ e^(-x^2) / (x sqrt(pi)), with a fit near the middle.
  const double t = std::sqrt(-2.0 * std::log(0.5 * p));
  double x =
      std::numbers::sqrt2 / 2 *
      (t - (2.30753 + t * 0.27061) / (1.0 + t * (0.99229 + t * 0.04481)));
  for (int i = 0; i < 3; ++i) {
    const double error = std::erfc(x) - p;
    const double slope = 2.0 * std::numbers::inv_sqrtpi * std::exp(-x * x);
    if (!(slope > 0)) break;
    const double step = error / slope;
    x += step / (1.0 - x * step);
  }
  return x;
}

template <class T>
inline T Erfinv(T value) {
  const double y = value;
  const double a = Abs(y);
  if (!(a <= 1.0)) return kNan<T>;
  if (a == 1.0) return CopySign(kInf<T>, value);
  double x;
  if (a < 0.5) {
    // On erf itself, which keeps the digits of a small y.
    x = a * (0.886226925452758 + 0.232013666534654 * a * a);
    for (int i = 0; i < 3; ++i) {
      const double slope = 2.0 * std::numbers::inv_sqrtpi * std::exp(-x * x);
      const double step = (std::erf(x) - a) / slope;
      x -= step / (1.0 + x * step);
    }
  } else {
    x = ErfcinvUpper(1.0 - a);
  }
  return CopySign(static_cast<T>(x), value);
}

// The quantile of the normal distribution.
template <class T>
inline T Ndtri(T value) {
  const double p = value;
  if (!(p >= 0.0 && p <= 1.0)) return kNan<T>;
  if (p == 0.0) return -kInf<T>;
  if (p == 1.0) return kInf<T>;
  if (Abs(p - 0.5) < 0.25) {
    return static_cast<T>(std::numbers::sqrt2 * Erfinv(2.0 * p - 1.0));
  }
  const double x =
      std::numbers::sqrt2 * ErfcinvUpper(2.0 * (p < 0.5 ? p : 1.0 - p));
  return static_cast<T>(p < 0.5 ? -x : x);
}

template <class T>
inline T Lgamma(T x) {
  // The reentrant form: lgamma writes a global sign.
  int sign;
  return static_cast<T>(lgamma_r(static_cast<double>(x), &sign));
}

template <class T>
inline T Digamma(T value) {
  double x = value;
  if (x == -kInf<double>) return kNan<T>;
  if (x == 0.0) return kNan<T>;
  double y = 0.0;
  if (x < 0.0) {
    // Reflection, by the distance from the nearest pole.
    const double f = x - Rint(x);
    if (f == 0.0) return kNan<T>;
    y = -std::numbers::pi / std::tan(std::numbers::pi * f);
    x = 1.0 - x;
  }
  while (x < 10.0) {
    y -= 1.0 / x;
    x += 1.0;
  }
  const double z = 1.0 / (x * x);
  const double series = z * Poly(z, 1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240,
                                 1.0 / 132, -691.0 / 32760, 1.0 / 12);
  return static_cast<T>(y + std::log(x) - 0.5 / x - series);
}

}  // namespace gk::math

#endif  // GK_KERNELS_MATH_SPECIAL_H_
