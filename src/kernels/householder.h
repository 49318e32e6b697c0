// Reflections that make a column's elements zero but for the first, one by one
// and many at once.
//
// Bodies for Stamp and what is built of them; T: float, double and their
// complex types. Thread-safe.
#ifndef GK_KERNELS_HOUSEHOLDER_H_
#define GK_KERNELS_HOUSEHOLDER_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "base/thread_pool.h"
#include "kernels/block_product.h"
#include "kernels/complex_product.h"
#include "kernels/isa.h"

namespace gk {

// The sum of conj(x) y, by sixteen sums under way: their number is fixed, so
// that the order of all steps is.
template <class T>
GK_INLINE T DotOf(const T* x, const T* y, int64_t n) {
  constexpr int64_t kLanes = 16;
  T sums[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t l = 0; l < kLanes; ++l) {
      sums[l] += Times(Conj(x[i + l]), y[i + l]);
    }
  }
  for (int64_t width = kLanes / 2; width > 0; width /= 2) {
    for (int64_t l = 0; l < width; ++l) sums[l] += sums[l + width];
  }
  for (; i < n; ++i) sums[0] += Times(Conj(x[i]), y[i]);
  return sums[0];
}

// I - tau v v^H, v[0] being 1: its adjoint makes `x` a real multiple, beta, of
// the first unit vector. v is what is left in `x`.
template <class T, class R>
GK_INLINE T Reflect(int64_t n, T* x, R* beta) {
  const T alpha = x[0];
  R length;
  const R sum = std::real(DotOf(x, x, n));
  // Far from overflow, and from where squares lose digits.
  constexpr R kFar = sizeof(R) == 4 ? R(1e18) : R(1e150);
  if (sum > 1 / kFar && sum < kFar) {
    length = std::sqrt(sum);
  } else {
    R scale = 0;
    for (int64_t i = 0; i < n; ++i) scale = std::max(scale, std::abs(x[i]));
    R scaled = 0;
    for (int64_t i = 0; i < n; ++i) scaled += std::norm(x[i] / scale);
    length = scale == 0 ? R(0) : scale * std::sqrt(scaled);
  }
  if (std::imag(alpha) == 0 && (n == 1 || !(length > std::abs(alpha)))) {
    bool none = true;
    for (int64_t i = 1; i < n; ++i) none &= x[i] == T(0);
    if (none) {
      *beta = std::real(alpha);
      x[0] = T(1);
      return T(0);
    }
  }
  *beta = std::real(alpha) >= 0 ? -length : length;
  const T over = T(1) / (alpha - *beta);
  for (int64_t i = 1; i < n; ++i) x[i] = Times(x[i], over);
  x[0] = T(1);
  return (*beta - alpha) / *beta;
}

// Reflects a column, and the rows of what stands beside it (`width` columns,
// rows `stride` apart) by the adjoint. `sums` has room for a row.
template <class T, class R>
struct ReflectBeside {
  GK_INLINE static T Run(int64_t n, T* v, R* beta, T* a, int64_t stride,
                         int64_t width, T* sums) {
    const T tau = Reflect(n, v, beta);
    for (int64_t j = 0; j < width; ++j) sums[j] = T(0);
    for (int64_t i = 0; i < n; ++i) {
      const T factor = Conj(v[i]);
      const T* row = a + i * stride;
#pragma GCC ivdep
      for (int64_t j = 0; j < width; ++j) sums[j] += Times(factor, row[j]);
    }
    for (int64_t i = 0; i < n; ++i) {
      const T factor = Times(Conj(tau), v[i]);
      T* row = a + i * stride;
#pragma GCC ivdep
      for (int64_t j = 0; j < width; ++j) row[j] -= Times(factor, sums[j]);
    }
    return tau;
  }
};

// The same of a row's conjugate, `h`, and of the `rows` below it, from the
// right.
template <class T, class R>
struct ReflectBelow {
  GK_INLINE static T Run(int64_t n, T* h, R* beta, T* a, int64_t stride,
                         int64_t rows) {
    const T tau = Reflect(n, h, beta);
    for (int64_t i = 0; i < rows; ++i) {
      T* row = a + i * stride;
      // conj(h)^H row is what the conjugate of the sum is of.
      T dot(0);
      if constexpr (std::is_floating_point_v<T>) {
        dot = DotOf(h, row, n);
      } else {
        for (int64_t j = 0; j < n; ++j) dot += Times(row[j], h[j]);
      }
      dot = Times(dot, tau);
#pragma GCC ivdep
      for (int64_t j = 0; j < n; ++j) row[j] -= Times(dot, Conj(h[j]));
    }
    return tau;
  }
};

