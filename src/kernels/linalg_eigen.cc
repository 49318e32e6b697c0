// Eigenvalues and eigenvectors, by Eigen. Complex matrices are factored as
// double ones: each type takes the compiler long.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "kernels/eigen_solvers.h"
#include "kernels/isa.h"
#include "kernels/linalg.h"

namespace gk {

namespace {

using C = std::complex<double>;

// Of complex floats by a solver of complex doubles.
template <class T, class E>
bool ByDoubles(bool (*solve)(int64_t, const C*, E*, C*), int64_t n, const T* a,
               auto* e, T* v) {
  const std::vector<C> wide(a, a + n * n);
  std::vector<E> values(n);
  std::vector<C> vectors(v != nullptr ? n * n : 0);
  if (!solve(n, wide.data(), values.data(),
             v != nullptr ? vectors.data() : nullptr)) {
    return false;
  }
  std::copy(values.begin(), values.end(), e);
  std::copy(vectors.begin(), vectors.end(), v);
  return true;
}

}  // namespace

const EigenSolvers& BestEigenSolvers() {
  static const EigenSolvers solvers = [] {
    if constexpr (kStampsV3 && kStampsV2) {
      return CurrentIsa() >= Isa::kV3 ? EigenSolversV3() : EigenSolversV2();
    } else if constexpr (kStampsV2) {
      return EigenSolversV2();
    } else {
      return EigenSolversV3();
    }
  }();
  return solvers;
}

template <class T>
bool SelfAdjointEigen(int64_t n, const T* a, typename RealOf<T>::type* e,
                      T* v) {
  const EigenSolvers& solvers = BestEigenSolvers();
  if constexpr (std::is_same_v<T, float>) {
    return solvers.floats(n, a, e, v);
  } else if constexpr (std::is_same_v<T, double>) {
    return solvers.doubles(n, a, e, v);
  } else if constexpr (std::is_same_v<T, C>) {
    return solvers.hermitian(n, a, e, v);
  } else {
    return ByDoubles(solvers.hermitian, n, a, e, v);
  }
}

// Those of real matrices come in conjugate pairs.
template <class T>
bool GeneralEigen(int64_t n, const T* a, ComplexOf<T>* e, ComplexOf<T>* v) {
  if (!AllFinite(a, n * n)) return false;
  const EigenSolvers& solvers = BestEigenSolvers();
  if constexpr (std::is_same_v<T, float>) {
    return solvers.float_general(n, a, e, v);
  } else if constexpr (std::is_same_v<T, double>) {
    return solvers.general(n, a, e, v);
  } else if constexpr (std::is_same_v<T, C>) {
    return solvers.complex_general(n, a, e, v);
  } else {
    return ByDoubles(solvers.complex_general, n, a, e, v);
  }
}

#define GK_INSTANTIATE(T)                                                      \
  template bool SelfAdjointEigen(int64_t, const T*, typename RealOf<T>::type*, \
                                 T*);                                          \
  template bool GeneralEigen(int64_t, const T*, ComplexOf<T>*, ComplexOf<T>*);
GK_INSTANTIATE(float)
GK_INSTANTIATE(double)
GK_INSTANTIATE(std::complex<float>)
GK_INSTANTIATE(std::complex<double>)
#undef GK_INSTANTIATE

}  // namespace gk
