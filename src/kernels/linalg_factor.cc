// Cholesky and LU factors and what is computed by them.
#include "kernels/eigen_matrix.h"
// Behind the definitions of Eigen's options.
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

#include "kernels/linalg.h"

namespace gk {
namespace {

template <class T>
using Lu = Eigen::PartialPivLU<DenseMatrix<T>>;

template <class T>
Lu<T> LuOf(int64_t n, const T* a, bool adjoint) {
  if (!adjoint) return Lu<T>(MatrixAt(a, n, n));
  return Lu<T>(DenseMatrix<T>(MatrixAt(a, n, n).adjoint()));
}

template <class T>
bool IsSingular(const Lu<T>& lu) {
  // Written so that what is no number counts as a pivot that is none.
  return !(lu.matrixLU().diagonal().cwiseAbs().minCoeff() > 0);
}

}  // namespace

template <class T>
bool CholeskyFactor(int64_t n, const T* a, T* l) {
  const Eigen::LLT<DenseMatrix<T>> llt(MatrixAt(a, n, n));
  if (llt.info() != Eigen::Success) return false;
  MatrixAt(l, n, n) = llt.matrixL();
  return true;
}

// With P(x) the lower half of x with a halved diagonal it is l^-T P(l^T dl)
// l^-1, and the transpose of that, halved.
template <class T>
void CholeskyGradient(int64_t n, const T* l, const T* dl, T* da) {
  const auto factor = MatrixAt(l, n, n).template triangularView<Eigen::Lower>();
  const DenseMatrix<T> lower =
      MatrixAt(dl, n, n).template triangularView<Eigen::Lower>();
  DenseMatrix<T> middle = factor.transpose() * lower;
  middle.template triangularView<Eigen::StrictlyUpper>().setZero();
  middle.diagonal() *= T(0.5);
  factor.transpose().solveInPlace(middle);
  // x l = middle by its transpose.
  DenseMatrix<T> turned = middle.transpose();
  factor.transpose().solveInPlace(turned);
  MatrixAt(da, n, n) = (turned + turned.transpose()) * T(0.5);
}

template <class T>
bool LuFactor(int64_t n, const T* a, T* lu, int64_t* perm) {
  const Lu<T> factors = LuOf(n, a, false);
  MatrixAt(lu, n, n) = factors.matrixLU();
  const auto& places = factors.permutationP().indices();
  for (int64_t i = 0; i < n; ++i) perm[places[i]] = i;
  return !IsSingular<T>(factors);
}

template <class T>
bool SolveSystem(int64_t n, int64_t columns, const T* a, bool adjoint,
                 const T* b, T* x) {
  const Lu<T> lu = LuOf(n, a, adjoint);
  if (IsSingular<T>(lu)) return false;
  MatrixAt(x, n, columns) = lu.solve(MatrixAt(b, n, columns));
  return true;
}

template <class T>
bool InvertMatrix(int64_t n, const T* a, bool adjoint, T* inverse) {
  const Lu<T> lu = LuOf(n, a, adjoint);
  if (IsSingular<T>(lu)) return false;
  MatrixAt(inverse, n, n) = lu.inverse();
  return true;
}

template <class T>
T DeterminantOf(int64_t n, const T* a) {
  return LuOf(n, a, false).determinant();
}

template <class T>
void LogDeterminantOf(int64_t n, const T* a, T* sign, T* log_abs) {
  using Real = typename RealOf<T>::type;
  const Lu<T> lu = LuOf(n, a, false);
  T direction(static_cast<Real>(lu.permutationP().determinant()));
  Real sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const T pivot = lu.matrixLU()(i, i);
    const Real size = std::abs(pivot);
    direction *= pivot / size;
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
GK_FOR_MATRIX_TYPES(GK_INSTANTIATE)
#undef GK_INSTANTIATE
template void CholeskyGradient(int64_t, const float*, const float*, float*);
template void CholeskyGradient(int64_t, const double*, const double*, double*);

}  // namespace gk
