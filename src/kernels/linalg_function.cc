// Square roots and logarithms of matrices, computed in doubles: they are asked
// for rarely, and each type takes the compiler long.
#include "kernels/eigen_matrix.h"
// Behind the definitions of Eigen's options.
#include <cmath>
#include <limits>
#include <unsupported/Eigen/MatrixFunctions>
#include <vector>

#include "kernels/linalg.h"
#include "kernels/schur.h"

namespace gk {
namespace {

using C = std::complex<double>;

// The logarithm of a Hermitian matrix whose eigenvalues are all positive, and
// not so far from one another that small ones are lost. False: it is not one.
bool LogarithmByEigenvalues(const DenseMatrix<C>& a, DenseMatrix<C>* log) {
  const int64_t n = a.rows();
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      if (a(i, j) != std::conj(a(j, i))) return false;
    }
  }
  std::vector<double> e(n);
  DenseMatrix<C> v(n, n);
  if (!SelfAdjointEigen(n, a.data(), e.data(), v.data())) return false;
  const double epsilon = std::numeric_limits<double>::epsilon();
  if (!(e[0] > std::sqrt(epsilon) * e[n - 1])) return false;
  DenseMatrix<C> scaled = v;
  for (int64_t j = 0; j < n; ++j) scaled.col(j) *= std::log(e[j]);
  *log = scaled * v.adjoint();
  return true;
}

template <class T>
DenseMatrix<C> Widened(int64_t n, const T* a) {
  return MatrixAt(a, n, n).template cast<C>();
}

}  // namespace

template <class T>
void MatrixSquareRootOf(int64_t n, const T* a, T* root) {
  const DenseMatrix<C> from = Widened(n, a);
  const T none = std::numeric_limits<typename RealOf<T>::type>::quiet_NaN();
  if (!from.allFinite()) {
    MatrixAt(root, n, n).setConstant(none);
    return;
  }
  if constexpr (!Eigen::NumTraits<T>::IsComplex) {
    const DenseMatrix<double> real = from.real();
    DenseMatrix<double> found(n, n);
    if (RealMatrixRoot(n, real.data(), found.data())) {
      MatrixAt(root, n, n) = found.template cast<T>();
      return;
    }
  }
  const DenseMatrix<C> found = from.sqrt();
  // A real matrix with a negative eigenvalue has no real root of this kind.
  const bool is_real =
      found.imag().cwiseAbs().maxCoeff() <= 1e-7 * found.cwiseAbs().maxCoeff();
  if (!Eigen::NumTraits<T>::IsComplex && !is_real) {
    MatrixAt(root, n, n).setConstant(none);
    return;
  }
  CastMatrix(found, root);
}

template <class T>
void MatrixLogarithmOf(int64_t n, const T* a, T* log) {
  const DenseMatrix<C> from = Widened(n, a);
  if (!from.allFinite()) {
    const auto none =
        std::numeric_limits<typename RealOf<T>::type>::quiet_NaN();
    MatrixAt(log, n, n).setConstant(T(none, none));
    return;
  }
  DenseMatrix<C> found;
  if (!LogarithmByEigenvalues(from, &found)) found = from.log();
  CastMatrix(found, log);
}

#define GK_INSTANTIATE(T) \
  template void MatrixSquareRootOf(int64_t, const T*, T*);
GK_FOR_MATRIX_TYPES(GK_INSTANTIATE)
#undef GK_INSTANTIATE
template void MatrixLogarithmOf(int64_t, const std::complex<float>*,
                                std::complex<float>*);
template void MatrixLogarithmOf(int64_t, const std::complex<double>*,
                                std::complex<double>*);

}  // namespace gk
