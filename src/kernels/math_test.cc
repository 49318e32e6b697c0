#include "kernels/math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

namespace gk {
namespace {

template <class T>
std::vector<T> Samples() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> x = {T(0),           -T(0),
                      T(1),           T(-1),
                      T(0.5),         T(-0.5),
                      T(2),           math::kInf<T>,
                      -math::kInf<T>, math::kNan<T>,
                      Limits::max(),  Limits::lowest(),
                      Limits::min(),  Limits::denorm_min(),
                      -Limits::min(), -Limits::denorm_min()};
  std::mt19937_64 random(7);
  if constexpr (sizeof(T) == 4) {
    // Evenly over all bit patterns.
    for (uint64_t bits = 0; bits < 0x100000000; bits += 65521) {
      x.push_back(std::bit_cast<T>(static_cast<uint32_t>(bits)));
    }
  } else {
    for (int i = 0; i < 60000; ++i) x.push_back(std::bit_cast<T>(random()));
  }
  for (const double range : {1.0, 12.0, 120.0, 800.0}) {
    std::uniform_real_distribution<double> uniform(-range, range);
    for (int i = 0; i < 20000; ++i)
      x.push_back(static_cast<T>(uniform(random)));
  }
  return x;
}

// The distance from the exact value in units of its last place; infinite
// where one is a NaN, an infinity or a zero of a sign and the other is not.
template <class T>
double UlpError(T got, long double want) {
  using Limits = std::numeric_limits<T>;
  const T rounded = static_cast<T>(want);
  if (std::isnan(rounded)) return std::isnan(got) ? 0 : HUGE_VAL;
  if (std::isinf(rounded) || rounded == 0 || std::isinf(got) ||
      std::isnan(got)) {
    if (got == rounded && std::signbit(got) == std::signbit(rounded)) return 0;
    if (std::isnan(got)) return HUGE_VAL;
    if (rounded == 0) {
      return std::signbit(got) == std::signbit(rounded)
                 ? static_cast<double>(std::fabs(got) / Limits::denorm_min())
                 : HUGE_VAL;
    }
    // One step around the largest number.
    return std::nextafter(std::isinf(got) ? rounded : got,
                          std::isinf(got) ? got : rounded) ==
                   (std::isinf(got) ? got : rounded)
               ? 1
               : HUGE_VAL;
  }
  const int exponent = std::max(std::ilogb(rounded), Limits::min_exponent - 1);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - want) /
                             std::ldexp(1.0L, exponent - (Limits::digits - 1)));
}

long double SigmoidRef(long double x) { return 1 / (1 + std::exp(-x)); }
long double SoftplusRef(long double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}
long double RsqrtRef(long double x) { return 1 / std::sqrt(x); }

template <class T>
using LoopFn = void(const T*, T*, int64_t);

template <class T, class Fn>
struct Loop {
  static GK_INLINE void Run(const T* __restrict in, T* __restrict out,
                            int64_t n) {
    for (int64_t i = 0; i < n; ++i) out[i] = Fn::Of(in[i]);
  }
};

// Holds the loop to `limit` units on every level this CPU has, and the levels
// to each other bit by bit; odd lengths go through the scalar tail.
template <class T, class Fn>
void Check(double limit, long double (*reference)(long double)) {
  const std::vector<T> x = Samples<T>();
  std::vector<T> best(x.size());
  Stamp<Loop<T, Fn>, LoopFn<T>>::Best()(x.data(), best.data(), x.size());
  double worst = 0;
  T at = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double error = UlpError(best[i], reference(x[i]));
    if (error > worst) {
      worst = error;
      at = x[i];
    }
  }
  std::printf("  %-9s %s %.3g ulp at %.9g\n", Fn::kName,
              sizeof(T) == 4 ? "float " : "double", worst, double(at));
  EXPECT_LE(worst, limit) << Fn::kName << " at " << at;
  for (const Isa isa : {Isa::kV2, Isa::kV3, Isa::kV4}) {
    if (isa > CurrentIsa()) continue;
    std::vector<T> other(x.size());
    Stamp<Loop<T, Fn>, LoopFn<T>>::For(isa)(x.data(), other.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      if (std::isnan(best[i]) && std::isnan(other[i])) continue;
      ASSERT_EQ(math::ToBits(best[i]), math::ToBits(other[i]))
          << Fn::kName << " of " << x[i] << " at level " << int(isa);
      const T alone = Fn::Of(x[i]);
      ASSERT_EQ(math::ToBits(best[i]), math::ToBits(alone));
    }
  }
}

#define GK_CHECK(Name, float_limit, double_limit, reference) \
  struct Name##Of {                                          \
    static constexpr const char* kName = #Name;              \
    template <class T>                                       \
    static GK_INLINE T Of(T x) {                             \
      return math::Name(x);                                  \
    }                                                        \
  };                                                         \
  TEST(MathTest, Name) {                                     \
    const auto exact = [](long double x) -> long double {    \
      return reference(x);                                   \
    };                                                       \
    Check<float, Name##Of>(float_limit, exact);              \
    Check<double, Name##Of>(double_limit, exact);            \
  }

