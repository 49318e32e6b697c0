// The body of eigen_solvers_v2.cc and eigen_solvers_v3.cc: Eigen's templates,
// compiled for the instruction set that is in force where this is included, in
// a namespace of its own, GK_EIGEN.
#define Eigen GK_EIGEN

#include "kernels/eigen_matrix.h"
// Behind the definitions of Eigen's options.
#include <Eigen/Eigenvalues>
#include <type_traits>
#include <unsupported/Eigen/MatrixFunctions>

#include "kernels/eigen_solvers.h"

namespace GK_EIGEN::gk_solvers {

using gk::EigenSolvers;
using gk::MatrixAt;
using C = std::complex<double>;

// Column by column, as Eigen's factors go over their matrices: those of rows
// take them twice as long.
template <class T>
using Columns = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

template <class T, class R>
bool SelfAdjoint(int64_t n, const T* a, R* e, T* v) {
  const Eigen::SelfAdjointEigenSolver<Columns<T>> solver(
      Columns<T>(MatrixAt(a, n, n)),
      v != nullptr ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) return false;
  MatrixAt(e, n, 1) = solver.eigenvalues();
  if (v != nullptr) MatrixAt(v, n, n) = solver.eigenvectors();
  return true;
}

template <class T, class To>
bool General(int64_t n, const T* a, To* e, To* v) {
  using Matrix = Columns<T>;
  using Solver = std::conditional_t<std::is_same_v<T, To>,
                                    Eigen::ComplexEigenSolver<Matrix>,
                                    Eigen::EigenSolver<Matrix>>;
  const Solver solver(Matrix(MatrixAt(a, n, n)), v != nullptr);
  if (solver.info() != Eigen::Success) return false;
  MatrixAt(e, n, 1) = solver.eigenvalues();
  if (v != nullptr) MatrixAt(v, n, n) = solver.eigenvectors();
  return true;
}

template <class T>
void Root(int64_t n, const T* a, T* root) {
  MatrixAt(root, n, n) = Columns<T>(MatrixAt(a, n, n)).sqrt();
}

inline void Logarithm(int64_t n, const C* a, C* log) {
  MatrixAt(log, n, n) = Columns<C>(MatrixAt(a, n, n)).log();
}

inline void ProductAdjoint(int64_t n, const C* a, const C* b, C* product) {
  MatrixAt(product, n, n).noalias() =
      MatrixAt(a, n, n) * MatrixAt(b, n, n).adjoint();
}

inline EigenSolvers Solvers() {
  return {SelfAdjoint<float, float>,
          SelfAdjoint<double, double>,
          SelfAdjoint<C, double>,
          General<double, C>,
          General<float, std::complex<float>>,
          General<C, C>,
          Root<double>,
          Root<C>,
          Logarithm,
          ProductAdjoint};
}

}  // namespace GK_EIGEN::gk_solvers
