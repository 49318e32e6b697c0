#include "kernels/reduce.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <type_traits>

#include "base/half.h"

namespace gk {
namespace {

// Walks every element and folds it into its output, in double.
std::vector<double> Reference(const std::vector<int64_t>& dims, unsigned mask,
                              const std::vector<double>& in, ReduceKind kind) {
  std::vector<int64_t> out_stride(dims.size(), 0);
  int64_t outputs = 1;
  for (size_t d = dims.size(); d-- > 0;) {
    if (mask >> d & 1) continue;
    out_stride[d] = outputs;
    outputs *= dims[d];
  }
  const double start = kind == ReduceKind::kProd  ? 1
                       : kind == ReduceKind::kMax ? -INFINITY
                       : kind == ReduceKind::kMin ? INFINITY
                                                  : 0;
  std::vector<double> out(outputs, start);
  for (size_t i = 0; i < in.size(); ++i) {
    int64_t rest = i, o = 0;
    for (size_t d = dims.size(); d-- > 0;) {
      o += rest % dims[d] * out_stride[d];
      rest /= dims[d];
    }
    if (kind == ReduceKind::kProd) {
      out[o] *= in[i];
    } else if (kind == ReduceKind::kMax) {
      out[o] = std::max(out[o], in[i]);
    } else if (kind == ReduceKind::kMin) {
      out[o] = std::min(out[o], in[i]);
    } else {
      out[o] += in[i];
    }
  }
  if (kind == ReduceKind::kMean) {
    for (double& v : out) v /= in.size() / outputs;
  }
  return out;
}

ReduceLayout Layout(const std::vector<int64_t>& dims, unsigned mask) {
  bool reduced[8] = {};
  for (size_t d = 0; d < dims.size(); ++d) reduced[d] = mask >> d & 1;
  return CollapseReduction(dims, std::span<const bool>(reduced, dims.size()));
}

template <class T>
class ReduceTest : public testing::Test {};
using Types = testing::Types<float, double, half, bfloat16, int8_t, int16_t,
                             int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                             uint64_t>;
TYPED_TEST_SUITE(ReduceTest, Types);

TYPED_TEST(ReduceTest, EveryMaskOfSomeShapes) {
  using T = TypeParam;
  ThreadPool pool(2);
  for (const std::vector<int64_t>& dims : std::vector<std::vector<int64_t>>{
           {}, {1}, {5}, {700}, {3, 4}, {2, 3, 4, 5}, {7, 1, 70, 2},
           {300, 9}, {3, 600}}) {
    int64_t n = 1;
    for (int64_t d : dims) n *= d;
    std::vector<T> in(n);
    std::vector<double> wide(n);
    std::mt19937 gen(1);
    for (int64_t i = 0; i < n; ++i) {
      // Small integers: sums that every type holds, and exact products.
      wide[i] = n > 120 ? gen() % 50 == 0 : gen() % 2;
      in[i] = static_cast<T>(wide[i]);
    }
    for (unsigned mask = 0; mask < 1u << dims.size(); ++mask) {
      const ReduceLayout layout = Layout(dims, mask);
      for (ReduceKind kind : {ReduceKind::kSum, ReduceKind::kProd,
                              ReduceKind::kMax, ReduceKind::kMin,
                              ReduceKind::kMean}) {
        const auto want = Reference(dims, mask, wide, kind);
        ASSERT_EQ(layout.outputs(), static_cast<int64_t>(want.size()));
        std::vector<T> got(want.size());
        Reduce<T>(kind, layout, in.data(), got.data(), pool);
        for (size_t i = 0; i < want.size(); ++i) {
          ASSERT_EQ(static_cast<double>(got[i]),
                    static_cast<double>(static_cast<T>(want[i])))
              << "mask " << mask << " kind " << static_cast<int>(kind);
        }
      }
    }
  }
}

TYPED_TEST(ReduceTest, EmptyGivesTheIdentity) {
  using T = TypeParam;
  using L = std::numeric_limits<T>;
  T out[2];
  const ReduceLayout layout = Layout({2, 0}, 2);
  ASSERT_EQ(layout.outputs(), 2);
  Reduce<T>(ReduceKind::kSum, layout, nullptr, out);
  EXPECT_EQ(out[1], T(0));
  Reduce<T>(ReduceKind::kProd, layout, nullptr, out);
  EXPECT_EQ(out[1], T(1));
  Reduce<T>(ReduceKind::kMax, layout, nullptr, out);
  EXPECT_EQ(out[1], L::has_infinity ? -L::infinity() : L::lowest());
  Reduce<T>(ReduceKind::kMin, layout, nullptr, out);
  EXPECT_EQ(out[1], L::has_infinity ? L::infinity() : L::max());
  Reduce<T>(ReduceKind::kMean, layout, nullptr, out);
  EXPECT_TRUE(L::is_integer ? out[1] == T(0) : out[1] != out[1]);
  Reduce<T>(ReduceKind::kSum, Layout({0, 2}, 2), nullptr, out);
}

TEST(Reduce, LongFloatSumsAreAccurateAndIgnoreTheThreads) {
  for (const auto& [dims, mask] :
       std::vector<std::pair<std::vector<int64_t>, unsigned>>{
           {{1 << 20}, 1}, {{1 << 18, 5}, 1}, {{5, 1 << 18}, 2},
           {{400, 3, 400}, 5}, {{2, 300, 1000}, 2}}) {
    int64_t n = 1;
    for (int64_t d : dims) n *= d;
    std::vector<float> in(n);
    std::vector<double> wide(n);
    std::mt19937 gen(3);
    for (int64_t i = 0; i < n; ++i) wide[i] = in[i] = gen() * 0x1p-32f;
    const auto want = Reference(dims, mask, wide, ReduceKind::kSum);
    std::vector<float> one(want.size()), many(want.size());
    ThreadPool single(1), four(4);
    const ReduceLayout layout = Layout(dims, mask);
    Reduce(ReduceKind::kSum, layout, in.data(), one.data(), single);
    Reduce(ReduceKind::kSum, layout, in.data(), many.data(), four);
    EXPECT_EQ(one, many);
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_NEAR(one[i], want[i], 4e-6 * want[i]);
    }
  }
}

TEST(Reduce, NanPassesThroughMaxAndMin) {
  for (int64_t n : {2, 65, 300}) {
    for (int64_t at : {int64_t{0}, n / 2, n - 1}) {
      std::vector<float> in(n, 1.0f);
      in[at] = NAN;
      float out = 0;
      Reduce(ReduceKind::kMax, Layout({n}, 1), in.data(), &out);
      EXPECT_TRUE(std::isnan(out));
      Reduce(ReduceKind::kMin, Layout({n}, 1), in.data(), &out);
      EXPECT_TRUE(std::isnan(out));
    }
  }
}

TEST(Reduce, IntegerMeansDoNotOverflowAndSumsWrap) {
  const uint8_t in[] = {200, 200, 200};
  uint8_t out;
  Reduce(ReduceKind::kMean, Layout({3}, 1), in, &out);
  EXPECT_EQ(out, 200);
  Reduce(ReduceKind::kSum, Layout({3}, 1), in, &out);
  EXPECT_EQ(out, 88);
  const int32_t negative[] = {-1, -2, -2};
  int32_t mean;
  Reduce(ReduceKind::kMean, Layout({3}, 1), negative, &mean);
  EXPECT_EQ(mean, -1);
}

TEST(Reduce, ComplexAndBool) {
  using C = std::complex<float>;
  const C in[] = {{1, 2}, {3, -1}, {0, 1}};
  C out;
  Reduce(ReduceKind::kSum, Layout({3}, 1), in, &out);
  EXPECT_EQ(out, C(4, 2));
  Reduce(ReduceKind::kProd, Layout({3}, 1), in, &out);
  EXPECT_EQ(out, C(1, 2) * C(3, -1) * C(0, 1));
  const bool bits[] = {true, false, true, true};
  bool rows[2];
  ReduceAll(Layout({2, 2}, 2), bits, rows);
  EXPECT_TRUE(!rows[0] && rows[1]);
  ReduceAny(Layout({2, 2}, 1), bits, rows);
  EXPECT_TRUE(rows[0] && rows[1]);
  ReduceAny(Layout({0}, 1), nullptr, rows);
  EXPECT_FALSE(rows[0]);
}

TEST(ArgReduce, FirstBestAndNanPassedOver) {
  const auto arg = [](bool largest, std::vector<float> v) {
    int32_t row = -1;
    ArgReduce<float, int32_t>(largest, 1, v.size(), 1, v.data(), &row);
    std::vector<float> twice;
    for (float x : v) twice.insert(twice.end(), {x, x});
    int64_t columns[2];
    ArgReduce<float, int64_t>(largest, 1, v.size(), 2, twice.data(), columns);
    EXPECT_EQ(row, columns[0]);
    EXPECT_EQ(row, columns[1]);
    return row;
  };
  EXPECT_EQ(arg(true, {1, 3, 3, 1}), 1);
  EXPECT_EQ(arg(false, {1, 1, 0, 0}), 2);
  EXPECT_EQ(arg(true, {NAN, 1}), 1);
  EXPECT_EQ(arg(true, {1, NAN, 2}), 2);
  EXPECT_EQ(arg(false, {NAN, NAN}), 0);
  std::vector<float> large(1000, 0.0f);
  large[777] = 2;
  EXPECT_EQ(arg(true, large), 777);
}

}  // namespace
}  // namespace gk
