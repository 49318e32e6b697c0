// Functions of one number by polynomials, exact to some 1e-11: what a float
// needs of functions whose own series take long.
//
// Every octave of the domain is cut in eight parts, each with the polynomial
// that meets the function at Chebyshev's points; the polynomials are made when
// the function is first called, in less than a millisecond. Thread-safe.
#ifndef GK_KERNELS_MATH_TABULATED_H_
#define GK_KERNELS_MATH_TABULATED_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <type_traits>

#include "kernels/math/bessel_k.h"
#include "kernels/math/integrals.h"
#include "kernels/math/special.h"
#include "kernels/value.h"

namespace gk::math {

// F between 2^kLow and 2^kHigh; elsewhere F itself is called.
template <double (*F)(double), int kLow, int kHigh>
class Tabulated {
 public:
  static double At(double x) {
    const uint64_t bits = std::bit_cast<uint64_t>(x);
    const uint64_t part = (bits >> kRestBits) - kFirst;
    // Numbers below zero and no numbers have larger bits.
    if (part >= kParts) [[unlikely]]
      return F(x);
    static const Tabulated table;
    const double* c = table.terms_[part];
    // What is left of the mantissa, from -1 to 1.
    const double t =
        2 * std::bit_cast<double>((bits << 3 & kMantissa) | kOne) - 3;
    const double s = t * t;
    const double even = ((c[6] * s + c[4]) * s + c[2]) * s + c[0];
    const double odd = ((c[7] * s + c[5]) * s + c[3]) * s + c[1];
    return odd * t + even;
  }
  // Of odd functions.
  static double OddAt(double x) {
    return std::copysign(1.0, x) * At(std::abs(x));
  }

 private:
  static constexpr int kRestBits = 49, kTerms = 8;
  static constexpr uint64_t kOne = uint64_t{1023} << 52,
                            kMantissa = (uint64_t{1} << 52) - 1,
                            kFirst = uint64_t{1023 + kLow} << 3,
                            kParts = (kHigh - kLow) * 8;

  Tabulated() {
    for (uint64_t part = 0; part < kParts; ++part) {
      const double from = std::bit_cast<double>((kFirst + part) << kRestBits);
      const double to = std::bit_cast<double>((kFirst + part + 1) << kRestBits);
      double values[kTerms];
      for (int j = 0; j < kTerms; ++j) {
        const double u = std::cos(std::numbers::pi * (j + 0.5) / kTerms);
        values[j] = F(0.5 * (from + to) + 0.5 * (to - from) * u);
      }
      // Chebyshev's polynomials in powers of t, each from the two before it.
      double before[kTerms] = {}, last[kTerms] = {1};
      double* const c = terms_[part];
      for (int k = 0; k < kTerms; ++k) {
        double sum = 0;
        for (int j = 0; j < kTerms; ++j) {
          sum +=
              values[j] * std::cos(std::numbers::pi * k * (j + 0.5) / kTerms);
        }
        sum *= (k == 0 ? 1.0 : 2.0) / kTerms;
        double next[kTerms] = {};
        for (int i = 0; i < kTerms; ++i) {
          c[i] += sum * last[i];
          next[i] = (i == 0 ? 0 : (k == 0 ? 1 : 2) * last[i - 1]) - before[i];
        }
        for (int i = 0; i < kTerms; ++i) {
          before[i] = last[i];
          last[i] = next[i];
        }
      }
    }
  }

  alignas(64) double terms_[kParts][kTerms] = {};
};

// What kExact is in double precision, by kQuick for floats.
template <auto kQuick, auto kExact, class V, class... W>
GK_INLINE V CallByPrecision(V v, W... w) {
  if constexpr (kIsFloatValue<V>) {
    return CallInDouble<kQuick>(v, w...);
  } else {
    return CallInDouble<kExact>(v, w...);
  }
}

// ---- Functions for floats ----

template <int kOrder>
inline double QuickScaledBesselK(double x) {
  return Tabulated<ScaledBesselK<kOrder>, -8, 7>::At(x);
}
template <int kOrder>
inline double QuickBesselK(double x) {
  if (!(x > 0)) return BesselK<kOrder>(x);
  return QuickScaledBesselK<kOrder>(x) * std::exp(-x);
}
inline double QuickDawson(double x) {
  return Tabulated<Dawson, -8, 7>::OddAt(x);
}
inline double QuickExpIntegral(double x) {
  return Tabulated<ExpIntegral, -8, 4>::At(x);
}
template <bool kSine>
inline double QuickFresnel(double x) {
  return Tabulated<Fresnel<kSine>, -8, 1>::OddAt(x);
}

// Without its zero at 1.
inline double SpenceOverRest(double x) { return Spence(x) / (1 - x); }
inline double QuickSpence(double x) {
  if (x == 1 || !(x > 0) || std::isinf(x)) return Spence(x);
  return Tabulated<SpenceOverRest, -8, 7>::At(x) * (1 - x);
}

// Without its zeros at 1 and 2.
inline double LgammaOverZeros(double x) {
  return Lgamma(x) / ((x - 1) * (x - 2));
}
inline double QuickLgamma(double x) {
  if (!(x >= 0x1p-8 && x < 0x1p7) || x == 1 || x == 2) return Lgamma(x);
  return Tabulated<LgammaOverZeros, -8, 7>::At(x) * ((x - 1) * (x - 2));
}
inline double QuickDigamma(double x) {
  return Tabulated<Digamma<double>, -8, 7>::At(x);
}

// ---- Of two and three numbers ----

inline double QuickIgamma(double a, double x) {
  return RegularizedGamma<true, &QuickLgamma>(a, x, true);
}
inline double QuickIgammac(double a, double x) {
  return RegularizedGamma<true, &QuickLgamma>(a, x, false);
}
inline double QuickBetainc(double a, double b, double x) {
  return Betainc<double, true, &QuickLgamma>(a, b, x);
}
inline double QuickZeta(double x, double q) { return Zeta<double, true>(x, q); }
inline double QuickPolygamma(double n, double x) {
  return Polygamma<double, true>(n, x);
}

}  // namespace gk::math

#endif  // GK_KERNELS_MATH_TABULATED_H_
