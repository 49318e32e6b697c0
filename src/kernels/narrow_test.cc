#include "kernels/narrow.h"

#include <bit>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace gk {
namespace {

template <class T>
class NarrowTest : public testing::Test {};
using NarrowTypes =
    testing::Types<half, bfloat16, float8_e5m2, float8_e4m3fn>;
TYPED_TEST_SUITE(NarrowTest, NarrowTypes);

// In bulk as one by one, to the bit, wherever in a run an element lies.
TYPED_TEST(NarrowTest, BulkIsOneByOne) {
  using Bits = typename TypeParam::Storage;
  std::vector<TypeParam> narrow;
  for (uint32_t b = 0; b < 1u << (8 * sizeof(Bits)); ++b) {
    narrow.push_back(TypeParam::FromBits(static_cast<Bits>(b)));
  }
  std::vector<float> wide;
  for (uint64_t b = 0; b < 1ull << 32; b += 4093) {
    wide.push_back(std::bit_cast<float>(static_cast<uint32_t>(b)));
  }
  for (const TypeParam& v : narrow) wide.push_back(static_cast<float>(v));
  const FloatConversions& convert = *kFloatConversions<TypeParam>;
  for (const int64_t skip : {0, 1, 3, 5}) {
    std::vector<float> widened(narrow.size() - skip);
    convert.widen(narrow.data() + skip, widened.size(), widened.data());
    for (size_t i = 0; i < widened.size(); ++i) {
      ASSERT_EQ(std::bit_cast<uint32_t>(widened[i]),
                std::bit_cast<uint32_t>(static_cast<float>(narrow[i + skip])))
          << i;
    }
    std::vector<TypeParam> narrowed(wide.size() - skip);
    convert.narrow(wide.data() + skip, narrowed.size(), narrowed.data());
    for (size_t i = 0; i < narrowed.size(); ++i) {
      ASSERT_EQ(narrowed[i].bits(), TypeParam(wide[i + skip]).bits())
          << std::bit_cast<uint32_t>(wide[i + skip]);
    }
  }
}

int Sums(void* out, const void* const* in, int64_t n, const void* params) {
  const float* x = static_cast<const float*>(in[0]);
  const float* y = static_cast<const float*>(in[1]);
  for (int64_t i = 0; i < n; ++i) {
    if (params && x[i] == *static_cast<const float*>(params)) return 7;
    static_cast<float*>(out)[i] = x[i] + y[i];
  }
  return 0;
}

TYPED_TEST(NarrowTest, LoopsThroughFloat) {
  constexpr LoopThroughFloat kLoop{kFloatConversions<TypeParam>,
                                   kFloatConversions<TypeParam>, 2,
                                   sizeof(TypeParam), sizeof(TypeParam)};
  for (const int64_t n : {0, 1, 7, 512, 513, 1500}) {
    std::vector<TypeParam> x(n + 1), y(n + 1), want(n + 1);
    for (int64_t i = 0; i <= n; ++i) {
      x[i] = TypeParam(static_cast<float>(i % 9));
      y[i] = TypeParam(0.5f * (i % 4));
      want[i] = i == n ? x[n]
                       : TypeParam(static_cast<float>(x[i]) +
                                   static_cast<float>(y[i]));
    }
    const void* in[] = {x.data(), y.data()};
    EXPECT_EQ(kLoop.Run(Sums, x.data(), in, n, nullptr), 0);
    EXPECT_EQ(std::memcmp(x.data(), want.data(), x.size() * sizeof(x[0])), 0)
        << n;
  }
  const float bad = 8;
  std::vector<TypeParam> x(600, TypeParam(1.0f)), y = x, z = x;
  x[550] = TypeParam(bad);
  const void* in[] = {x.data(), y.data()};
  EXPECT_EQ(kLoop.Run(Sums, z.data(), in, 600, &bad), 7);
  EXPECT_EQ(kLoop.Run(Sums, z.data(), in, 550, &bad), 0);
}

}  // namespace
}  // namespace gk
