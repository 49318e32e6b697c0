#include "kernels/sort.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "kernels/unique.h"

namespace gk {
namespace {

template <class T>
class SortTest : public testing::Test {};
using SortedTypes =
    testing::Types<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t,
                   int64_t, uint64_t, float, double, half, bfloat16, bool>;
TYPED_TEST_SUITE(SortTest, SortedTypes);

// Many ties, and NaN where the type has it.
template <class T>
std::vector<T> Row(int64_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<T> row;
  for (int64_t i = 0; i < n; ++i) {
    const int draw = static_cast<int>(random() % 40);
    const bool nan = draw == 0 && !std::is_integral_v<T>;
    row.push_back(nan ? T(NAN) : T(draw));
  }
  return row;
}

TYPED_TEST(SortTest, OrdersAgreeWithPairwiseRanks) {
  using T = TypeParam;
  if constexpr (!std::is_same_v<T, bool>) {
    for (const int64_t n : {0, 1, 2, 17, 100}) {
      const std::vector<T> row = Row<T>(n, 5);
      for (const bool descending : {false, true}) {
        std::vector<int32_t> order(n);
        ArgsortRow(row.data(), n, descending, order.data());
        for (int64_t at = 0; at < n; ++at) {
          // The place of a value is the number of those before it.
          int64_t rank = 0;
          const int64_t i = order[at];
          for (int64_t j = 0; j < n; ++j) {
            const bool less = SortLess(row[j], row[i]);
            const bool more = SortLess(row[i], row[j]);
            rank += (descending ? more : less) || (!less && !more && j < i);
          }
          EXPECT_EQ(rank, at);
        }
        if (!descending) continue;
        for (const int64_t k : {int64_t{0}, n / 3, n / 2, n}) {
          std::vector<T> values(k + 1);
          std::vector<int32_t> top(k + 1);
          TopKRow(row.data(), n, k, values.data(), top.data());
          for (int64_t at = 0; at < k; ++at) EXPECT_EQ(top[at], order[at]);
        }
      }
    }
  }
}

TYPED_TEST(SortTest, UniqueNumbersByFirstAppearance) {
  using T = TypeParam;
  const int64_t n = 300;
  const std::vector<T> row = Row<T>(n, 6);
  std::vector<int64_t> ids(n), firsts(n);
  const T* data = nullptr;
  std::vector<uint8_t> bytes;
  if constexpr (std::is_same_v<T, bool>) {
    bytes.assign(row.begin(), row.end());
    data = reinterpret_cast<const T*>(bytes.data());
  } else {
    data = row.data();
  }
  const int64_t count = UniqueIds(data, n, ids.data(), firsts.data());
  std::map<double, int64_t> seen;
  int64_t next = 0;
  for (int64_t i = 0; i < n; ++i) {
    double key = static_cast<double>(SortKey(data[i]));
    int64_t want = next;
    // A number beside the others for -0 where the zeros are two.
    if (!std::is_arithmetic_v<T> && key == 0 && std::signbit(key)) key = 0.1;
    if (!std::isnan(key)) want = seen.try_emplace(key, next).first->second;
    if (want == next) {
      EXPECT_EQ(firsts[next++], i);
    }
    EXPECT_EQ(ids[i], want);
  }
  EXPECT_EQ(count, next);
}

TEST(UniqueTest, ZerosOfNarrowFloatsAreTwo) {
  const half zeros[] = {half(0.0f), half(-0.0f), half(0.0f)};
  int32_t ids[3], firsts[3];
  EXPECT_EQ(UniqueIds(zeros, 3, ids, firsts), 2);
  EXPECT_EQ(ids[2], 0);
  EXPECT_EQ(UniqueIds<Zeros::kOne>(zeros, 3, ids, firsts), 1);
}

TEST(UniqueTest, ZerosAreOneAndLargeIntegersDiffer) {
  const double zeros[] = {0.0, -0.0, 1.0};
  int32_t ids[4], firsts[4];
  EXPECT_EQ(UniqueIds(zeros, 3, ids, firsts), 2);
  const int64_t big[] = {INT64_MAX, INT64_MAX - 1, INT64_MIN, INT64_MAX};
  EXPECT_EQ(UniqueIds(big, 4, ids, firsts), 3);
  EXPECT_EQ(ids[3], 0);
}

}  // namespace
}  // namespace gk
