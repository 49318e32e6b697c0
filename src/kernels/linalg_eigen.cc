// Eigenvalues and eigenvectors of general matrices, in doubles: real ones by
// their Schur form, complex ones by Eigen.
#include "kernels/eigen_matrix.h"
// Behind the definitions of Eigen's options.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "kernels/linalg.h"
#include "kernels/schur.h"

namespace gk {

namespace {

using C = std::complex<double>;

bool EigenOf(int64_t n, const double* a, C* e, C* v) {
  return RealMatrixEigen(n, a, e, v);
}

bool EigenOf(int64_t n, const C* a, C* e, C* v) {
  const Eigen::ComplexEigenSolver<DenseMatrix<C>> solver(
      DenseMatrix<C>(MatrixAt(a, n, n)), v != nullptr);
  if (solver.info() != Eigen::Success) return false;
  MatrixAt(e, n, 1) = solver.eigenvalues();
  if (v != nullptr) MatrixAt(v, n, n) = solver.eigenvectors();
  return true;
}

}  // namespace

// Those of real matrices come in conjugate pairs.
template <class T>
bool GeneralEigen(int64_t n, const T* a, ComplexOf<T>* e, ComplexOf<T>* v) {
  constexpr bool kReal = std::is_same_v<T, typename RealOf<T>::type>;
  using Wide = std::conditional_t<kReal, double, C>;
  const auto finite = [](const T& x) {
    return std::isfinite(std::real(x)) && std::isfinite(std::imag(x));
  };
  if (!std::all_of(a, a + n * n, finite)) return false;
  const std::vector<Wide> wide(a, a + n * n);
  std::vector<C> values(n), vectors(v != nullptr ? n * n : 0);
  if (!EigenOf(n, wide.data(), values.data(),
               v != nullptr ? vectors.data() : nullptr)) {
    return false;
  }
  const auto narrow = [](const C& x) { return static_cast<ComplexOf<T>>(x); };
  std::transform(values.begin(), values.end(), e, narrow);
  std::transform(vectors.begin(), vectors.end(), v, narrow);
  return true;
}

#define GK_INSTANTIATE(T) \
  template bool GeneralEigen(int64_t, const T*, ComplexOf<T>*, ComplexOf<T>*);
GK_FOR_MATRIX_TYPES(GK_INSTANTIATE)
#undef GK_INSTANTIATE

}  // namespace gk
