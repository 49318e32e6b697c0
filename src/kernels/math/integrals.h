// Integrals without closed form, of double numbers.
#ifndef GK_KERNELS_MATH_INTEGRALS_H_
#define GK_KERNELS_MATH_INTEGRALS_H_

#include <cmath>
#include <limits>
#include <numbers>

namespace gk::math {

namespace internal {

// sum of c[k] T_k(u), u in [-1, 1]: Clenshaw's recurrence.
template <int kCount>
double ChebyshevSum(const double (&c)[kCount], double u) {
  double a = 0, b = 0;
  for (int k = kCount - 1; k > 0; --k) {
    const double next = 2 * u * a - b + c[k];
    b = a;
    a = next;
  }
  return u * a - b + c[0];
}

inline constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

}  // namespace internal

// exp(-x^2) times the integral of exp(t^2) from 0 to x. Rybicki's sum of
// Gaussians at distances of 1/4, whose error is exp(-(2 pi)^2) (Computers in
// Physics 3, 1989).
inline double Dawson(double x) {
  const double size = std::abs(x);
  if (!(size > 0.2)) {
    const double s = x * x;
    return x *
           (1 -
            s * 2 / 3 *
                (1 -
                 s * 2 / 5 *
                     (1 - s * 2 / 7 *
                              (1 - s * 2 / 9 *
                                       (1 - s * 2 / 11 *
                                                (1 - s * 2 / 13 *
                                                         (1 - s * 2 / 15)))))));
  }
  if (size > 50) {
    const double s = 1 / (2 * x * x);
    return 1 / (2 * x) * (1 + s * (1 + 3 * s * (1 + 5 * s * (1 + 7 * s))));
  }
  constexpr double kStep = 0.25;
  constexpr int kTerms = 13;
  static const auto gaussians = [] {
    struct {
      double c[kTerms];
    } g;
    for (int i = 0; i < kTerms; ++i) {
      const double at = (2 * i + 1) * kStep;
      g.c[i] = std::exp(-at * at);
    }
    return g;
  }();
  const double n = 2 * std::floor(0.5 * size / kStep + 0.5);
  const double rest = size - n * kStep;
  double up = std::exp(2 * rest * kStep);
  const double squared = up * up;
  double sum = 0;
  for (int i = 0; i < kTerms; ++i) {
    sum += gaussians.c[i] * (up / (n + 1 + 2 * i) + 1 / ((n - 1 - 2 * i) * up));
    up *= squared;
  }
  return std::copysign(std::numbers::inv_sqrtpi * std::exp(-rest * rest) * sum,
                       x);
}

// The principal value of the integral of exp(t) / t up to x; NaN below zero.
inline double ExpIntegral(double x) {
  if (std::isnan(x) || x < 0 || std::isinf(x)) return internal::kNotANumber;
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (x <= 40) {
    double term = 1, sum = 0;
    for (int k = 1; k < 200; ++k) {
      term *= x / k;
      const double next = sum + term / k;
      if (next == sum) break;
      sum = next;
    }
    return std::numbers::egamma + std::log(x) + sum;
  }
  double term = 1, sum = 1;
  for (int k = 1; k < 40; ++k) {
    term *= k / x;
    if (term < 1e-17) break;
    sum += term;
  }
  return std::exp(x) * sum / x;
}

// The integrals of cos(pi t^2 / 2) and sin(pi t^2 / 2) from 0 to x. Beyond 1.5
// by what is left of them, f and g in Abramowitz and Stegun 7.3: pi x f and
// pi^2 x^3 g as Chebyshev sums in 1 / x^2.
template <bool kSine>
double Fresnel(double x) {
  const double size = std::abs(x), square = size * size;
  if (std::isnan(x)) return x;
  if (size < 1.5) {
    const double a = std::numbers::pi / 2 * square;
    double power = kSine ? a : 1, sum = 0;
    for (int k = kSine ? 1 : 0; k < 60; k += 2) {
      const double next = sum + power / (2 * k + 1);
      if (next == sum) break;
      sum = next;
      power *= -a * a / ((k + 1) * (k + 2));
    }
    return x * sum;
  }
  if (size > 1e8) return std::copysign(0.5, x);
  constexpr double kF[] = {
      0.98312677132196234224,      -0.021357260142684198855,
      -0.0037966558345303648903,   0.00066124524725457296741,
      -0.000040960973761774519723, -9.7911882132508207071e-6,
      4.1888238512176718575e-6,    -8.4203181763456575138e-7,
      6.0972273927747200107e-8,    3.008967017251401947e-8,
      -1.6685793505525181441e-8,   4.9631292702261844443e-9,
      -8.8187845896559151184e-10,  -2.5665206485651743047e-11,
      9.9712459599687095475e-11,   -5.023291403168892876e-11,
      1.6642583352702372128e-11,   -3.6404729279013465443e-12,
      1.1452944195711182026e-13,   3.9099841012171582822e-13,
      -2.5620098221081859951e-13,  1.0851841929367244415e-13,
      -3.3941263612081382305e-14,  6.5774690618708788667e-15,
      6.6725324382928081775e-16,   -1.4686029952813688656e-15,
      9.1502497142912050596e-16,   -4.080081719148045291e-16,
      1.4057927002398951163e-16,   -3.2954259797778831274e-17};
  constexpr double kG[] = {
      0.9288072494674205526,      -0.087281783566399380411,
      -0.011820035634755689176,   0.0038570173016232704389,
      -0.00048497261282631869494, -0.000028203155051090631076,
      0.000033422852931274006269, -0.000010085443505306373111,
      1.6304496502959051581e-6,   8.2396600591464425252e-8,
      -1.7227705608132349729e-7,  7.3898892859955439637e-8,
      -1.9969875799038197811e-8,  2.7187158372428835615e-9,
      7.1944000316392904594e-10,  -7.1546681830801778881e-10,
      3.2583343274056546678e-10,  -1.0323621127786837748e-10,
      2.0171810730179837863e-11,  1.4672802032632148695e-12,
      -3.7898194852617770502e-12, 2.2651655943412153196e-12,
      -9.4165209996720033986e-13, 2.8971865479227231487e-13,
      -5.0783293575635190304e-14, -1.1517155754482875959e-14,
      1.6715323461981790382e-14,  -1.0156566912276956392e-14,
      4.5520226917178695687e-15,  -1.5826028911761392118e-15,
      3.6710951868708468833e-16,  1.2719215901953379331e-17,
      -7.9097060779023972649e-17, 5.9385065976105301702e-17,
      -3.1474657498785849379e-17, 1.3340886510435053749e-17};
  const double u = 2 * 2.25 / square - 1;
  const double f = internal::ChebyshevSum(kF, u) / (std::numbers::pi * size);
  const double g = internal::ChebyshevSum(kG, u) /
                   (std::numbers::pi * std::numbers::pi * square * size);
  // x^2 modulo 4 first: the product with pi would lose what matters.
  const double angle = std::numbers::pi / 2 * std::fmod(square, 4.0);
  const double s = std::sin(angle), c = std::cos(angle);
  const double value = kSine ? 0.5 - f * c - g * s : 0.5 + f * s - g * c;
  return std::copysign(value, x);
}

// The integral of ln t / (1 - t) from 1 to x: the dilogarithm of 1 - x. NaN
// below zero.
inline double Spence(double x) {
  constexpr double kEnd = std::numbers::pi * std::numbers::pi / 6;
  if (std::isnan(x) || x < 0 || std::isinf(x)) return internal::kNotANumber;
  if (x == 0) return kEnd;
  if (x == 1) return 0;
  if (x < 0.5) return kEnd - std::log(x) * std::log1p(-x) - Spence(1 - x);
  const double log = std::log(x);
  if (x > 2) return -0.5 * log * log - Spence(1 / x);
  // In powers of -ln x, with Bernoulli's numbers over factorials.
  const double u = -log, s = u * u;
  constexpr double kTerms[] = {1.0 / 36,
                               -1.0 / 3600,
                               1.0 / 211680,
                               -1.0 / 10886400,
                               1.89788699889709991e-9,
                               -4.06476164514422553e-11,
                               8.92169102045645256e-13,
                               -1.99392958607210757e-14,
                               4.51898002961991819e-16};
  double sum = 0;
  for (int k = 8; k >= 0; --k) sum = kTerms[k] + s * sum;
  return u - s / 4 + u * s * sum;
}

}  // namespace gk::math

#endif  // GK_KERNELS_MATH_INTEGRALS_H_
