// Matrices as Eigen's own, for the files that factor them (linalg*.cc). Eigen
// stays within those: no header of a layer above includes it.
#ifndef GK_KERNELS_EIGEN_MATRIX_H_
#define GK_KERNELS_EIGEN_MATRIX_H_

// Its assertions would end the process; what they ask is checked before.
#define EIGEN_NO_DEBUG
#define EIGEN_MPL2_ONLY
#define EIGEN_DONT_PARALLELIZE

#include <Eigen/Core>
#include <complex>
#include <cstdint>

namespace gk {

template <class T>
using DenseMatrix =
    Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
Eigen::Map<const DenseMatrix<T>> MatrixAt(const T* x, int64_t rows,
                                          int64_t columns) {
  return Eigen::Map<const DenseMatrix<T>>(x, rows, columns);
}

template <class T>
Eigen::Map<DenseMatrix<T>> MatrixAt(T* x, int64_t rows, int64_t columns) {
  return Eigen::Map<DenseMatrix<T>>(x, rows, columns);
}

// A matrix of the widest type as one of another, real parts alone if that is
// real.
template <class T>
void CastMatrix(const DenseMatrix<std::complex<double>>& from, T* to) {
  for (Eigen::Index i = 0; i < from.size(); ++i) {
    if constexpr (Eigen::NumTraits<T>::IsComplex) {
      to[i] = static_cast<T>(from.data()[i]);
    } else {
      to[i] = static_cast<T>(from.data()[i].real());
    }
  }
}

}  // namespace gk

// M(T) for each type of element.
#define GK_FOR_MATRIX_TYPES(M) \
  M(float) M(double) M(std::complex<float>) M(std::complex<double>)

#endif  // GK_KERNELS_EIGEN_MATRIX_H_
