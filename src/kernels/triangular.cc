#include "kernels/triangular.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/thread_pool.h"
#include "kernels/block_product.h"
#include "kernels/complex_product.h"
#include "kernels/isa.h"

namespace gk {
namespace {

template <class T>
GK_INLINE void Subtract(T factor, const T* other, T* row, int64_t width) {
  for (int64_t c = 0; c < width; ++c) row[c] -= Times(factor, other[c]);
}

template <class T>
struct TriangleBody {
  // Columns whose row stays in registers while others are taken from it.
  static constexpr int kVectors = 4, kLanes = 32 / sizeof(T);
  static constexpr int64_t kStrip = kVectors * kLanes;

  GK_INLINE static void Strip(const Triangle<T>& t, T* x, int64_t stride) {
    typedef T V __attribute__((vector_size(32), aligned(sizeof(T)), may_alias));
    const int64_t n = t.n;
    const bool forward = t.lower != t.adjoint;
    const int64_t a_row = t.adjoint ? 1 : t.stride;
    const int64_t a_k = t.adjoint ? t.stride : 1;
    for (int64_t k = 0; k < n; ++k) {
      const int64_t i = forward ? k : n - 1 - k;
      V* const at = reinterpret_cast<V*>(x + i * stride);
      V row[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) row[v] = at[v];
      for (int64_t l = 0; l < k; ++l) {
        const int64_t j = forward ? l : n - 1 - l;
        const T factor = t.a[i * a_row + j * a_k];
        const V* const other = reinterpret_cast<const V*>(x + j * stride);
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) row[v] -= factor * other[v];
      }
      const T pivot = t.unit ? T(1) : t.a[i * (t.stride + 1)];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        at[v] = t.unit ? row[v] : row[v] / pivot;
      }
    }
  }

  GK_INLINE static void Run(const Triangle<T>& t, T* x, int64_t stride,
                            int64_t width) {
    if constexpr (std::is_floating_point_v<T>) {
      for (; width >= kStrip; x += kStrip, width -= kStrip) {
        Strip(t, x, stride);
      }
    }
    const int64_t n = t.n;
    const bool forward = t.lower != t.adjoint;
    for (int64_t k = 0; k < n; ++k) {
      const int64_t i = forward ? k : n - 1 - k;
      T* row = x + i * stride;
      for (int64_t l = 0; l < k; ++l) {
        const int64_t j = forward ? l : n - 1 - l;
        const T factor =
            t.adjoint ? Conj(t.a[j * t.stride + i]) : t.a[i * t.stride + j];
        Subtract(factor, x + j * stride, row, width);
      }
      if (t.unit) continue;
      const T* on = t.a + i * t.stride + i;
      const T pivot = t.adjoint ? Conj(*on) : *on;
      for (int64_t c = 0; c < width; ++c) row[c] /= pivot;
    }
  }
};

template <class T>
void SolveSmallTriangle(const Triangle<T>& t, T* x, int64_t stride,
                        int64_t width) {
  using Stamped =
      Stamp<TriangleBody<T>, void(const Triangle<T>&, T*, int64_t, int64_t)>;
  Stamped::template Best<Isa::kV3>()(t, x, stride, width);
}

// Rows solved for at once; what the others take from them are products.
constexpr int64_t kBlock = 16;
// Columns of one slice of the work.
constexpr int64_t kSlice = 96;

// One column, its elements side by side: eight sums of a row are under way.
template <class T>
struct ColumnBody {
  GK_INLINE static void Run(const Triangle<T>& t, T* x) {
    const bool forward = t.lower != t.adjoint;
    constexpr int64_t kLanes = 8;
    for (int64_t k = 0; k < t.n; ++k) {
      const int64_t i = forward ? k : t.n - 1 - k;
      const int64_t from = forward ? 0 : i + 1, count = forward ? i : k;
      const T* row = t.a + i * t.stride;
      if (!t.adjoint) {
        const T *a = row + from, *b = x + from;
        T sums[kLanes] = {};
        int64_t j = 0;
        for (; j + kLanes <= count; j += kLanes) {
#pragma GCC unroll 8
          for (int64_t l = 0; l < kLanes; ++l) {
            sums[l] += Times(a[j + l], b[j + l]);
          }
        }
        T sum = ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
                ((sums[1] + sums[5]) + (sums[3] + sums[7]));
        for (; j < count; ++j) sum += Times(a[j], b[j]);
        x[i] -= sum;
      }
      if (!t.unit) x[i] /= t.adjoint ? Conj(row[i]) : row[i];
      if (!t.adjoint) continue;
      // Of the adjoint a row holds what the unknown gives to the others.
      const int64_t rest = forward ? i + 1 : 0, end = forward ? t.n : i;
      for (int64_t j = rest; j < end; ++j) x[j] -= Times(Conj(row[j]), x[i]);
    }
  }
};

