// Square roots and logarithms of matrices, by Eigen, computed in doubles: they
// are asked for rarely, and each type takes the compiler long.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "kernels/eigen_solvers.h"
#include "kernels/linalg.h"

namespace gk {
namespace {

using C = std::complex<double>;
using Matrix = std::vector<C>;

double Largest(const Matrix& a) {
  double most = 0;
  for (const C& x : a) most = std::max(most, std::abs(x));
  return most;
}

// The logarithm of a Hermitian matrix whose eigenvalues are all positive, and
// not so far from one another that small ones are lost. False: it is not one.
bool LogarithmByEigenvalues(int64_t n, const Matrix& a, Matrix* log) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      if (a[i * n + j] != std::conj(a[j * n + i])) return false;
    }
  }
  std::vector<double> e(n);
  Matrix v(n * n), scaled(n * n);
  if (!BestEigenSolvers().hermitian(n, a.data(), e.data(), v.data())) {
    return false;
  }
  const double epsilon = std::numeric_limits<double>::epsilon();
  if (n == 0 || !(e[0] > std::sqrt(epsilon) * e[n - 1])) return false;
  for (int64_t j = 0; j < n; ++j) e[j] = std::log(e[j]);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) scaled[i * n + j] = v[i * n + j] * e[j];
  }
  BestEigenSolvers().product_adjoint(n, scaled.data(), v.data(), log->data());
  return true;
}

}  // namespace

template <class T>
void MatrixSquareRootOf(int64_t n, const T* a, T* root) {
  constexpr bool kReal = std::is_same_v<T, typename RealOf<T>::type>;
  const T none = std::numeric_limits<typename RealOf<T>::type>::quiet_NaN();
  if (!AllFinite(a, n * n)) {
    std::fill_n(root, n * n, none);
    return;
  }
  const EigenSolvers& solvers = BestEigenSolvers();
  if constexpr (kReal) {
    const std::vector<double> from(a, a + n * n);
    std::vector<double> found(n * n);
    solvers.root(n, from.data(), found.data());
    if (AllFinite(found.data(), n * n)) {
      std::copy(found.begin(), found.end(), root);
      return;
    }
  }
  const Matrix from(a, a + n * n);
  Matrix found(n * n);
  solvers.complex_root(n, from.data(), found.data());
  if constexpr (kReal) {
    // A real matrix with a negative eigenvalue has no real root of this kind.
    double imag = 0;
    for (const C& x : found) imag = std::max(imag, std::abs(x.imag()));
    const bool is_real = imag <= 1e-7 * Largest(found);
    std::transform(found.begin(), found.end(), root, [&](const C& x) {
      return is_real ? static_cast<T>(x.real()) : none;
    });
  } else {
    std::copy(found.begin(), found.end(), root);
  }
}

template <class T>
void MatrixLogarithmOf(int64_t n, const T* a, T* log) {
  if (!AllFinite(a, n * n)) {
    const auto none =
        std::numeric_limits<typename RealOf<T>::type>::quiet_NaN();
    std::fill_n(log, n * n, T(none, none));
    return;
  }
  const Matrix from(a, a + n * n);
  Matrix found(n * n);
  if (!LogarithmByEigenvalues(n, from, &found)) {
    BestEigenSolvers().logarithm(n, from.data(), found.data());
  }
  std::copy(found.begin(), found.end(), log);
}

#define GK_INSTANTIATE(T) \
  template void MatrixSquareRootOf(int64_t, const T*, T*);
GK_INSTANTIATE(float)
GK_INSTANTIATE(double)
GK_INSTANTIATE(std::complex<float>)
GK_INSTANTIATE(std::complex<double>)
#undef GK_INSTANTIATE
template void MatrixLogarithmOf(int64_t, const std::complex<float>*,
                                std::complex<float>*);
template void MatrixLogarithmOf(int64_t, const std::complex<double>*,
                                std::complex<double>*);

}  // namespace gk
