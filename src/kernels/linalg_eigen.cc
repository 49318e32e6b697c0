// Eigenvalues and eigenvectors.
#include "kernels/eigen_matrix.h"
// Behind the definitions of Eigen's options.
#include <Eigen/Eigenvalues>
#include <type_traits>

#include "kernels/linalg.h"

namespace gk {

template <class T>
bool SelfAdjointEigen(int64_t n, const T* a, typename RealOf<T>::type* e,
                      T* v) {
  using Real = typename RealOf<T>::type;
  // Complex matrices are factored as double ones: each type takes the compiler
  // long.
  using C =
      std::conditional_t<std::is_same_v<T, Real>, T, std::complex<double>>;
  const Eigen::SelfAdjointEigenSolver<DenseMatrix<C>> solver(
      DenseMatrix<C>(MatrixAt(a, n, n).template cast<C>()),
      v != nullptr ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) return false;
  MatrixAt(e, n, 1) = solver.eigenvalues().template cast<Real>();
  if (v != nullptr) {
    MatrixAt(v, n, n) = solver.eigenvectors().template cast<T>();
  }
  return true;
}

// Those of real matrices come in conjugate pairs.
template <class T>
bool GeneralEigen(int64_t n, const T* a, ComplexOf<T>* e, ComplexOf<T>* v) {
  constexpr bool kReal = std::is_same_v<T, typename RealOf<T>::type>;
  using Wide = std::conditional_t<kReal, double, std::complex<double>>;
  using Matrix = DenseMatrix<Wide>;
  using Solver = std::conditional_t<kReal, Eigen::EigenSolver<Matrix>,
                                    Eigen::ComplexEigenSolver<Matrix>>;
  const Matrix wide = MatrixAt(a, n, n).template cast<Wide>();
  if (!wide.allFinite()) return false;
  const Solver solver(wide, v != nullptr);
  if (solver.info() != Eigen::Success) return false;
  MatrixAt(e, n, 1) = solver.eigenvalues().template cast<ComplexOf<T>>();
  if (v != nullptr) {
    MatrixAt(v, n, n) = solver.eigenvectors().template cast<ComplexOf<T>>();
  }
  return true;
}

#define GK_INSTANTIATE(T)                                                      \
  template bool SelfAdjointEigen(int64_t, const T*, typename RealOf<T>::type*, \
                                 T*);                                          \
  template bool GeneralEigen(int64_t, const T*, ComplexOf<T>*, ComplexOf<T>*);
GK_FOR_MATRIX_TYPES(GK_INSTANTIATE)
#undef GK_INSTANTIATE

}  // namespace gk
