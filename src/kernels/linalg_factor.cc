// Cholesky and LU factors, block by block, and what is computed by them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/block_product.h"
#include "kernels/complex_product.h"
#include "kernels/isa.h"
#include "kernels/linalg.h"
#include "kernels/matrix_tiles.h"
#include "kernels/triangular.h"

namespace gk {
namespace {

// Columns factored at once; the rest takes products.
constexpr int64_t kCholeskyBlock = 64, kLuBlock = 32;

// u^H u = a of the upper half of a small matrix, in place: rows are what is
// worked on.
template <class T>
struct SmallCholesky {
  GK_INLINE static bool Run(T* u, int64_t n, int64_t stride) {
    for (int64_t k = 0; k < n; ++k) {
      T* row = u + k * stride;
      const auto pivot = std::real(row[k]);
      // Written so that what is no number counts as not positive.
      if (!(pivot > 0)) return false;
      const auto root = std::sqrt(pivot);
      row[k] = T(root);
      for (int64_t j = k + 1; j < n; ++j) row[j] /= root;
      for (int64_t i = k + 1; i < n; ++i) {
        const T factor = Conj(row[i]);
        T* to = u + i * stride;
        for (int64_t j = i; j < n; ++j) to[j] -= Times(factor, row[j]);
      }
    }
    return true;
  }
};

// Columns of a panel, one after the other: pivots are exchanged within them,
// `swaps` says with which rows.
template <class T>
struct LuPanel {
  GK_INLINE static void Run(T* p, int64_t rows, int64_t width, int64_t* swaps) {
    for (int64_t k = 0; k < width; ++k) {
      T* column = p + k * rows;
      int64_t at = k;
      auto most = std::abs(column[k]);
      for (int64_t i = k + 1; i < rows; ++i) {
        const auto size = std::abs(column[i]);
        if (size > most) {
          most = size;
          at = i;
        }
      }
      swaps[k] = at;
      if (at != k) {
        for (int64_t j = 0; j < width; ++j) {
          std::swap(p[j * rows + k], p[j * rows + at]);
        }
      }
      const T pivot = column[k];
      if (pivot != T(0)) {
        for (int64_t i = k + 1; i < rows; ++i) column[i] /= pivot;
      }
      for (int64_t j = k + 1; j < width; ++j) {
        T* other = p + j * rows;
        const T factor = other[k];
        for (int64_t i = k + 1; i < rows; ++i) {
          other[i] -= Times(factor, column[i]);
        }
      }
    }
  }
};

template <class T>
bool FactorSmall(T* u, int64_t n, int64_t stride) {
  return Stamp<SmallCholesky<T>,
               bool(T*, int64_t, int64_t)>::template Best<Isa::kV3>()(u, n,
                                                                      stride);
}

template <class T>
void FactorPanel(T* p, int64_t rows, int64_t width, int64_t* swaps) {
  Stamp<LuPanel<T>, void(T*, int64_t, int64_t,
                         int64_t*)>::template Best<Isa::kV3>()(p, rows, width,
                                                               swaps);
}

// In place: unit lower and upper triangles. Row i of their product is row
// perm[i] of what there was. Returns how many rows were exchanged.
template <class T>
int64_t LuInPlace(int64_t n, T* lu, int64_t* perm) {
  for (int64_t i = 0; i < n; ++i) perm[i] = i;
  int64_t exchanged = 0;
  int64_t swaps[kLuBlock];
  std::vector<T> panel(n * std::min(n, kLuBlock));
  for (int64_t k = 0; k < n; k += kLuBlock) {
    const int64_t width = std::min(kLuBlock, n - k), rows = n - k,
                  rest = n - k - width;
    for (int64_t i = 0; i < rows; ++i) {
      const T* from = lu + (k + i) * n + k;
      for (int64_t j = 0; j < width; ++j) panel[j * rows + i] = from[j];
    }
    FactorPanel(panel.data(), rows, width, swaps);
    for (int64_t i = 0; i < width; ++i) {
      if (swaps[i] == i) continue;
      ++exchanged;
      std::swap_ranges(lu + (k + i) * n, lu + (k + i + 1) * n,
                       lu + (k + swaps[i]) * n);
      std::swap(perm[k + i], perm[k + swaps[i]]);
    }
    for (int64_t i = 0; i < rows; ++i) {
      T* to = lu + (k + i) * n + k;
      for (int64_t j = 0; j < width; ++j) to[j] = panel[j * rows + i];
    }
    if (rest == 0) continue;
    T* right = lu + k * n + k + width;
    SolveTriangleInParts(
        Triangle<T>{width, lu + k * n + k, n, true, false, true}, right, n,
        rest);
    SubtractProductInParts(BlockProduct<T>{lu + (k + width) * n + k, n, 1,
                                           false, right, n, right + width * n,
                                           n, rest, rest, width});
  }
  return exchanged;
}

template <class T>
struct Lu {
  Lu(int64_t size, const T* a) : n(size), lu(a, a + n * n), perm(n) {
    exchanged = LuInPlace(n, lu.data(), perm.data());
  }
  bool IsSingular() const {
    for (int64_t i = 0; i < n; ++i) {
      // Written so that what is no number counts as a pivot that is none.
      if (!(std::abs(lu[i * n + i]) > 0)) return true;
    }
    return false;
  }
  Triangle<T> Lower(bool adjoint) const {
    return {n, lu.data(), n, true, adjoint, true};
  }
  Triangle<T> Upper(bool adjoint) const {
    return {n, lu.data(), n, false, adjoint, false};
  }
  // Of a x = b, or a^H x = b.
  void Solve(int64_t columns, bool adjoint, const T* b, T* x) const {
    if (!adjoint) {
      for (int64_t i = 0; i < n; ++i) {
        std::copy_n(b + perm[i] * columns, columns, x + i * columns);
      }
      SolveTriangleInParts(Lower(false), x, columns, columns);
      SolveTriangleInParts(Upper(false), x, columns, columns);
      return;
    }
    std::vector<T> y(b, b + n * columns);
    SolveTriangleInParts(Upper(true), y.data(), columns, columns);
    SolveTriangleInParts(Lower(true), y.data(), columns, columns);
    for (int64_t i = 0; i < n; ++i) {
      std::copy_n(y.data() + i * columns, columns, x + perm[i] * columns);
    }
  }

