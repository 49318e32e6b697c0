#include "framework/small_numbers.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gk {
namespace {

double Largest(DataType t) {
  return SmallNumber(t, SmallNumberLimit(t, true));
}
double Smallest(DataType t) {
  return SmallNumber(t, SmallNumberLimit(t, false));
}

TEST(SmallNumbers, EachTypeHasItsRange) {
  EXPECT_EQ(Largest(DataType::kInt2), 1);
  EXPECT_EQ(Smallest(DataType::kInt2), -2);
  EXPECT_EQ(Largest(DataType::kUint2), 3);
  EXPECT_EQ(Smallest(DataType::kUint2), 0);
  EXPECT_EQ(Largest(DataType::kInt4), 7);
  EXPECT_EQ(Smallest(DataType::kInt4), -8);
  EXPECT_EQ(Largest(DataType::kUint4), 15);
  EXPECT_EQ(Largest(DataType::kFloat4E2m1fn), 6);
  EXPECT_EQ(Smallest(DataType::kFloat4E2m1fn), -6);
  EXPECT_EQ(Largest(DataType::kFloat8E4m3b11fnuz), 30);
  EXPECT_EQ(Largest(DataType::kFloat8E4m3fnuz), 240);
  EXPECT_EQ(Smallest(DataType::kFloat8E5m2fnuz), -57344);
}

TEST(SmallNumbers, FloatsHaveSubnormalsAndOneNan) {
  EXPECT_EQ(SmallNumber(DataType::kFloat4E2m1fn, 1), 0.5);
  EXPECT_TRUE(std::signbit(SmallNumber(DataType::kFloat4E2m1fn, 8)));
  EXPECT_EQ(SmallNumber(DataType::kFloat8E4m3fnuz, 1), std::ldexp(1, -10));
  EXPECT_EQ(SmallNumber(DataType::kFloat8E4m3b11fnuz, 1), std::ldexp(1, -13));
  EXPECT_EQ(SmallNumber(DataType::kFloat8E5m2fnuz, 4), std::ldexp(1, -15));
  EXPECT_TRUE(std::isnan(SmallNumber(DataType::kFloat8E5m2fnuz, 0x80)));
}

TEST(SmallNumbers, OtherTypesAreNone) {
  EXPECT_FALSE(IsSmallNumber(DataType::kInt8));
  EXPECT_FALSE(IsSmallNumber(DataType::kFloat8E5m2));
  EXPECT_EQ(SmallIntegerBits(DataType::kInt8), 0);
  EXPECT_EQ(SmallIntegerBits(DataType::kUint4), 4);
}

}  // namespace
}  // namespace gk