template <class T>
void SolveColumn(const Triangle<T>& t, T* x) {
  Stamp<ColumnBody<T>, void(const Triangle<T>&, T*)>::template Best<Isa::kV3>()(
      t, x);
}

}  // namespace

template <class T>
void SolveTriangle(const Triangle<T>& t, T* x, int64_t stride, int64_t width) {
  if (width == 1 && t.n > 4) {
    if (stride == 1) return SolveColumn(t, x);
    std::vector<T> column(t.n);
    for (int64_t i = 0; i < t.n; ++i) column[i] = x[i * stride];
    SolveColumn(t, column.data());
    for (int64_t i = 0; i < t.n; ++i) x[i * stride] = column[i];
    return;
  }
  if (t.n <= kBlock) return SolveSmallTriangle(t, x, stride, width);
  const bool forward = t.lower != t.adjoint;
  const int64_t blocks = (t.n + kBlock - 1) / kBlock;
  for (int64_t k = 0; k < blocks; ++k) {
    const int64_t block = forward ? k : blocks - 1 - k;
    const int64_t first = block * kBlock, m = std::min(kBlock, t.n - first);
    // Solved before: the rows above, or below.
    const int64_t from = forward ? 0 : first + m,
                  count = forward ? first : t.n - from;
    BlockProduct<T> p{.a = t.a + (t.adjoint ? from * t.stride + first
                                            : first * t.stride + from),
                      .a_row = t.adjoint ? 1 : t.stride,
                      .a_k = t.adjoint ? t.stride : 1,
                      .conjugate = t.adjoint,
                      .b = x + from * stride,
                      .b_row = stride,
                      .c = x + first * stride,
                      .c_row = stride,
                      .m = m,
                      .n = width,
                      .k = count};
    SubtractProduct(p);
    Triangle<T> small = t;
    small.n = m;
    small.a = t.a + first * (t.stride + 1);
    SolveSmallTriangle(small, x + first * stride, stride, width);
  }
}

template <class T>
void SolveTriangle(int64_t n, const T* a, bool lower, bool adjoint, T* x,
                   int64_t stride, int64_t width) {
  SolveTriangle(Triangle<T>{n, a, n, lower, adjoint, false}, x, stride, width);
}

template <class T>
void SolveTriangleInParts(const Triangle<T>& t, T* x, int64_t stride,
                          int64_t width) {
  const int64_t slices = (width + kSlice - 1) / kSlice;
  ThreadPool::Global().ParallelRange(
      slices, t.n * t.n * std::min(kSlice, width) / 16,
      [&](int64_t begin, int64_t end) {
        for (int64_t s = begin; s < end; ++s) {
          SolveTriangle(t, x + s * kSlice, stride,
                        std::min(kSlice, width - s * kSlice));
        }
      });
}

template <class T>
void SolveBandedTriangle(int64_t n, int64_t k, const T* bands, bool lower,
                         bool adjoint, T* x, int64_t width) {
  // The element of the matrix `distance` off its diagonal in row i.
  const auto at = [&](int64_t i, int64_t distance) {
    return bands[(lower ? distance : k - 1 - distance) * n + i];
  };
  const bool forward = lower != adjoint;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = forward ? step : n - 1 - step;
    T* row = x + i * width;
    for (int64_t d = std::min(k - 1, step); d > 0; --d) {
      const int64_t j = forward ? i - d : i + d;
      const T factor = adjoint ? Conj(at(j, d)) : at(i, d);
      Subtract(factor, x + j * width, row, width);
    }
    const T pivot = adjoint ? Conj(at(i, 0)) : at(i, 0);
    for (int64_t c = 0; c < width; ++c) row[c] /= pivot;
  }
}

