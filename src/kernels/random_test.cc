#include "kernels/random.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "kernels/shuffle.h"

namespace gk {
namespace {

// Checksums of a million values were computed from TensorFlow 2.21's output
// on a CPU: each value's bits times (2 * index + 1), summed modulo 2^64.
template <class T>
uint64_t ChecksumOf(const std::vector<T>& values) {
  uint64_t sum = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    uint64_t bits;
    if constexpr (sizeof(T) == 8) {
      bits = std::bit_cast<uint64_t>(values[i]);
    } else if constexpr (sizeof(T) == 4) {
      bits = std::bit_cast<uint32_t>(values[i]);
    } else {
      bits = std::bit_cast<uint16_t>(values[i]);
    }
    sum += bits * (2 * i + 1);
  }
  return sum;
}

constexpr int64_t kCount = 1000003;

Philox Generator() { return Philox::FromKeyCounter(12345678901234567, 3, 5); }

// Fills in uneven slices, last slice first: order must not matter.
template <class T, class Fill>
uint64_t SlicedChecksum(const Fill& fill) {
  std::vector<T> values(kCount);
  const int64_t cuts[] = {0, 4, 1000, 333332, 700004, kCount};
  for (int i = 4; i >= 0; --i) {
    fill(Generator(), cuts[i], cuts[i + 1], values.data() + cuts[i]);
  }
  return ChecksumOf(values);
}

template <class T>
void ExpectFloats(uint64_t uniform, uint64_t normal, uint64_t truncated) {
  EXPECT_EQ(SlicedChecksum<T>(FillUniform<T>), uniform);
  EXPECT_EQ(SlicedChecksum<T>(FillNormal<T>), normal);
  EXPECT_EQ(SlicedChecksum<T>(FillTruncatedNormal<T>), truncated);
}

TEST(RandomTest, MillionFloat) {
  ExpectFloats<float>(0x123c31b6607b4790, 0x821d06525f05c10f,
                      0x6e57262fea2d13c9);
}

TEST(RandomTest, MillionDouble) {
  ExpectFloats<double>(0xf48eb53bf47265e4, 0x805a1e0c15051ab0,
                       0xec1dcbbfb2331f6b);
}

TEST(RandomTest, MillionHalf) {
  ExpectFloats<half>(0x311705f14bff90, 0x6d387826c50f36, 0x6cd5bcc3d645e6);
}

TEST(RandomTest, MillionBfloat16) {
  ExpectFloats<bfloat16>(0x38a3513c483206, 0x73821d09f4f836, 0x736e5716135632);
}

TEST(RandomTest, MillionIntegers) {
  EXPECT_EQ(SlicedChecksum<int32_t>(FillFullInt<int32_t>), 0x50d49e65aca4f222);
  EXPECT_EQ(SlicedChecksum<int64_t>(FillFullInt<int64_t>), 0x443696d7d3a98813);
  EXPECT_EQ(SlicedChecksum<uint64_t>(FillFullInt<uint64_t>),
            0x443696d7d3a98813);
  const auto narrow = [](const Philox& gen, int64_t begin, int64_t end,
                         int32_t* out) {
    FillUniformInt<int32_t>(gen, 3, 1000003, begin, end, out);
  };
  EXPECT_EQ(SlicedChecksum<int32_t>(narrow), 0x6ef331e335e25fd);
  const auto wide = [](const Philox& gen, int64_t begin, int64_t end,
                       int64_t* out) {
    FillUniformInt<int64_t>(gen, 3, 1000003, begin, end, out);
  };
  EXPECT_EQ(SlicedChecksum<int64_t>(wide), 0x6f101b5eb034f2e);
}

template <class T>
std::vector<T> Uniform(const Philox& gen, int64_t n) {
  std::vector<T> out(n);
  FillUniform<T>(gen, 0, n, out.data());
  return out;
}

TEST(RandomTest, StatelessVectors) {
  const Philox gen = PhiloxFromStatelessSeed(1, 2);
  EXPECT_EQ(gen.Key(), 10413732777507651514u);
  EXPECT_EQ(gen.CounterLow(), 0u);
  EXPECT_EQ(gen.CounterHigh(), 17830669156045600267u);
  EXPECT_EQ(Uniform<float>(gen, 6),
            (std::vector<float>{0.8440604f, 0.19204533f, 0.9962232f, 0.1603874f,
                                0.27199018f, 0.649346f}));
  const std::vector<double> wide = Uniform<double>(gen, 3);
  EXPECT_NEAR(wide[0], 0.75248375, 5e-9);
  EXPECT_NEAR(wide[2], 0.17592234, 5e-9);
  std::vector<float> normal(6);
  FillNormal<float>(gen, 0, 6, normal.data());
  EXPECT_EQ(normal,
            (std::vector<float>{0.5441101f, 0.20738031f, 0.07356432f,
                                0.04643455f, -1.3015898f, -0.9538565f}));
  std::vector<int32_t> ints(6);
  FillUniformInt<int32_t>(gen, -5, 100, 0, 6, ints.data());
  EXPECT_EQ(ints, (std::vector<int32_t>{35, 24, 49, 79, 17, 50}));
  std::vector<int64_t> longs(3);
  FillUniformInt<int64_t>(gen, -5, 100, 0, 3, longs.data());
  EXPECT_EQ(longs, (std::vector<int64_t>{4, 28, 27}));
  std::vector<int64_t> shuffled(6);
  RandomPermutation(gen, 6, shuffled.data());
  EXPECT_EQ(shuffled, (std::vector<int64_t>{4, 5, 0, 3, 1, 2}));
}

TEST(RandomTest, StatelessSeedOf64Bits) {
  const Philox gen = PhiloxFromStatelessSeed(static_cast<uint64_t>(-5),
                                             (uint64_t{1} << 40) + 3);
  EXPECT_EQ(gen.Key(), 5260485222415040083u);
  EXPECT_EQ(gen.CounterHigh(), 14401622772153162036u);
}

TEST(RandomTest, PermutationsOfThousands) {
  std::vector<int64_t> wide(5000);
  RandomPermutation(PhiloxFromStatelessSeed(1, 2), 5000, wide.data());
  EXPECT_EQ(ChecksumOf(std::vector<int32_t>(wide.begin(), wide.end())),
            0xe969df80a);
  wide.resize(1000);
  RandomPermutation(Philox::FromSeeds(11, 22), 1000, wide.data());
  EXPECT_EQ(ChecksumOf(std::vector<int32_t>(wide.begin(), wide.end())),
            0x1dd2b44e);
}

// A function's two uniforms, drawn twice under the global seed 42.
TEST(RandomTest, StatefulCounterAdvancesBy256AValue) {
  Philox first = Philox::FromSeeds(42, 0);
  EXPECT_EQ(Uniform<float>(first, 3),
            (std::vector<float>{0.8354591f, 0.9162973f, 0.49464953f}));
  first.SkipValues(3);
  EXPECT_EQ(first.CounterLow(), 768u);
  // The source prints eight decimals.
  const std::vector<float> next = Uniform<float>(first, 3);
  EXPECT_NEAR(next[0], 0.3661809, 6e-8);
  EXPECT_NEAR(next[1], 0.01545334, 6e-9);
  EXPECT_NEAR(next[2], 0.6758038, 6e-8);
  EXPECT_EQ(Uniform<float>(Philox::FromSeeds(42, 1), 3),
            (std::vector<float>{0.15012848f, 0.63992536f, 0.81787777f}));
}

TEST(RandomTest, GeneratorVectors) {
  Philox gen = Philox::FromKeyCounter(0, 5, 0);
  EXPECT_EQ(Uniform<float>(gen, 3),
            (std::vector<float>{0.567016f, 0.2077086f, 0.18223882f}));
  gen.SkipValues(3);
  EXPECT_EQ(gen.CounterLow(), 773u);
  std::vector<float> normal(2);
  FillNormal<float>(gen, 0, 2, normal.data());
  EXPECT_EQ(normal, (std::vector<float>{-1.6569936f, 0.98407227f}));
}

// The counter is one number of 128 bits, whatever path draws the blocks.
TEST(RandomTest, CarriesThroughTheWholeCounter) {
  const uint64_t ones = ~uint64_t{0};
  for (const uint64_t low : {ones - 40, uint64_t{0xffffffffu} - 40}) {
    const Philox gen = Philox::FromKeyCounter(9, low, ones);
    std::vector<uint32_t> words(4 * 200);
    PhiloxWords(gen, 0, 200, words.data());
    Philox one = gen;
    for (int64_t b = 0; b < 200; ++b) {
      uint32_t block[4];
      one.Block(block);
      for (int j = 0; j < 4; ++j) EXPECT_EQ(words[4 * b + j], block[j]);
      one.Skip(1);
    }
  }
  Philox gen = Philox::FromKeyCounter(9, ones, ones);
  gen.Skip(1);
  EXPECT_EQ(gen.CounterLow(), 0u);
  EXPECT_EQ(gen.CounterHigh(), 0u);
  gen.SkipValues(uint64_t{1} << 60);
  EXPECT_EQ(gen.CounterHigh(), 16u);
}

}  // namespace
}  // namespace gk
