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
#include "kernels/math/exp_log.h"
#include "kernels/math/integrals.h"
#include "kernels/math/special.h"
#include "kernels/value.h"

namespace gk::math {

// F between 2^kLow and 2^kHigh.
template <double (*F)(double), int kLow, int kHigh>
class Tabulated {
 public:
  // One copy for the loops of all levels.
  [[gnu::noinline]] static const Tabulated& Get() {
    static const Tabulated table;
    return table;
  }
  template <class T>
  GK_INLINE static bool Has(T x) {
    return (x >= T(kLeast)) & (x < T(kEnd));
  }
  // F(x) where Has(x), elsewhere some number: in loops no branch.
  GK_INLINE double Of(double x) const {
    const uint64_t bits = std::bit_cast<uint64_t>(x);
    const uint64_t part = (bits >> kRestBits) - kFirst;
    const auto at = static_cast<int64_t>(part < kParts ? part : 0) * kTerms;
    const double* const c = terms_;
    // What is left of the mantissa, from -1 to 1.
    const double t =
        2 * std::bit_cast<double>((bits << 3 & kMantissa) | kOne) - 3;
    const double s = t * t;
    const double even =
        ((c[at + 6] * s + c[at + 4]) * s + c[at + 2]) * s + c[at];
    const double odd =
        ((c[at + 7] * s + c[at + 5]) * s + c[at + 3]) * s + c[at + 1];
    return odd * t + even;
  }

 private:
  static constexpr int kRestBits = 49, kTerms = 8;
  static constexpr uint64_t kOne = uint64_t{1023} << 52,
                            kMantissa = (uint64_t{1} << 52) - 1,
                            kFirst = uint64_t{1023 + kLow} << 3,
                            kParts = (kHigh - kLow) * 8;
  static constexpr double kLeast = std::bit_cast<double>(kFirst << kRestBits),
                          kEnd = std::bit_cast<double>((kFirst + kParts)
                                                       << kRestBits);

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
      double* const c = terms_ + part * kTerms;
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

  alignas(64) double terms_[kParts * kTerms] = {};
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
//
// Each has a table, of which Of() makes the value where Takes() holds; these
// vectorise. Elsewhere() has the other numbers.

template <class Q>
inline double Quickly(double x) {
  return Q::Takes(x) ? Q::Of(Q::Table::Get(), x) : Q::Elsewhere(x);
}

// As a functor of TileBody: Q for floats, kExact for doubles.
template <class Q, auto kExact>
struct QuickCall {
  struct UsualWay {
    GK_INLINE static bool Takes(float x) { return Q::Takes(x); }
    GK_INLINE float operator()(float x) const {
      return static_cast<float>(Q::Of(table, static_cast<double>(x)));
    }
    const typename Q::Table& table = Q::Table::Get();
  };
  template <class V>
  GK_INLINE V operator()(V v) const {
    return CallByPrecision<Quickly<Q>, kExact>(v);
  }
};

// F itself.
template <double (*F)(double), int kLow, int kHigh>
struct ByTable {
  using Table = Tabulated<F, kLow, kHigh>;
  template <class T>
  GK_INLINE static bool Takes(T x) {
    return Table::Has(x);
  }
  GK_INLINE static double Of(const Table& table, double x) {
    return table.Of(x);
  }
  static double Elsewhere(double x) { return F(x); }
};

// F of |x|, with the sign of x if it is odd.
template <double (*F)(double), int kLow, int kHigh, bool kOdd = true>
struct BySize {
  using Table = Tabulated<F, kLow, kHigh>;
  template <class T>
  GK_INLINE static bool Takes(T x) {
    return Table::Has(Abs(x));
  }
  GK_INLINE static double Of(const Table& table, double x) {
    return Signed(table.Of(Abs(x)), x);
  }
  static double Elsewhere(double x) { return Signed(F(Abs(x)), x); }

 private:
  GK_INLINE static double Signed(double y, double x) {
    return kOdd ? CopySign(1.0, x) * y : y;
  }
};

template <int kOrder>
using QuickScaledBesselK = ByTable<ScaledBesselK<kOrder>, -8, 7>;
template <int kOrder>
struct QuickBesselK : QuickScaledBesselK<kOrder> {
  using Table = typename QuickScaledBesselK<kOrder>::Table;
  GK_INLINE static double Of(const Table& table, double x) {
    return table.Of(x) * ExpOfNegative(-x);
  }
  static double Elsewhere(double x) { return BesselK<kOrder>(x); }
};
using QuickDawson = BySize<Dawson, -8, 7>;
using QuickExpIntegral = ByTable<ExpIntegral, -8, 4>;
template <bool kSine>
using QuickFresnel = BySize<Fresnel<kSine>, -8, 1>;

// Without its zero at 1.
inline double SpenceOverRest(double x) { return Spence(x) / (1 - x); }
struct QuickSpence : ByTable<SpenceOverRest, -8, 7> {
  template <class T>
  GK_INLINE static bool Takes(T x) {
    return Table::Has(x) & (x != T(1));
  }
  GK_INLINE static double Of(const Table& table, double x) {
    return table.Of(x) * (1 - x);
  }
  static double Elsewhere(double x) { return Spence(x); }
};

// Without its zeros at 1 and 2.
inline double LgammaOverZeros(double x) {
  return Lgamma(x) / ((x - 1) * (x - 2));
}
struct LgammaByTable : ByTable<LgammaOverZeros, -8, 7> {
  template <class T>
  GK_INLINE static bool Takes(T x) {
    return Table::Has(x) & (x != T(1)) & (x != T(2));
  }
  GK_INLINE static double Of(const Table& table, double x) {
    return table.Of(x) * ((x - 1) * (x - 2));
  }
  static double Elsewhere(double x) { return Lgamma(x); }
};
inline double QuickLgamma(double x) { return Quickly<LgammaByTable>(x); }
using QuickDigamma = ByTable<Digamma<double>, -8, 7>;

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
