// The derivative of a gamma deviate in its shape parameter, in double
// precision. Every loop is bounded. A pure function.
#ifndef GK_KERNELS_MATH_GAMMA_SAMPLE_H_
#define GK_KERNELS_MATH_GAMMA_SAMPLE_H_

#include <cmath>

#include "kernels/math/gamma_series.h"
#include "kernels/math/special_gamma.h"

namespace gk::math {

// With P(a, x) the distribution function and p its density, a sample of a given
// P moves by -(dP/da) / p when a grows (implicit reparameterization).

// P and its derivative term by term as in DLMF 8.7.1, each divided by p, so
// that nothing underflows where the density does.
template <bool kFloat>
inline double GammaSampleGradBySeries(double a, double x) {
  return -IgammaSeriesInA(a, x, x / a, 100000, kLastTerm<kFloat>);
}

// Far out in the upper tail, where 1 - P is p times the integral over u of
// e^-u (1 + u/x)^(a-1): the trapezoidal rule after u = e^(t - e^-t).
inline double GammaSampleGradOfTail(double a, double x) {
  const double log_x_over_psi = std::log(x) - Digamma(a);
  const double rate = a > 1 ? 1 - (a - 1) / x : 1;
  constexpr double kStep = 1.0 / 32;
  double sum = 0;
  for (int i = -160; i <= 160; ++i) {
    const double t = i * kStep, inner = std::exp(-t);
    const double u = std::exp(t - inner) / rate;
    const double longer = std::log1p(u / x);
    const double weight = u * (1 + inner) * std::exp((a - 1) * longer - u);
    if (weight > 0) sum += weight * (log_x_over_psi + longer);
  }
  return sum * kStep;
}

template <bool kFloat = false>
inline double GammaSampleGradA(double a, double x) {
  if (x == 0) return 0;
  if (!(a > 0) || !(x >= 0)) return kNan<double>;
  if (std::isinf(a) || std::isinf(x)) return 0;  // as TensorFlow
  const double wide = std::sqrt(a);
  if (a > 1e6) {
    // Cornish and Fisher: x = a + z sqrt(a) + (z^2 - 1)/3 + (z^3 -
    // 7z)/36sqrt(a).
    const double w = (x - a) / wide, z = w - (w * w - 1) / (3 * wide);
    return 1 + z / (2 * wide) - (z * z * z - 7 * z) / (72 * a * wide);
  }
  return x > a + 12 * wide + 10 ? GammaSampleGradOfTail(a, x)
                                : GammaSampleGradBySeries<kFloat>(a, x);
}

}  // namespace gk::math

#endif  // GK_KERNELS_MATH_GAMMA_SAMPLE_H_
