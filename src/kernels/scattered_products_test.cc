#include "kernels/scattered_products.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "base/thread_pool.h"

namespace gk {
namespace {

// Matrices of `heads` heads, which lie between rows: [row][head][column].
template <class T>
void Check(ElementType type, int64_t m, int64_t k, int64_t n, int64_t heads,
           bool transpose_a, bool transpose_b) {
  SCOPED_TRACE(testing::Message() << m << " " << k << " " << n << " "
                                  << transpose_a << transpose_b);
  std::mt19937 rng(m * 131 + k * 17 + n);
  std::uniform_int_distribution<int> small(-4, 4);
  std::vector<T> a(m * k * heads), b(k * n * heads), c(m * n * heads, T(77));
  for (T& x : a) x = static_cast<T>(small(rng));
  for (T& x : b) x = static_cast<T>(small(rng));
  std::vector<int64_t> a_at, b_at, c_at;
  for (int64_t h = 0; h < heads; ++h) {
    a_at.push_back(h * (transpose_a ? m : k));
    b_at.push_back((heads - 1 - h) * (transpose_b ? k : n));
    c_at.push_back(h * n);
  }
  ScatteredProducts p{.type = type, .m = m, .k = k, .n = n};
  p.a = a.data(), p.b = b.data(), p.c = c.data();
  p.a_row = transpose_a ? 1 : heads * k;
  p.a_k = transpose_a ? heads * m : 1;
  p.b_k = transpose_b ? 1 : heads * n;
  p.b_column = transpose_b ? heads * k : 1;
  p.c_row = heads * n;
  p.a_at = a_at, p.b_at = b_at, p.c_at = c_at;
  ThreadPool pool(3);
  ASSERT_TRUE(IsForScatteredProducts(type, m, k, n));
  ASSERT_TRUE(RunProducts(p, Parallel(&pool)).ok());
  for (int64_t h = 0; h < heads; ++h) {
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        T sum = 0;
        for (int64_t q = 0; q < k; ++q) {
          sum += a[a_at[h] + i * p.a_row + q * p.a_k] *
                 b[b_at[h] + q * p.b_k + j * p.b_column];
        }
        ASSERT_EQ(c[c_at[h] + i * p.c_row + j], sum)
            << h << " " << i << " " << j;
      }
    }
  }
}

TEST(ScatteredProducts, AreThoseOfTheirMatrices) {
  for (bool ta : {false, true}) {
    for (bool tb : {false, true}) {
      Check<float>(ElementType::kFloat, 64, 16, 64, 9, ta, tb);
      Check<float>(ElementType::kFloat, 1, 1, 1, 1, ta, tb);
      Check<float>(ElementType::kFloat, 7, 5, 3, 40, ta, tb);
      Check<float>(ElementType::kFloat, 3, 256, 200, 2, ta, tb);
      Check<double>(ElementType::kDouble, 5, 33, 65, 3, ta, tb);
      Check<int32_t>(ElementType::kInt32, 4, 6, 18, 5, ta, tb);
    }
  }
}

TEST(ScatteredProducts, OfNothingAreZero) {
  Check<float>(ElementType::kFloat, 3, 0, 5, 2, false, true);
  Check<float>(ElementType::kFloat, 3, 0, 5, 2, true, false);
}

TEST(ScatteredProducts, LeaveLargeMatricesToOthers) {
  EXPECT_FALSE(IsForScatteredProducts(ElementType::kFloat, 1024, 64, 64));
  EXPECT_FALSE(IsForScatteredProducts(ElementType::kFloat, 64, 1024, 64));
  EXPECT_FALSE(IsForScatteredProducts(ElementType::kHalf, 8, 8, 8));
}

TEST(ScatteredProducts, KeepWhatIsNoNumber) {
  std::vector<float> a = {INFINITY, 1, -0.0f, NAN}, b = {1, 2, 3, 4}, c(4);
  const std::vector<int64_t> at = {0};
  ScatteredProducts p{.m = 2, .k = 2, .n = 2};
  p.a = a.data(), p.b = b.data(), p.c = c.data();
  p.a_row = 2, p.a_k = 1, p.b_k = 2, p.b_column = 1, p.c_row = 2;
  p.a_at = p.b_at = p.c_at = at;
  ASSERT_TRUE(RunProducts(p).ok());
  EXPECT_TRUE(std::isinf(c[0]) && std::isinf(c[1]));
  EXPECT_TRUE(std::isnan(c[2]) && std::isnan(c[3]));
}

}  // namespace
}  // namespace gk