// The product of reflections whose vectors are the rows of `v` (`width` of
// them, `length` elements each, zeros in front) is I - v^T t conj(v): t is an
// upper triangle of width x width.
template <class T>
struct TriangleOfReflections {
  GK_INLINE static void Run(int64_t length, int64_t width, const T* v,
                            const T* taus, T* t) {
    T dots[64];
    for (int64_t k = 0; k < width; ++k) {
      for (int64_t i = 0; i < k; ++i) {
        dots[i] = DotOf(v + i * length + k, v + k * length + k, length - k);
      }
      for (int64_t i = 0; i < width; ++i) t[i * width + k] = T(0);
      for (int64_t i = 0; i < k; ++i) {
        T sum(0);
        for (int64_t j = i; j < k; ++j) sum += Times(t[i * width + j], dots[j]);
        t[i * width + k] = Times(-taus[k], sum);
      }
      t[k * width + k] = taus[k];
    }
  }
};

// Columns of a panel, one after the other, become the vectors of reflections;
// what stands above the diagonal goes to `above`, [width, width].
template <class T, class R>
struct ReflectPanel {
  GK_INLINE static void Run(int64_t rows, int64_t width, T* panel, T* above,
                            R* betas, T* taus, T* t) {
    for (int64_t k = 0; k < width; ++k) {
      T* const v = panel + k * rows;
      for (int64_t i = 0; i < k; ++i) {
        above[i * width + k] = v[i];
        v[i] = T(0);
      }
      taus[k] = Reflect(rows - k, v + k, &betas[k]);
      for (int64_t j = k + 1; j < width; ++j) {
        T* const x = panel + j * rows;
        const T factor = Times(Conj(taus[k]), DotOf(v + k, x + k, rows - k));
#pragma GCC ivdep
        for (int64_t i = k; i < rows; ++i) x[i] -= Times(factor, v[i]);
      }
    }
    TriangleOfReflections<T>::Run(rows, width, panel, taus, t);
  }
};

// Vectors of this many are applied at once; at most 64.
inline constexpr int64_t kReflections = 32;

// Applies such a product, or its adjoint, to a matrix of `length` rows, cut
// over the threads by its columns.
template <class T>
void ApplyReflections(int64_t length, int64_t width, const T* v, const T* t,
                      bool adjoint, T* c, int64_t stride, int64_t columns) {
  constexpr int64_t kSlice = 96;
  const int64_t slices = (columns + kSlice - 1) / kSlice;
  ThreadPool::Global().ParallelRange(
      slices, kSlice * length * width / 8, [&](int64_t begin, int64_t end) {
        std::vector<T> inner(2 * width * kSlice);
        for (int64_t s = begin; s < end; ++s) {
          const int64_t n = std::min(kSlice, columns - s * kSlice);
          T *const at = c + s * kSlice, *const minus = inner.data(),
                   *const turned = minus + width * kSlice;
          std::fill(inner.begin(), inner.end(), T(0));
          SubtractProduct(BlockProduct<T>{v, length, 1, true, at, stride, minus,
                                          kSlice, width, n, length});
          SubtractProduct(BlockProduct<T>{
              t, adjoint ? 1 : width, adjoint ? width : 1, adjoint, minus,
              kSlice, turned, kSlice, width, n, width});
          SubtractProduct(BlockProduct<T>{v, 1, length, false, turned, kSlice,
                                          at, stride, length, n, width});
        }
      });
}

// The columns of the product of `count` reflections, as rows x columns: vector
// k is row k of `v`, zeros in front of its element k + shift.
template <class T>
std::vector<T> ProductOfReflections(const T* v, const T* taus, int64_t count,
                                    int64_t shift, int64_t rows,
                                    int64_t columns) {
  std::vector<T> out(rows * columns), t(kReflections * kReflections), part;
  for (int64_t j = 0; j < columns; ++j) out[j * columns + j] = T(1);
  const int64_t blocks = (count + kReflections - 1) / kReflections;
  for (int64_t b = blocks - 1; b >= 0; --b) {
    const int64_t first = b * kReflections, from = first + shift,
                  width = std::min(kReflections, count - first),
                  length = rows - from;
    if (length <= 0 || columns <= from) continue;
    part.resize(width * length);
    for (int64_t k = 0; k < width; ++k) {
      std::copy_n(v + (first + k) * rows + from, length,
                  part.data() + k * length);
    }
    Stamp<TriangleOfReflections<T>,
          void(int64_t, int64_t, const T*, const T*,
               T*)>::template Best<Isa::kV3>()(length, width, part.data(),
                                               taus + first, t.data());
    // The columns before are unit vectors still.
    ApplyReflections(length, width, part.data(), t.data(), false,
                     out.data() + from * columns + from, columns,
                     columns - from);
  }
  return out;
}

}  // namespace gk

#endif  // GK_KERNELS_HOUSEHOLDER_H_
