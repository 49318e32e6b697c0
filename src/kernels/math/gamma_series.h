// The derivative of the incomplete gamma function in its parameter, as a
// series. A pure function; its loop is bounded.
#ifndef GK_KERNELS_MATH_GAMMA_SERIES_H_
#define GK_KERNELS_MATH_GAMMA_SERIES_H_

#include <cmath>

#include "kernels/math/special_gamma.h"

namespace gk::math {

// Of DLMF 8.7.1, term by term, at most `most` of them; `term` is the first one
// of the function's own series, times whatever the result shall be times.
inline double IgammaSeriesInA(double a, double x, double term, int most) {
  const double log_x = std::log(x);
  double psi = Digamma(a + 1), sum = 0;
  for (int n = 0; n < most; ++n) {
    const double change = term * (log_x - psi);
    sum += change;
    if (n > x - a && term <= 1e-18 * Abs(sum) &&
        Abs(change) <= 1e-17 * Abs(sum)) {
      break;
    }
    psi += 1 / (a + n + 1);
    term *= x / (a + n + 1);
  }
  return sum;
}

}  // namespace gk::math

#endif  // GK_KERNELS_MATH_GAMMA_SERIES_H_
