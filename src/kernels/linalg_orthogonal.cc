// QR factors and solutions by least squares.
#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/block_product.h"
#include "kernels/complex_product.h"
#include "kernels/householder.h"
#include "kernels/linalg.h"
#include "kernels/triangular.h"

namespace gk {
namespace {

// c = a^H b of m x n and m x columns, or, if not `adjoint`, a b of m x n and n
// x columns.
template <class T>
void Multiply(int64_t m, int64_t n, int64_t columns, const T* a, bool adjoint,
              const T* b, T* c) {
  const int64_t size = (adjoint ? n : m) * columns;
  std::fill_n(c, size, T(0));
  SubtractProductInParts(
      BlockProduct<T>{a, adjoint ? 1 : n, adjoint ? n : 1, adjoint, b, columns,
                      c, columns, adjoint ? n : m, columns, adjoint ? m : n});
  for (int64_t i = 0; i < size; ++i) c[i] = -c[i];
}

template <class T>
std::vector<T> AdjointOf(int64_t m, int64_t n, const T* a) {
  std::vector<T> out(m * n);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) out[j * m + i] = Conj(a[i * n + j]);
  }
  return out;
}

}  // namespace

template <class T>
void QrFactor(int64_t m, int64_t n, const T* a, bool full, T* q, T* r) {
  using Real = typename RealOf<T>::type;
  const int64_t steps = std::min(m, n), p = full ? m : steps;
  std::vector<T> left(a, a + m * n), vectors(q != nullptr ? steps * m : 0),
      taus(steps), panel(m * std::min(steps, kReflections)),
      above(kReflections * kReflections), t(kReflections * kReflections);
  Real betas[kReflections];
  std::fill_n(r, p * n, T(0));
  for (int64_t k = 0; k < steps; k += kReflections) {
    const int64_t width = std::min(kReflections, steps - k), rows = m - k,
                  rest = n - k - width;
    for (int64_t i = 0; i < rows; ++i) {
      const T* from = left.data() + (k + i) * n + k;
      for (int64_t j = 0; j < width; ++j) panel[j * rows + i] = from[j];
    }
    Stamp<ReflectPanel<T, Real>,
          void(int64_t, int64_t, T*, T*, Real*, T*,
               T*)>::template Best<Isa::kV3>()(rows, width, panel.data(),
                                               above.data(), betas,
                                               taus.data() + k, t.data());
    T* const beside = left.data() + k * n + k + width;
    if (rest > 0) {
      ApplyReflections(rows, width, panel.data(), t.data(), true, beside, n,
                       rest);
    }
    for (int64_t i = 0; i < width; ++i) {
      T* const row = r + (k + i) * n + k;
      row[i] = T(betas[i]);
      std::copy_n(above.data() + i * width + i + 1, width - i - 1, row + i + 1);
      std::copy_n(beside + i * n, rest, row + width);
    }
    if (q == nullptr) continue;
    for (int64_t j = 0; j < width; ++j) {
      std::copy_n(panel.data() + j * rows, rows,
                  vectors.data() + (k + j) * m + k);
    }
  }
  if (q == nullptr) return;
  const std::vector<T> found =
      ProductOfReflections(vectors.data(), taus.data(), steps, 0, m, p);
  std::copy(found.begin(), found.end(), q);
}

// By the pseudoinverse that singular values give.
template <class T>
void LeastSquares(int64_t m, int64_t n, int64_t columns, const T* a, const T* b,
                  T* x) {
  using Real = typename RealOf<T>::type;
  const int64_t p = std::min(m, n);
  std::vector<Real> s(p);
  std::vector<T> u(m * p), v(n * p), inner(p * columns);
  if (!SingularValues(m, n, a, false, s.data(), u.data(), v.data())) {
    std::fill_n(x, n * columns, T(std::numeric_limits<Real>::quiet_NaN()));
    return;
  }
  Multiply(m, p, columns, u.data(), true, b, inner.data());
  const Real least = s[0] * p * std::numeric_limits<Real>::epsilon();
  for (int64_t i = 0; i < p; ++i) {
    for (int64_t k = 0; k < columns; ++k) {
      T& value = inner[i * columns + k];
      value = s[i] > least ? value / s[i] : T(0);
    }
  }
  Multiply(n, p, columns, v.data(), false, inner.data(), x);
}

template <class T>
bool RegularizedLeastSquares(int64_t m, int64_t n, int64_t columns, const T* a,
                             const T* b, double l2, T* x) {
  const bool tall = m >= n;
  const int64_t p = std::min(m, n);
  std::vector<T> gramian(p * p), factor(p * p), adjoint;
  if (tall) {
    Multiply(m, n, n, a, true, a, gramian.data());
  } else {
    adjoint = AdjointOf(m, n, a);
    Multiply(m, n, m, a, false, adjoint.data(), gramian.data());
  }
  for (int64_t i = 0; i < p; ++i) {
    gramian[i * p + i] += T(static_cast<typename RealOf<T>::type>(l2));
  }
  if (!CholeskyFactor(p, gramian.data(), factor.data())) return false;
  const auto solve = [&](T* y) {
    SolveTriangle(p, factor.data(), true, false, y, columns, columns);
    SolveTriangle(p, factor.data(), true, true, y, columns, columns);
  };
  if (tall) {
    Multiply(m, n, columns, a, true, b, x);
    solve(x);
  } else {
    std::vector<T> inner(b, b + m * columns);
    solve(inner.data());
    Multiply(n, m, columns, adjoint.data(), false, inner.data(), x);
  }
  return true;
}

#define GK_INSTANTIATE(T)                                                    \
  template void QrFactor(int64_t, int64_t, const T*, bool, T*, T*);          \
  template void LeastSquares(int64_t, int64_t, int64_t, const T*, const T*,  \
                             T*);                                            \
  template bool RegularizedLeastSquares(int64_t, int64_t, int64_t, const T*, \
                                        const T*, double, T*);
GK_INSTANTIATE(float)
GK_INSTANTIATE(double)
GK_INSTANTIATE(std::complex<float>)
GK_INSTANTIATE(std::complex<double>)
#undef GK_INSTANTIATE

}  // namespace gk