GK_CHECK(Exp, 2, 2, std::exp)
GK_CHECK(Expm1, 2, 2, std::expm1)
GK_CHECK(Log, 1, 1, std::log)
GK_CHECK(Log1p, 2, 2, std::log1p)
GK_CHECK(Sigmoid, 2.5, 2.5, SigmoidRef)
GK_CHECK(Softplus, 2, 2, SoftplusRef)
GK_CHECK(Tanh, 2.5, 2, std::tanh)
GK_CHECK(Sinh, 3, 3, std::sinh)
GK_CHECK(Cosh, 3, 3, std::cosh)
GK_CHECK(Asinh, 2.5, 2.5, std::asinh)
GK_CHECK(Acosh, 2.5, 2.5, std::acosh)
GK_CHECK(Atanh, 2.5, 2.5, std::atanh)
GK_CHECK(Sqrt, 0.5, 0.5, std::sqrt)
GK_CHECK(Rsqrt, 1.5, 1.5, RsqrtRef)
GK_CHECK(Sin, 2, 1, std::sin)
GK_CHECK(Cos, 2, 1, std::cos)
GK_CHECK(Tan, 3.5, 1, std::tan)
GK_CHECK(Asin, 3, 1, std::asin)
GK_CHECK(Acos, 2, 1, std::acos)
GK_CHECK(Atan, 2, 2, std::atan)
GK_CHECK(Erf, 1.5, 1.5, std::erf)
GK_CHECK(Erfc, 1, 6, std::erfc)
GK_CHECK(Floor, 0, 0, std::floor)
GK_CHECK(Ceil, 0, 0, std::ceil)
GK_CHECK(Rint, 0, 0, std::rint)
GK_CHECK(Trunc, 0, 0, std::trunc)
#undef GK_CHECK

TEST(MathTest, PowMatchesDouble) {
  std::vector<float> x, y;
  const float special[] = {0,
                           -0.0f,
                           1,
                           -1,
                           2,
                           -2,
                           3,
                           -3,
                           0.5f,
                           1e-45f,
                           -1e-45f,
                           16777216.f,
                           1.5f,
                           math::kInf<float>,
                           -math::kInf<float>,
                           math::kNan<float>,
                           8388609.f,
                           -8388609.f};
  for (const float a : special) {
    for (const float b : special) {
      x.push_back(a);
      y.push_back(b);
    }
  }
  std::mt19937 random(3);
  std::uniform_real_distribution<float> base(0.9f, 1.1f), power(-900, 900);
  for (int i = 0; i < 100000; ++i) {
    x.push_back(std::bit_cast<float>(uint32_t(random())));
    y.push_back(std::bit_cast<float>(uint32_t(random())));
    x.push_back(base(random));
    y.push_back(power(random));
  }
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_LE(
        UlpError(math::Pow(x[i], y[i]), std::pow(double{x[i]}, double{y[i]})),
        0.51)
        << x[i] << " ^ " << y[i];
  }
}

TEST(MathTest, InversesOfErfAndNormal) {
  for (double p = 1e-300; p < 1; p = p < 0.01 ? p * 3.7 : p + 0.0123) {
    const double x = math::Ndtri(p);
    const double back = 0.5 * std::erfc(-x / std::sqrt(2.0));
    EXPECT_NEAR(back / p, 1, 1e-15 * std::max(4.0, 4 * x * x)) << p;
    const double e = math::Erfinv(p);
    EXPECT_NEAR(std::erf(e) / p, 1, 1e-15) << p;
    EXPECT_EQ(math::Erfinv(-p), -e);
  }
  EXPECT_EQ(math::Erfinv(1.0f), math::kInf<float>);
  EXPECT_EQ(math::Ndtri(0.0), -math::kInf<double>);
  EXPECT_TRUE(std::isnan(math::Erfinv(1.5)));
  EXPECT_TRUE(std::isnan(math::Ndtri(-0.1f)));
}

TEST(MathTest, DigammaAndLgamma) {
  EXPECT_DOUBLE_EQ(math::Digamma(1.0), -0.57721566490153286);
  EXPECT_DOUBLE_EQ(math::Digamma(0.5), -1.9635100260214235);
  EXPECT_NEAR(math::Digamma(-0.5), 0.036489973978576520, 4e-16);
  EXPECT_DOUBLE_EQ(math::Digamma(1e-20), -1e20);
  EXPECT_TRUE(std::isnan(math::Digamma(-3.0f)));
  EXPECT_TRUE(std::isnan(math::Digamma(-0.0)));
  EXPECT_DOUBLE_EQ(math::Lgamma(10.0), 12.801827480081469);
  EXPECT_EQ(math::Lgamma(-2.0f), math::kInf<float>);
}

TEST(MathTest, RemainderAndNeighbours) {
  EXPECT_EQ(math::FloorMod(-7.0f, 3.0f), 2.0f);
  EXPECT_EQ(math::FloorMod(7.0, -3.0), -2.0);
  EXPECT_TRUE(std::isnan(math::FloorMod(1.0, 0.0)));
  const std::vector<float> x = Samples<float>();
  for (size_t i = 0; i + 1 < x.size(); ++i) {
    const float got = math::NextAfter(x[i], x[i + 1]);
    const float want = std::nextafter(x[i], x[i + 1]);
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(got));
    } else {
      EXPECT_EQ(math::ToBits(got), math::ToBits(want)) << x[i];
    }
  }
  EXPECT_EQ(math::Xlogy(0.0f, 0.0f), 0.0f);
  EXPECT_EQ(math::Xdivy(0.0, 0.0), 0.0);
  EXPECT_TRUE(std::isnan(math::Xlogy(1.0, -1.0)));
}

}  // namespace
}  // namespace gk