  const int64_t n;
  std::vector<T> lu;
  std::vector<int64_t> perm;
  int64_t exchanged;
};

}  // namespace

template <class T>
bool CholeskyFactor(int64_t n, const T* a, T* l) {
  for (int64_t i = 0; i < n; ++i) {
    std::copy_n(a + i * n, i + 1, l + i * n);
  }
  T small[kCholeskyBlock * kCholeskyBlock];
  std::vector<T> turned;
  for (int64_t k = 0; k < n; k += kCholeskyBlock) {
    const int64_t width = std::min(kCholeskyBlock, n - k), rest = n - k - width;
    T* block = l + k * n + k;
    for (int64_t i = 0; i < width; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        small[j * width + i] = Conj(block[i * n + j]);
      }
    }
    if (!FactorSmall(small, width, width)) return false;
    for (int64_t i = 0; i < width; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        block[i * n + j] = Conj(small[j * width + i]);
      }
    }
    if (rest == 0) break;
    // Of the rows below l11 l21^H = a21^H.
    T* under = block + width * n;
    turned.resize(width * rest);
    for (int64_t i = 0; i < rest; ++i) {
      for (int64_t j = 0; j < width; ++j) {
        turned[j * rest + i] = Conj(under[i * n + j]);
      }
    }
    SolveTriangleInParts(Triangle<T>{width, block, n, true, false, false},
                         turned.data(), rest, rest);
    for (int64_t i = 0; i < rest; ++i) {
      for (int64_t j = 0; j < width; ++j) {
        under[i * n + j] = Conj(turned[j * rest + i]);
      }
    }
    SubtractProductInParts(
        BlockProduct<T>{under, n, 1, false, turned.data(), rest, under + width,
                        n, rest, rest, width},
        true);
  }
  for (int64_t i = 0; i < n; ++i) {
    std::fill_n(l + i * n + i + 1, n - i - 1, T(0));
  }
  return true;
}

