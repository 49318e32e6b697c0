#include "framework/same_numbers.h"

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <vector>

#include "base/half.h"

namespace gk {
namespace {

template <class T>
void ExpectNaNsAreOne(DataType dtype) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  const auto same = [&](std::vector<double> a, std::vector<double> b) {
    std::vector<T> x, y;
    for (const double v : a) x.push_back(static_cast<T>(static_cast<float>(v)));
    for (const double v : b) y.push_back(static_cast<T>(static_cast<float>(v)));
    return SameNumbers(dtype, x.data(), y.data(), x.size());
  };
  EXPECT_TRUE(same({1, none, 2}, {1, -none, 2}));
  EXPECT_TRUE(same({infinite, 0.5}, {infinite, 0.5}));
  EXPECT_FALSE(same({1, none, 2}, {1, -none, 3}));
  EXPECT_FALSE(same({none}, {infinite}));
  EXPECT_FALSE(same({none}, {1}));
  EXPECT_FALSE(same({infinite}, {-infinite}));
  EXPECT_FALSE(same({0.0}, {-0.0}));
  EXPECT_TRUE(same({}, {}));
}

TEST(SameNumbers, NaNsAreOne) {
  ExpectNaNsAreOne<float>(DataType::kFloat);
  ExpectNaNsAreOne<double>(DataType::kDouble);
  ExpectNaNsAreOne<half>(DataType::kHalf);
  ExpectNaNsAreOne<bfloat16>(DataType::kBfloat16);
}

TEST(SameNumbers, PartsOfComplexNumbersCount) {
  const float none = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::complex<float>> a{{1, none}}, b{{1, -none}},
      c{{2, none}};
  EXPECT_TRUE(SameNumbers(DataType::kComplex64, a.data(), b.data(), 1));
  EXPECT_FALSE(SameNumbers(DataType::kComplex64, a.data(), c.data(), 1));
}

TEST(SameNumbers, IntegersAreBytes) {
  const std::vector<int32_t> a{0x7fc00000}, b{-0x400000};
  EXPECT_TRUE(SameNumbers(DataType::kInt32, a.data(), a.data(), 1));
  EXPECT_FALSE(SameNumbers(DataType::kInt32, a.data(), b.data(), 1));
}

}  // namespace
}  // namespace gk
