// Modified Bessel functions of the second kind, orders 0 and 1, and the
// derivatives of the incomplete gamma function, and of what has a gamma
// distribution, in the parameter; in double precision. Every loop is bounded.
// Pure functions.
#ifndef GK_KERNELS_MATH_BESSEL_K_H_
#define GK_KERNELS_MATH_BESSEL_K_H_

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/math/gamma_sample.h"
#include "kernels/math/gamma_series.h"
#include "kernels/math/special_gamma.h"

namespace gk::math {

// e^x K(order, x) by the integral DLMF 10.32.9: the trapezoidal rule
// converges faster than any power of its step for such integrands.
template <int kOrder>
inline double ScaledBesselK(double x) {
  if (std::isnan(x)) return x;
  if (x <= 0) return kInf<double>;  // below zero as at zero, as in TensorFlow
  if (std::isinf(x)) return 0;
  if (x < 1e-10) {
    // Leading terms, DLMF 10.31.
    return kOrder == 0 ? -std::log(0.5 * x) - std::numbers::egamma : 1 / x;
  }
  constexpr double kStep = 1.0 / 16;
  // Far out the integrand is a bell of width 1 / sqrt(x).
  const double step = kStep * std::min(1.0, 4 / std::sqrt(x));
  double sum = 0.5;
  for (int i = 1; i < 10000; ++i) {
    const double s = std::sinh(0.5 * step * i);
    const double drop = 2 * s * s;  // cosh(t) - 1
    const double term = std::exp(-x * drop) * (kOrder == 0 ? 1.0 : 1.0 + drop);
    sum += term;
    if (term < sum * 1e-18) break;
  }
  return sum * step;
}

template <int kOrder>
inline double BesselK(double x) {
  if (x < 0) return kInf<double>;
  return ScaledBesselK<kOrder>(x) * std::exp(-x);
}

// d Igamma(a, x) / da, term by term from DLMF 8.7.1; for large arguments by
// differences.
template <bool kFloat = false>
inline double IgammaGradA(double a, double x) {
  if (x == 0) return 0;
  if (!(a > 0) || !(x >= 0)) return kNan<double>;
  if (std::isinf(x) || std::isinf(a)) return 0;
  if (a > 2000 || x > 2000) {
    const double density = std::exp((a - 1) * std::log(x) - x - Lgamma(a));
    return density > 0 ? -density * GammaSampleGradA<kFloat>(a, x) : 0;
  }
  return IgammaSeriesInA(a, x, std::exp(a * std::log(x) - x - Lgamma(a + 1)),
                         20000, kLastTerm<kFloat>);
}

}  // namespace gk::math

#endif  // GK_KERNELS_MATH_BESSEL_K_H_