template <class T>
bool SolveTridiagonal(int64_t n, const T* diagonals, bool pivot, bool perturb,
                      T* x, int64_t width, T* work) {
  using Real = decltype(std::abs(T()));
  const T *above = diagonals, *main = diagonals + n, *below = diagonals + 2 * n;
  // Of the triangle that elimination leaves: the diagonal and two above it.
  T *d = work, *e = work + n, *f = work + 2 * n;
  Real least = 0;
  if (perturb) {
    for (int64_t i = 0; i < n; ++i) {
      least = std::max(least, std::abs(main[i]));
      if (i + 1 < n) least = std::max(least, std::abs(above[i]));
      if (i > 0) least = std::max(least, std::abs(below[i]));
    }
    least = std::max(least * std::numeric_limits<Real>::epsilon(),
                     std::numeric_limits<Real>::min());
  }
  // False: there is none.
  const auto check_pivot = [&](T& x) {
    if (perturb && std::abs(x) <= least) {
      x = T(std::real(x) < 0 ? -least : least);
    }
    return x != T(0);
  };
  d[0] = main[0];
  e[0] = n > 1 ? above[0] : T(0);
  for (int64_t i = 0; i + 1 < n; ++i) {
    T low = below[i + 1], next = main[i + 1];
    T far = i + 2 < n ? above[i + 1] : T(0);
    f[i] = T(0);
    T* row = x + i * width;
    if (pivot && std::abs(low) > std::abs(d[i])) {
      std::swap(d[i], low);
      std::swap(e[i], next);
      f[i] = std::exchange(far, T(0));
      std::swap_ranges(row, row + width, row + width);
      // What was row i goes on as row i + 1.
    }
    if (!check_pivot(d[i])) return false;
    const T factor = low / d[i];
    d[i + 1] = next - Times(factor, e[i]);
    e[i + 1] = far - Times(factor, f[i]);
    Subtract(factor, row, row + width, width);
  }
  if (!check_pivot(d[n - 1])) return false;
  for (int64_t i = n - 1; i >= 0; --i) {
    T* row = x + i * width;
    if (i + 1 < n) Subtract(e[i], row + width, row, width);
    if (i + 2 < n) Subtract(f[i], row + 2 * width, row, width);
    for (int64_t c = 0; c < width; ++c) row[c] /= d[i];
  }
  return true;
}

namespace {

template <class T>
struct TridiagonalProduct {
  GK_INLINE static void Run(int64_t n, int64_t begin, int64_t end,
                            const T* above, const T* diagonal, const T* below,
                            const T* x, int64_t width, T* out) {
    for (int64_t i = begin; i < end; ++i) {
      const T* __restrict const row = x + i * width;
      T* __restrict const to = out + i * width;
      if (i > 0 && i + 1 < n) {
        const T a = above[i], d = diagonal[i], b = below[i];
        for (int64_t c = 0; c < width; ++c) {
          to[c] = Times(d, row[c]) + Times(b, row[c - width]) +
                  Times(a, row[c + width]);
        }
        continue;
      }
      for (int64_t c = 0; c < width; ++c) to[c] = Times(diagonal[i], row[c]);
      if (i > 0) Subtract(-below[i], row - width, to, width);
      if (i + 1 < n) Subtract(-above[i], row + width, to, width);
    }
  }
};

}  // namespace

template <class T>
void MultiplyTridiagonal(int64_t n, const T* above, const T* diagonal,
                         const T* below, const T* x, int64_t width, T* out) {
  const auto multiply =
      Stamp<TridiagonalProduct<T>,
            void(int64_t, int64_t, int64_t, const T*, const T*, const T*,
                 const T*, int64_t, T*)>::template Best<Isa::kV3>();
  ThreadPool::Global().ParallelRange(
      n, width / 2 + 2, [&](int64_t begin, int64_t end) {
        multiply(n, begin, end, above, diagonal, below, x, width, out);
      });
}

#define GK_INSTANTIATE(T)                                                    \
  template void SolveTriangle(int64_t, const T*, bool, bool, T*, int64_t,    \
                              int64_t);                                      \
  template void SolveTriangle(const Triangle<T>&, T*, int64_t, int64_t);     \
  template void SolveTriangleInParts(const Triangle<T>&, T*, int64_t,        \
                                     int64_t);                               \
  template void SolveBandedTriangle(int64_t, int64_t, const T*, bool, bool,  \
                                    T*, int64_t);                            \
  template bool SolveTridiagonal(int64_t, const T*, bool, bool, T*, int64_t, \
                                 T*);                                        \
  template void MultiplyTridiagonal(int64_t, const T*, const T*, const T*,   \
                                    const T*, int64_t, T*);
GK_INSTANTIATE(float)
GK_INSTANTIATE(double)
GK_INSTANTIATE(std::complex<float>)
GK_INSTANTIATE(std::complex<double>)
#undef GK_INSTANTIATE

}  // namespace gk
