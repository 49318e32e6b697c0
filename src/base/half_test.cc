#include "base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace gk {
namespace {

struct Layout {
  int mantissa;
  int bias;
  int exponent_bits;
  bool has_inf;
};
template <class T>
constexpr Layout kLayout{};
template <>
constexpr Layout kLayout<half>{10, 15, 5, true};
template <>
constexpr Layout kLayout<bfloat16>{7, 127, 8, true};
template <>
constexpr Layout kLayout<float8_e5m2>{2, 15, 5, true};
template <>
constexpr Layout kLayout<float8_e4m3fn>{3, 7, 4, false};

// The value of a pattern, from the definition of the format.
template <class T>
double Reference(uint32_t bits) {
  const Layout l = kLayout<T>;
  const uint32_t mant = bits & ((1u << l.mantissa) - 1);
  const uint32_t exp = (bits >> l.mantissa) & ((1u << l.exponent_bits) - 1);
  const bool negative = (bits >> (l.mantissa + l.exponent_bits)) & 1;
  const uint32_t top = (1u << l.exponent_bits) - 1;
  double v;
  if (exp == top && l.has_inf) {
    v = mant ? NAN : INFINITY;
  } else if (exp == top && mant == (1u << l.mantissa) - 1) {
    v = NAN;
  } else if (exp == 0) {
    v = std::ldexp(mant, 1 - l.bias - l.mantissa);
  } else {
    v = std::ldexp(1.0 + std::ldexp(mant, -l.mantissa),
                   static_cast<int>(exp) - l.bias);
  }
  return negative ? -v : v;
}

template <class T>
class NarrowFloatTest : public testing::Test {
 public:
  static constexpr uint32_t kPatterns = 1u << (8 * sizeof(T));
  static T At(uint32_t b) {
    return T::FromBits(static_cast<typename T::Storage>(b));
  }
};
using Types = testing::Types<half, bfloat16, float8_e5m2, float8_e4m3fn>;
TYPED_TEST_SUITE(NarrowFloatTest, Types);

TYPED_TEST(NarrowFloatTest, EveryPatternWidensExactlyAndComesBack) {
  for (uint32_t b = 0; b < this->kPatterns; ++b) {
    const TypeParam v = this->At(b);
    const double want = Reference<TypeParam>(b);
    const float got = static_cast<float>(v);
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(got) && v.isnan()) << b;
      EXPECT_TRUE(TypeParam(got).isnan()) << b;
      EXPECT_EQ(std::signbit(got), std::signbit(want)) << b;
    } else {
      EXPECT_EQ(got, want) << b;
      EXPECT_EQ(std::signbit(got), std::signbit(want)) << b;
      EXPECT_EQ(TypeParam(got).bits(), b);
    }
  }
}

// Between any two neighbours: below, at and above the middle.
TYPED_TEST(NarrowFloatTest, RoundsToNearestEven) {
  using Lim = std::numeric_limits<TypeParam>;
  for (uint32_t b = 0; b < Lim::max().bits(); ++b) {
    const double low = Reference<TypeParam>(b);
    const double high = Reference<TypeParam>(b + 1);
    const float mid = static_cast<float>((low + high) / 2);
    ASSERT_EQ(mid, (low + high) / 2) << b;
    const uint32_t even = b % 2 == 0 ? b : b + 1;
    EXPECT_EQ(TypeParam(mid).bits(), even) << b;
    EXPECT_EQ(TypeParam(std::nextafterf(mid, 0)).bits(), b);
    EXPECT_EQ(TypeParam(std::nextafterf(mid, INFINITY)).bits(), b + 1);
    EXPECT_EQ(TypeParam(-mid).bits(), (-this->At(even)).bits()) << b;
  }
}

TYPED_TEST(NarrowFloatTest, OverflowAndNan) {
  using Lim = std::numeric_limits<TypeParam>;
  const double max = Reference<TypeParam>(Lim::max().bits());
  const double step = max - Reference<TypeParam>(Lim::max().bits() - 1);
  const uint32_t over =
      Lim::has_infinity ? Lim::infinity().bits() : Lim::quiet_NaN().bits();
  const float edge = static_cast<float>(max + step / 2);
  EXPECT_EQ(TypeParam(std::nextafterf(edge, 0)).bits(), Lim::max().bits());
  // max is odd where infinity follows, even in e4m3fn: the tie goes there.
  EXPECT_EQ(TypeParam(edge).bits(),
            Lim::has_infinity ? over : Lim::max().bits());
  EXPECT_EQ(TypeParam(std::nextafterf(edge, INFINITY)).bits(), over);
  EXPECT_EQ(TypeParam(INFINITY).bits(), over);
  EXPECT_EQ(TypeParam(-INFINITY).bits(),
            over | (1u << (8 * sizeof(TypeParam) - 1)));
  for (uint32_t payload : {1u, 0x1fffu, 0x2000u, 0x3fffffu, 0x7fffffu}) {
    const float nan = std::bit_cast<float>(0x7f800000u | payload);
    EXPECT_TRUE(TypeParam(nan).isnan()) << payload;
    EXPECT_FALSE(TypeParam(nan) == TypeParam(nan));
  }
  EXPECT_EQ(TypeParam(0.0f), TypeParam(-0.0f));
  EXPECT_EQ(std::hash<TypeParam>()(TypeParam(0.0f)),
            std::hash<TypeParam>()(TypeParam(-0.0f)));
}

TYPED_TEST(NarrowFloatTest, RandomFloatsGoToTheNearest) {
  std::mt19937 gen(7);
  for (int i = 0; i < 200000; ++i) {
    const float x = std::bit_cast<float>(static_cast<uint32_t>(gen()));
    if (std::isnan(x)) continue;
    const TypeParam v(x);
    const float back = static_cast<float>(v);
    if (!std::isfinite(back)) continue;
    const double error = std::abs(double{back} - x);
    for (int d : {-1, 1}) {
      const TypeParam other = this->At(v.bits() + d);
      const float o = static_cast<float>(other);
      if (!std::isfinite(o)) continue;
      EXPECT_LE(error, std::abs(double{o} - x));
    }
  }
}

TYPED_TEST(NarrowFloatTest, Limits) {
  using Lim = std::numeric_limits<TypeParam>;
  EXPECT_EQ(static_cast<double>(Lim::epsilon()),
            std::ldexp(1.0, 1 - Lim::digits));
  EXPECT_EQ(static_cast<double>(Lim::min()),
            std::ldexp(1.0, Lim::min_exponent - 1));
  EXPECT_LT(static_cast<double>(Lim::max()),
            std::ldexp(1.0, Lim::max_exponent));
  EXPECT_GE(static_cast<double>(Lim::max()),
            std::ldexp(1.0, Lim::max_exponent - 1));
  EXPECT_LT(Lim::lowest(), Lim::max());
}

TEST(NarrowFloat, ConversionsAreConstexpr) {
  static_assert(half(1.5f).bits() == 0x3e00);
  static_assert(half(INFINITY).bits() == 0x7c00);
  static_assert(bfloat16(1.0f).bits() == 0x3f80);
  static_assert(static_cast<float>(float8_e4m3fn(448)) == 448.0f);
  static_assert(half(2) < half(3) && static_cast<int>(half(7.9f)) == 7);
  static_assert(!std::is_convertible_v<half, float> &&
                !std::is_convertible_v<float, half>);
}

}  // namespace
}  // namespace gk
