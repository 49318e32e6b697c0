// Incomplete gamma and beta functions, zeta, polygamma and the modified
// Bessel functions of orders 0 and 1, in double precision; a float is
// computed in double. Series and continued fractions of the NIST Digital
// Library of Mathematical Functions (section named at each), the fractions
// by Lentz's method. Every loop is bounded. Pure functions.
#ifndef GK_KERNELS_MATH_SPECIAL_GAMMA_H_
#define GK_KERNELS_MATH_SPECIAL_GAMMA_H_

#include <cmath>
#include <numbers>
#include <utility>

#include "kernels/math/special.h"

namespace gk::math {

// Of terms that no more is added of: what doubles need, and floats.
template <bool kFloat>
inline constexpr double kLeastTerm = kFloat ? 1e-11 : 1e-17;

// The lower regularized incomplete gamma function where `lower`, else the
// upper. DLMF 8.11.4 (series) and 8.9.2 (fraction). The number of terms
// grows like sqrt(a); past the bound the normal limit is as good.
template <bool kFloat = false, auto kLgamma = &Lgamma<double>>
inline double RegularizedGamma(double a, double x, bool lower) {
  // Nothing lies below 0, whatever the parameter.
  if (x == 0 && lower) return 0;
  if (!(a > 0) || !(x >= 0)) return kNan<double>;
  if (x == 0) return 1;
  // Of both infinite, which have no limit, TensorFlow says 0.
  if (std::isinf(a)) return std::isinf(x) || lower ? 0 : 1;
  if (std::isinf(x)) return lower ? 1 : 0;
  constexpr int kTerms = 20000;
  if (a > 1e7) {
    // Wilson and Hilferty: the cube root is nearly normal.
    const double t = (std::cbrt(x / a) - (1 - 1 / (9 * a))) * 3 * std::sqrt(a);
    return 0.5 * std::erfc((lower ? -t : t) / std::numbers::sqrt2);
  }
  const double front = std::exp(a * std::log(x) - x - kLgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (int n = 1; n < kTerms && term > sum * kLeastTerm<kFloat>; ++n) {
      term *= x / (a + n);
      sum += term;
    }
    return lower ? sum * front : 1 - sum * front;
  }
  static constexpr double kTiny = 1e-300;
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, h = d;
  for (int n = 1; n < kTerms; ++n) {
    const double an = -n * (n - a);
    b += 2;
    d = an * d + b;
    d = 1 / (Abs(d) < kTiny ? kTiny : d);
    c = b + an / c;
    c = Abs(c) < kTiny ? kTiny : c;
    h *= d * c;
    if (Abs(d * c - 1) < 10 * kLeastTerm<kFloat>) break;
  }
  return lower ? 1 - front * h : front * h;
}

template <class T>
inline T Igamma(T a, T x) {
  return static_cast<T>(RegularizedGamma(a, x, true));
}

template <class T>
inline T Igammac(T a, T x) {
  return static_cast<T>(RegularizedGamma(a, x, false));
}

// Hurwitz's zeta(x, q) for x > 1: a direct sum and Euler-Maclaurin's
// formula, DLMF 25.11.5.
template <class T, bool kFloat = false>
inline T Zeta(T x_value, T q_value) {
  const double x = x_value, q = q_value;
  if (std::isnan(x) || std::isnan(q) || x < 1) return kNan<T>;
  if (x == 1) return kInf<T>;
  if (std::isinf(x)) return q < 1 ? kInf<T> : (q == 1 ? T(1) : T(0));
  if (q <= 0) {
    // Poles; of odd order they have two signs.
    if (q == std::floor(q)) return std::fmod(x, 2) == 0 ? kInf<T> : kNan<T>;
    if (x != std::floor(x) || q < -1e6) return kNan<T>;
  }
  if (std::isinf(q)) return T(0);
  double sum = 0, at = q;
  // The formula's error falls with the 15th power of where it begins.
  const double begin = kFloat && x < 8 ? 6 : 12;
  const int whole = kFloat && x <= 16 ? static_cast<int>(x) : 0;
  const bool by_factors = whole == x;
  const auto power_of = [&](double v) {
    if (by_factors) {
      double product = v;
      for (int k = 1; k < whole; ++k) product *= v;
      return 1 / product;
    }
    return kFloat && v > 0 ? std::exp(-x * std::log(v)) : std::pow(v, -x);
  };
  while (at < begin) {
    sum += power_of(at);
    at += 1;
  }
  const double power = power_of(at);
  sum += power * at / (x - 1) + 0.5 * power;
  // B(2k) / (2k)!
  constexpr double kBernoulli[] = {1.0 / 12,           -1.0 / 720,
                                   1.0 / 30240,        -1.0 / 1209600,
                                   1.0 / 47900160,     -691.0 / 1307674368000.0,
                                   1.0 / 74724249600.0};
  double factor = x * power / at;
  for (int k = 0; k < 7; ++k) {
    sum += kBernoulli[k] * factor;
    factor *= (x + 2 * k + 1) * (x + 2 * k + 2) / (at * at);
  }
  return static_cast<T>(sum);
}

// The n-th derivative of digamma, DLMF 5.15.1.
template <class T, bool kFloat = false>
inline T Polygamma(T n_value, T x) {
  const double n = n_value;
  if (!(n >= 0) || n != std::floor(n)) return kNan<T>;
  if (n == 0) return Digamma(x);
  const double sign = std::fmod(n, 2) == 1 ? 1 : -1;
  double factorial = 1;
  for (int k = 2; n <= 20 && k <= n; ++k) factorial *= k;
  if (n > 20) factorial = std::exp(Lgamma(n + 1));
  return static_cast<T>(sign * factorial * Zeta<double, kFloat>(n + 1, x));
}

// The regularized incomplete beta function, DLMF 8.17.22.
template <class T, bool kFloat = false, auto kLgamma = &Lgamma<double>>
inline T Betainc(T a_value, T b_value, T x_value) {
  double a = a_value, b = b_value, x = x_value;
  if (!(a > 0) || !(b > 0) || !(x >= 0 && x <= 1)) return kNan<T>;
  if (x == 0 || x == 1) return x_value;
  const bool mirrored = x > (a + 1) / (a + b + 2);
  const double front = std::exp(a * std::log(x) + b * std::log1p(-x) +
                                kLgamma(a + b) - kLgamma(a) - kLgamma(b));
  if (mirrored) {
    std::swap(a, b);
    x = 1 - x;
  }
  static constexpr double kTiny = 1e-300;
  const auto safe = [](double v) { return Abs(v) < kTiny ? kTiny : v; };
  double c = 1, d = 1 / safe(1 - (a + b) * x / (a + 1)), h = d;
  for (int m = 1; m < 20000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / safe(1 + even * d);
    c = safe(1 + even / c);
    h *= d * c;
    const double odd =
        -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / safe(1 + odd * d);
    c = safe(1 + odd / c);
    h *= d * c;
    if (Abs(d * c - 1) < 10 * kLeastTerm<kFloat>) break;
  }
  const double y = front * h / a;
  return static_cast<T>(mirrored ? 1 - y : y);
}

// e^-|x| I(order, x): power series DLMF 10.25.2, far out 10.40.1.
template <int kOrder>
inline double ScaledBesselI(double x) {
  const double a = Abs(x);
  double sum;
  if (a < 30) {
    const double z = 0.25 * a * a;
    double term = kOrder == 0 ? 1 : 0.5 * a;
    sum = term;
    for (int k = 1; k < 200 && term > sum * 1e-17; ++k) {
      term *= z / (static_cast<double>(k) * (k + kOrder));
      sum += term;
    }
    sum *= std::exp(-a);
  } else {
    double term = 1;
    sum = 1;
    for (int k = 1; k < 30; ++k) {
      term *=
          -(4.0 * kOrder * kOrder - (2 * k - 1) * (2 * k - 1)) / (8.0 * k * a);
      sum += term;
      if (Abs(term) < 1e-17) break;
    }
    sum /= std::sqrt(2 * std::numbers::pi * a);
  }
  return kOrder == 1 && x < 0 ? -sum : sum;
}

template <class T>
inline T BesselI0e(T x) {
  return static_cast<T>(ScaledBesselI<0>(x));
}
template <class T>
inline T BesselI1e(T x) {
  return static_cast<T>(ScaledBesselI<1>(x));
}
// The exponential in two factors: it overflows before the product does.
template <class T>
inline T BesselI0(T x) {
  const double root = std::exp(0.5 * Abs(static_cast<double>(x)));
  return std::isinf(x) ? kInf<T>
                       : static_cast<T>(ScaledBesselI<0>(x) * root * root);
}
template <class T>
inline T BesselI1(T x) {
  const double root = std::exp(0.5 * Abs(static_cast<double>(x)));
  return std::isinf(x) ? x : static_cast<T>(ScaledBesselI<1>(x) * root * root);
}

}  // namespace gk::math

#endif  // GK_KERNELS_MATH_SPECIAL_GAMMA_H_
