#include "kernels/matmul.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <random>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/half.h"
#include "base/thread_pool.h"
#include "kernels/signals_for_test.h"

namespace gk {
namespace {

template <class T>
struct Traits {
  using Wide = std::conditional_t<
      std::is_integral_v<T>, uint64_t,
      std::conditional_t<std::is_arithmetic_v<T> || kIsNarrowFloat<T>, double,
                         std::complex<double>>>;
  static Wide Widen(T v) { return static_cast<Wide>(v); }
};

template <class T>
T Random(std::mt19937& rng) {
  std::uniform_real_distribution<double> unit(-1, 1);
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(rng());
  } else if constexpr (std::is_arithmetic_v<T> || kIsNarrowFloat<T>) {
    return static_cast<T>(unit(rng));
  } else {
    return T(unit(rng), unit(rng));
  }
}

template <class T>
std::vector<T> RandomVector(int64_t count, std::mt19937& rng) {
  std::vector<T> v(count);
  for (T& x : v) x = Random<T>(rng);
  return v;
}

template <class T>
typename Traits<T>::Wide Conj(typename Traits<T>::Wide x, bool conjugate) {
  if constexpr (std::is_same_v<typename Traits<T>::Wide,
                               std::complex<double>>) {
    return conjugate ? std::conj(x) : x;
  }
  return x;
}

template <class T>
void CheckOne(MatMulDesc d, double tolerance,
              const std::vector<int64_t>& a_index = {},
              const std::vector<int64_t>& b_index = {}) {
  SCOPED_TRACE(testing::Message()
               << "type " << int(d.type) << " batch " << d.batch << " m " << d.m
               << " k " << d.k << " n " << d.n << " ta " << d.transpose_a
               << " tb " << d.transpose_b << " bias " << d.bias << " relu "
               << d.relu << " acc " << d.accumulate);
  using Wide = typename Traits<T>::Wide;
  std::mt19937 rng(d.m * 131 + d.k * 17 + d.n);
  const auto a = RandomVector<T>(d.batch_a * d.m * d.k, rng);
  const auto b = RandomVector<T>(d.batch_b * d.k * d.n, rng);
  const auto bias = RandomVector<T>(d.n, rng);
  const auto before = RandomVector<T>(d.batch * d.m * d.n, rng);
  auto c = before, c2 = before;
  auto made = MatMul::Create(d);
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  MatMulArgs args{a.data(),
                  b.data(),
                  c.data(),
                  bias.data(),
                  a_index.empty() ? nullptr : a_index.data(),
                  b_index.empty() ? nullptr : b_index.data()};
  ASSERT_TRUE((*made)->Run(args).ok());
  ThreadPool pool(2);
  args.c = c2.data();
  ASSERT_TRUE((*made)->Run(args, Parallel(&pool)).ok());
  if (!c.empty()) {
    EXPECT_EQ(std::memcmp(c.data(), c2.data(), c.size() * sizeof(T)), 0);
  }
  for (int64_t i = 0; i < d.batch; ++i) {
    const int64_t ia = !a_index.empty() ? a_index[i] : (d.batch_a == 1 ? 0 : i);
    const int64_t ib = !b_index.empty() ? b_index[i] : (d.batch_b == 1 ? 0 : i);
    for (int64_t r = 0; r < d.m; ++r) {
      for (int64_t s = 0; s < d.n; ++s) {
        Wide sum{};
        for (int64_t p = 0; p < d.k; ++p) {
          const T x =
              a[ia * d.m * d.k + (d.transpose_a ? p * d.m + r : r * d.k + p)];
          const T y =
              b[ib * d.k * d.n + (d.transpose_b ? s * d.k + p : p * d.n + s)];
          sum += Conj<T>(Traits<T>::Widen(x), d.conjugate_a) *
                 Conj<T>(Traits<T>::Widen(y), d.conjugate_b);
        }
        const int64_t at = (i * d.m + r) * d.n + s;
        if (d.accumulate) sum += Traits<T>::Widen(before[at]);
        if (d.bias) sum += Traits<T>::Widen(bias[s]);
        if constexpr (std::is_integral_v<T>) {
          T want = static_cast<T>(sum);
          if (d.relu && want < T(0)) want = 0;
          ASSERT_EQ(c[at], want) << r << "," << s;
        } else {
          if constexpr (std::is_same_v<Wide, double>) {
            if (d.relu && sum < 0) sum = 0;
          }
          ASSERT_LE(std::abs(Traits<T>::Widen(c[at]) - sum),
                    tolerance * (1.0 + std::sqrt(double(d.k)) + std::abs(sum)))
              << r << "," << s;
        }
      }
    }
  }
}

template <class T>
void CheckProducts(ElementType type, double tolerance) {
  constexpr bool kComplex = !std::is_arithmetic_v<T> && !kIsNarrowFloat<T>;
  const int64_t shapes[][3] = {
      {0, 3, 4},      {3, 0, 4},    {3, 4, 0},     {1, 1, 1},      {10, 10, 10},
      {1, 37, 300},   {300, 37, 1}, {1, 0, 5},     {5, 0, 1},      {7, 5, 3},
      {17, 33, 9},    {33, 64, 65}, {2, 300, 2},   {100, 70, 130}, {64, 64, 64},
      {70, 300, 200}, {9, 17, 257}, {257, 16, 16}, {130, 0, 100}};
  for (const auto& s : shapes) {
    for (int flags = 0; flags < 4; ++flags) {
      MatMulDesc d{.type = type, .m = s[0], .k = s[1], .n = s[2]};
      d.transpose_a = flags & 1;
      d.transpose_b = flags & 2;
      CheckOne<T>(d, tolerance);
      d.conjugate_a = kComplex && (flags & 2);
      d.conjugate_b = kComplex;
      d.bias = true;
      d.relu = !kComplex;
      d.accumulate = true;
      CheckOne<T>(d, tolerance);
    }
  }
  MatMulDesc d{.type = type, .m = 5, .k = 6, .n = 7, .batch = 4};
  d.batch_a = 4;
  d.batch_b = 1;
  CheckOne<T>(d, tolerance);
  d.batch_a = 1;
  d.batch_b = 4;
  d.m = 40, d.k = 50, d.n = 60;
  CheckOne<T>(d, tolerance);
  d.batch = 6, d.batch_a = 2, d.batch_b = 3;
  CheckOne<T>(d, tolerance, {0, 0, 0, 1, 1, 1}, {0, 1, 2, 0, 1, 2});
}

TEST(MatMulTest, Float) { CheckProducts<float>(ElementType::kFloat, 2e-6); }
TEST(MatMulTest, Double) { CheckProducts<double>(ElementType::kDouble, 1e-14); }
TEST(MatMulTest, Half) { CheckProducts<half>(ElementType::kHalf, 1e-3); }
TEST(MatMulTest, BFloat16) {
  CheckProducts<bfloat16>(ElementType::kBFloat16, 8e-3);
}
TEST(MatMulTest, Int8) { CheckProducts<int8_t>(ElementType::kInt8, 0); }
TEST(MatMulTest, Int16) { CheckProducts<int16_t>(ElementType::kInt16, 0); }
TEST(MatMulTest, Int32) { CheckProducts<int32_t>(ElementType::kInt32, 0); }
TEST(MatMulTest, Int64) { CheckProducts<int64_t>(ElementType::kInt64, 0); }
TEST(MatMulTest, UInt8) { CheckProducts<uint8_t>(ElementType::kUInt8, 0); }
TEST(MatMulTest, UInt64) { CheckProducts<uint64_t>(ElementType::kUInt64, 0); }
TEST(MatMulTest, Complex64) {
  CheckProducts<std::complex<float>>(ElementType::kComplex64, 4e-6);
}
TEST(MatMulTest, Complex128) {
  CheckProducts<std::complex<double>>(ElementType::kComplex128, 2e-14);
}

TEST(MatMulTest, RejectsAbsurdSizes) {
  MatMulDesc d{.m = int64_t{1} << 40, .k = int64_t{1} << 40, .n = 1};
  EXPECT_EQ(MatMul::Create(d).status().code(), Code::kInvalidArgument);
  d = {.m = -1, .k = 1, .n = 1};
  EXPECT_EQ(MatMul::Create(d).status().code(), Code::kInvalidArgument);
}

TEST(MatMulTest, CacheReturnsTheSameObject) {
  MatMulDesc d{.m = 3, .k = 4, .n = 5};
  auto first = GetMatMul(d);
  MatMulDesc other = d;
  other.transpose_a = true;
  auto second = GetMatMul(other);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_NE(first->get(), second->get());
  EXPECT_EQ(GetMatMul(d)->get(), first->get());
  for (int64_t m = 1; m < 700; ++m) {
    ASSERT_TRUE(GetMatMul({.m = m, .k = 1, .n = 1}).ok());
  }
  EXPECT_EQ((*GetMatMul(d))->desc(), d);
}

TEST(MatMulTest, ConcurrentRunsOfOneObject) {
  MatMulDesc d{.m = 96, .k = 64, .n = 80};
  auto made = MatMul::Create(d);
  ASSERT_TRUE(made.ok());
  std::vector<float> a(d.m * d.k, 1.0f), b(d.k * d.n, 2.0f);
  auto work = [&](std::vector<float>* c) {
    for (int i = 0; i < 50; ++i) {
      c->assign(d.m * d.n, -1.0f);
      ASSERT_TRUE((*made)->Run({a.data(), b.data(), c->data()}).ok());
      for (float x : *c) ASSERT_EQ(x, 128.0f);
    }
  };
  std::vector<float> c1, c2;
  std::thread other([&] { work(&c1); });
  work(&c2);
  other.join();
}

// A handler needs room on the stack, in the midst of a kernel as elsewhere.
TEST(MatMulTest, SignalsMeanwhile) {
  const OftenSignalled signals;
  // The depths up to which columns are copied to the stack lie between.
  for (const int64_t k : {64, 84, 85, 252, 253, 1200}) {
    MatMulDesc d{.m = 64, .k = k, .n = 1200};
    auto made = MatMul::Create(d);
    std::vector<float> a(d.m * d.k, 1.0f), b(d.k * d.n, 2.0f);
    for (int i = 0; made.ok() && i < 150; ++i) {
      std::vector<float> c(d.m * d.n, -1.0f);
      EXPECT_TRUE((*made)->Run({a.data(), b.data(), c.data()}).ok());
      EXPECT_EQ(std::count(c.begin(), c.end(), 2.0f * k), d.m * d.n);
    }
  }
  EXPECT_GT(signals.handled, 10);
}

}  // namespace
}  // namespace gk
