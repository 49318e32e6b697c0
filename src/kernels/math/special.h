// Special functions with no vectorised form: plain calls of the C library or
// short series in double precision. A float is computed in double. Digamma:
// DLMF 5.5.2, 5.5.4 and 5.11.2. Pure functions.
#ifndef GK_KERNELS_MATH_SPECIAL_H_
#define GK_KERNELS_MATH_SPECIAL_H_

#include <math.h>

#include <cmath>
#include <numbers>

#include "kernels/math/rounding.h"

namespace gk::math {

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
