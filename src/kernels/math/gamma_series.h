// The derivative of the incomplete gamma function in its parameter, as a
// series. A pure function; its loop is bounded.
#ifndef GK_KERNELS_MATH_GAMMA_SERIES_H_
#define GK_KERNELS_MATH_GAMMA_SERIES_H_

#include <cmath>

#include "kernels/math/special_gamma.h"

namespace gk::math {

// What the last term may be of the sum.
template <bool kFloat>
inline constexpr double kLastTerm = kFloat ? 1e-11 : 1e-18;

// Of DLMF 8.7.1, term by term, at most `most` of them; `term` is the first one
// of the function's own series, times whatever the result shall be times.
inline double IgammaSeriesInA(double a, double x, double term, int most,
                              double last) {
  const double log_x = std::log(x);
  double psi = Digamma(a + 1), sum = 0;
  for (int n = 0; n < most; ++n) {
    const double change = term * (log_x - psi);
    sum += change;
    if (n > x - a && term <= last * Abs(sum) &&
        Abs(change) <= 10 * last * Abs(sum)) {
      break;
    }
    const double step = 1 / (a + n + 1);
    psi += step;
    term *= x * step;
  }
  return sum;
}

}  // namespace gk::math

#endif  // GK_KERNELS_MATH_GAMMA_SERIES_H_
