// Reflections that make a column's elements zero but for the first.
#ifndef GK_KERNELS_HOUSEHOLDER_H_
#define GK_KERNELS_HOUSEHOLDER_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "kernels/complex_product.h"

namespace gk {

// I - tau v v^H, v[0] being 1: its adjoint makes `x` a real multiple, beta, of
// the first unit vector. v is what is left in `x`.
template <class T, class R>
T Reflect(int64_t n, T* x, R* beta) {
  R scale = 0;
  for (int64_t i = 1; i < n; ++i) scale = std::max(scale, std::abs(x[i]));
  const T alpha = x[0];
  if (scale == 0 && std::imag(alpha) == 0) {
    *beta = std::real(alpha);
    x[0] = T(1);
    return T(0);
  }
  scale = std::max(scale, std::abs(alpha));
  R sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += std::norm(x[i] / scale);
  const R length = scale * std::sqrt(sum);
  *beta = std::real(alpha) >= 0 ? -length : length;
  const T over = T(1) / (alpha - *beta);
  for (int64_t i = 1; i < n; ++i) x[i] *= over;
  x[0] = T(1);
  return (*beta - alpha) / *beta;
}

// The adjoint of a reflection, times the rows of a matrix: `width` columns,
// rows `stride` apart. `sums` has room for a row.
template <class T>
void ReflectRows(const std::vector<T>& v, T tau, T* a, int64_t stride,
                 int64_t width, T* sums) {
  const int64_t n = v.size();
  std::fill_n(sums, width, T(0));
  for (int64_t i = 0; i < n; ++i) {
    const T factor = Conj(v[i]);
    const T* row = a + i * stride;
    for (int64_t j = 0; j < width; ++j) sums[j] += Times(factor, row[j]);
  }
  for (int64_t i = 0; i < n; ++i) {
    const T factor = Times(Conj(tau), v[i]);
    T* row = a + i * stride;
    for (int64_t j = 0; j < width; ++j) row[j] -= Times(factor, sums[j]);
  }
}

// Columns of the product of reflections, of which number k begins at row k +
// shift, one after the other.
template <class T>
std::vector<T> Accumulated(const std::vector<std::vector<T>>& vectors,
                           const std::vector<T>& taus, int64_t shift,
                           int64_t rows, int64_t columns) {
  std::vector<T> out(rows * columns);
  for (int64_t j = 0; j < columns; ++j) out[j * rows + j] = T(1);
  for (int64_t k = vectors.size() - 1; k >= 0; --k) {
    const std::vector<T>& v = vectors[k];
    const int64_t from = k + shift, n = v.size();
    // The columns before are unit vectors still.
    for (int64_t j = from; j < columns; ++j) {
      T* column = out.data() + j * rows + from;
      T dot(0);
      for (int64_t i = 0; i < n; ++i) dot += Times(Conj(v[i]), column[i]);
      dot = Times(dot, taus[k]);
      for (int64_t i = 0; i < n; ++i) column[i] -= Times(v[i], dot);
    }
  }
  return out;
}

}  // namespace gk

#endif  // GK_KERNELS_HOUSEHOLDER_H_
