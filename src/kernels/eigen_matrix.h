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

}  // namespace gk

#endif  // GK_KERNELS_EIGEN_MATRIX_H_
