#include "kernels/block_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <type_traits>
#include <vector>

#include "kernels/complex_product.h"

namespace gk {
namespace {

template <class T>
T NumberOf(int64_t i) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(std::sin(1.0 + 1.7 * i));
  } else {
    return T(std::sin(1.0 + 1.7 * i), std::cos(2.0 + 0.3 * i));
  }
}

template <class T>
void Check(int64_t m, int64_t n, int64_t k, bool turned, int64_t apart) {
  // Rows, or columns, of a are `apart` longer than what is multiplied.
  const int64_t a_row = turned ? 1 : k + apart, a_k = turned ? m + apart : 1;
  std::vector<T> a((m + apart) * (k + apart)), b(k * n), c(m * n);
  for (size_t i = 0; i < a.size(); ++i) a[i] = NumberOf<T>(i);
  for (size_t i = 0; i < b.size(); ++i) b[i] = NumberOf<T>(i + 7);
  const bool conjugate = turned;
  const BlockProduct<T> p{a.data(), a_row, a_k, conjugate, b.data(), n,
                          c.data(), n,     m,   n,         k};
  SubtractProductInParts(p);
  std::vector<T> alone(m * n);
  BlockProduct<T> own = p;
  own.c = alone.data();
  SubtractProduct(own);
  EXPECT_EQ(c, alone);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      T sum = c[i * n + j];
      for (int64_t l = 0; l < k; ++l) {
        const T x = a[i * a_row + l * a_k];
        sum += (conjugate ? Conj(x) : x) * b[l * n + j];
      }
      ASSERT_LT(std::abs(sum), 1e-12 * (k + 1))
          << m << " " << n << " " << k << " " << turned << " " << apart;
    }
  }
}

// One element a row or column, and more than one tile.
TEST(BlockProductTest, TakesAnyStrides) {
  for (int64_t m : {1, 3, 70}) {
    for (int64_t n : {1, 5, 200}) {
      for (int64_t k : {1, 2, 9, 130}) {
        for (bool turned : {false, true}) {
          for (int64_t apart : {0, 1, 69}) {
            Check<double>(m, n, k, turned, apart);
            Check<std::complex<double>>(m, n, k, turned, apart);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace gk
