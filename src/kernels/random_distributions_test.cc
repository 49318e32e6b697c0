#include "kernels/random_distributions.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace gk {
namespace {

// As in random_test.cc: sums over TensorFlow 2.21's own output.
template <class T>
uint64_t Checksum(const std::vector<T>& values) {
  uint64_t sum = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    uint64_t bits;
    if constexpr (sizeof(T) == 8) {
      bits = std::bit_cast<uint64_t>(values[i]);
    } else {
      bits = std::bit_cast<uint32_t>(values[i]);
    }
    sum += bits * (2 * i + 1);
  }
  return sum;
}

constexpr int kDraws = 300;

// RandomGamma(shape=[300], alpha): the streams run along the draws of each
// alpha, the output across the alphas.
TEST(RandomDistributionsTest, Gamma) {
  const Philox gen = Philox::FromSeeds(11, 22);
  const float alphas[] = {0.3f, 0.7f, 1.0f, 1.5f, 4.0f, 50.0f};
  std::vector<double> wide;
  std::vector<float> narrow;
  for (int i = 0; i < kDraws; ++i) {
    for (int a = 0; a < 6; ++a) {
      const uint64_t index = static_cast<uint64_t>(a) * kDraws + i;
      wide.push_back(RandomGamma(gen, index, alphas[a]));
      narrow.push_back(static_cast<float>(wide.back()));
    }
  }
  EXPECT_EQ(Checksum(wide), 0x24d917d1bd221fe2);
  EXPECT_EQ(Checksum(narrow), 0xc3fc926c89f4a);
  EXPECT_TRUE(std::isnan(RandomGamma(gen, 0, 0.0)));
  EXPECT_TRUE(std::isnan(RandomGamma(gen, 0, -1.0)));
  EXPECT_TRUE(std::isnan(RandomGamma(gen, 0, HUGE_VAL)));
}

TEST(RandomDistributionsTest, Poisson) {
  const Philox gen = Philox::FromSeeds(11, 22);
  const float rates[] = {.1f, 1.f, 5.f, 9.9f, 10.f, 50.f, 1000.f};
  std::vector<int64_t> wide;
  std::vector<float> stateless;
  for (int i = 0; i < kDraws; ++i) {
    for (int a = 0; a < 7; ++a) {
      const uint64_t index = static_cast<uint64_t>(a) * kDraws + i;
      wide.push_back(
          static_cast<int64_t>(RandomPoisson(gen, index, rates[a], 0x1p62)));
      stateless.push_back(static_cast<float>(RandomPoisson(
          PhiloxFromStatelessSeed(1, 2), index, rates[a], 0x1p120)));
    }
  }
  EXPECT_EQ(Checksum(wide), 0x289856f4);
  EXPECT_EQ(Checksum(stateless), 0xdecc3b6198000);
}

TEST(RandomDistributionsTest, PoissonEndsForEveryRate) {
  const Philox gen = Philox::FromSeeds(1, 1);
  EXPECT_EQ(RandomPoisson(gen, 0, 0.0, 100), 0.0);
  EXPECT_EQ(RandomPoisson(gen, 0, 1e300, 0x1p31), 0x1p31);
  EXPECT_LE(RandomPoisson(gen, 0, 0x1p31 - 1, 0x1p31), 0x1p31);
  EXPECT_TRUE(std::isnan(RandomPoisson(gen, 0, -1.0, 100)));
  EXPECT_EQ(RandomPoisson(gen, 0, HUGE_VAL, 100), HUGE_VAL);
  EXPECT_TRUE(std::isnan(RandomPoisson(gen, 0, std::nan(""), 100)));
}

TEST(RandomDistributionsTest, Categorical) {
  const float inf = std::numeric_limits<float>::infinity();
  const float logits[] = {-2.3025851249694824f,
                          -1.6094379425048828f,
                          -1.2039728164672852f,
                          -0.9162907600402832f,
                          -0.9162907600402832f,
                          -1.2039728164672852f,
                          -1.6094379425048828f,
                          -2.3025851249694824f,
                          0.0f,
                          -inf,
                          -inf,
                          0.6931471824645996f};
  double scratch[4];
  std::vector<int64_t> out(600);
  RandomCategorical(Philox::FromSeeds(11, 22), logits, 3, 4, 200, scratch,
                    out.data());
  EXPECT_EQ(Checksum(out), 0x8fc44);
  RandomCategorical(PhiloxFromStatelessSeed(1, 2), logits, 3, 4, 200, scratch,
                    out.data());
  EXPECT_EQ(Checksum(out), 0x8575e);
}

TEST(RandomDistributionsTest, CategoricalWithoutFiniteWeights) {
  const double inf = std::numeric_limits<double>::infinity();
  const double logits[] = {-inf, inf, std::nan("")};
  double scratch[3];
  std::vector<int64_t> out(5, -1);
  RandomCategorical(Philox(), logits, 1, 3, 5, scratch, out.data());
  for (const int64_t v : out) {
    EXPECT_GE(v, 0);
    EXPECT_LT(v, 3);
  }
}

}  // namespace
}  // namespace gk
