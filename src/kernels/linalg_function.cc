// Square roots and logarithms of matrices, computed in complex doubles: they
// are asked for rarely, and each type takes the compiler long.
#include "kernels/eigen_matrix.h"
// Behind the definitions of Eigen's options.
#include <limits>
#include <unsupported/Eigen/MatrixFunctions>

#include "kernels/linalg.h"

namespace gk {
namespace {

using C = std::complex<double>;

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
  const DenseMatrix<C> found = from.log();
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