// With P(x) the lower half of x with a halved diagonal it is l^-T P(l^T dl)
// l^-1, and the transpose of that, halved.
template <class T>
void CholeskyGradient(int64_t n, const T* l, const T* dl, T* da) {
  // -l^T dl, of which the lower half counts.
  std::vector<T> lower(n * n), middle(n * n), turned(n * n);
  for (int64_t i = 0; i < n; ++i) {
    std::copy_n(dl + i * n, i + 1, lower.data() + i * n);
    // Of l no more than the lower half is read.
    std::copy_n(l + i * n, i + 1, turned.data() + i * n);
  }
  SubtractProductInParts(
      BlockProduct<T>{turned.data(), 1, n, false, lower.data(), n,
                      middle.data(), n, n, n, n},
      true);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) middle[i * n + j] = -middle[i * n + j];
    middle[i * n + i] *= T(-0.5);
    std::fill_n(middle.data() + i * n + i + 1, n - i - 1, T(0));
  }
  const Triangle<T> factor{n, l, n, true, true, false};
  SolveTriangleInParts(factor, middle.data(), n, n);
  // x l = middle by its transpose.
  TransposeTo(n, n, middle.data(), turned.data());
  SolveTriangleInParts(factor, turned.data(), n, n);
  ForTiles(n, n, [&](int64_t i, int64_t j) {
    da[i * n + j] = (turned[i * n + j] + turned[j * n + i]) * T(0.5);
  });
}

template <class T>
bool LuFactor(int64_t n, const T* a, T* lu, int64_t* perm) {
  std::copy_n(a, n * n, lu);
  LuInPlace(n, lu, perm);
  for (int64_t i = 0; i < n; ++i) {
    // Written so that what is no number counts as a pivot that is none.
    if (!(std::abs(lu[i * n + i]) > 0)) return false;
  }
  return true;
}

template <class T>
bool SolveSystem(int64_t n, int64_t columns, const T* a, bool adjoint,
                 const T* b, T* x) {
  const Lu<T> lu(n, a);
  if (lu.IsSingular()) return false;
  lu.Solve(columns, adjoint, b, x);
  return true;
}

template <class T>
bool InvertMatrix(int64_t n, const T* a, bool adjoint, T* inverse) {
  const Lu<T> lu(n, a);
  if (lu.IsSingular()) return false;
  std::vector<T> one(n * n);
  for (int64_t i = 0; i < n; ++i) one[i * n + i] = T(1);
  lu.Solve(n, adjoint, one.data(), inverse);
  return true;
}

template <class T>
T DeterminantOf(int64_t n, const T* a) {
  const Lu<T> lu(n, a);
  T product(lu.exchanged % 2 == 0 ? 1 : -1);
  for (int64_t i = 0; i < n; ++i) product *= lu.lu[i * n + i];
  return product;
}

template <class T>
void LogDeterminantOf(int64_t n, const T* a, T* sign, T* log_abs) {
  using Real = typename RealOf<T>::type;
  const Lu<T> lu(n, a);
  T direction(lu.exchanged % 2 == 0 ? Real(1) : Real(-1));
  Real sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const T pivot = lu.lu[i * n + i];
    const Real size = std::abs(pivot);
    if constexpr (std::is_same_v<T, Real>) {
      // The sign of an infinite one, too.
      direction *= pivot != pivot ? pivot : Real((pivot > 0) - (pivot < 0));
    } else {
      direction *= pivot / size;
    }
    sum += std::log(size);
  }
  // A pivot of zero has no direction.
  if (sum == -std::numeric_limits<Real>::infinity()) direction = T(0);
  *sign = direction;
  *log_abs = T(sum);
}

#define GK_INSTANTIATE(T)                                                    \
  template bool CholeskyFactor(int64_t, const T*, T*);                       \
  template bool LuFactor(int64_t, const T*, T*, int64_t*);                   \
  template bool SolveSystem(int64_t, int64_t, const T*, bool, const T*, T*); \
  template bool InvertMatrix(int64_t, const T*, bool, T*);                   \
  template T DeterminantOf(int64_t, const T*);                               \
  template void LogDeterminantOf(int64_t, const T*, T*, T*);
GK_INSTANTIATE(float)
GK_INSTANTIATE(double)
GK_INSTANTIATE(std::complex<float>)
GK_INSTANTIATE(std::complex<double>)
#undef GK_INSTANTIATE
template void CholeskyGradient(int64_t, const float*, const float*, float*);
template void CholeskyGradient(int64_t, const double*, const double*, double*);

}  // namespace gk
