// Eigen's solvers of eigenvalues and its functions of matrices, compiled for
// several instruction sets (eigen_solvers_v2.cc, eigen_solvers_v3.cc).
#ifndef GK_KERNELS_EIGEN_SOLVERS_H_
#define GK_KERNELS_EIGEN_SOLVERS_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>

namespace gk {

// Square matrices of n rows, row by row, of finite numbers. Vectors are the
// columns of v, which may be null. False: the iteration did not end.
struct EigenSolvers {
  using C = std::complex<double>;

  bool (*floats)(int64_t n, const float* a, float* e, float* v);
  bool (*doubles)(int64_t n, const double* a, double* e, double* v);
  bool (*hermitian)(int64_t n, const C* a, double* e, C* v);
  bool (*general)(int64_t n, const double* a, C* e, C* v);
  bool (*float_general)(int64_t n, const float* a, std::complex<float>* e,
                        std::complex<float>* v);
  bool (*complex_general)(int64_t n, const C* a, C* e, C* v);
  // NaN where a real matrix has no real root.
  void (*root)(int64_t n, const double* a, double* root);
  void (*complex_root)(int64_t n, const C* a, C* root);
  void (*logarithm)(int64_t n, const C* a, C* log);
  // a times the adjoint of b.
  void (*product_adjoint)(int64_t n, const C* a, const C* b, C* product);
};

// What they take.
template <class T>
bool AllFinite(const T* a, int64_t n) {
  return std::all_of(a, a + n, [](const T& x) {
    return std::isfinite(std::real(x)) && std::isfinite(std::imag(x));
  });
}

EigenSolvers EigenSolversV2();
EigenSolvers EigenSolversV3();
const EigenSolvers& BestEigenSolvers();

}  // namespace gk

#endif  // GK_KERNELS_EIGEN_SOLVERS_H_
