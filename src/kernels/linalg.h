// Factors, solutions and functions of one matrix.
//
// Matrices are dense and row major. T: float, double and their complex types.
// Outputs may not overlap inputs. Functions of two results return false where
// the matrix has none. Thread-safe; they allocate working memory and throw
// std::bad_alloc.
#ifndef GK_KERNELS_LINALG_H_
#define GK_KERNELS_LINALG_H_

#include <complex>
#include <cstdint>

namespace gk {

template <class T>
struct RealOf {
  using type = T;
};
template <class R>
struct RealOf<std::complex<R>> {
  using type = R;
};
template <class T>
using ComplexOf = std::complex<typename RealOf<T>::type>;

// l l^H = a, of which the lower half alone is read; zeros above. False: not
// positive definite.
template <class T>
bool CholeskyFactor(int64_t n, const T* a, T* l);

// The gradient with respect to `a` of CholeskyFactor, a symmetric one's lower
// half doubled into both: T is real.
template <class T>
void CholeskyGradient(int64_t n, const T* l, const T* dl, T* da);

// Row i of the product of the triangles in `lu` is row perm[i] of a. False: a
// pivot is zero.
template <class T>
bool LuFactor(int64_t n, const T* a, T* lu, int64_t* perm);

// a x = b, or a^H x = b, with `columns` columns. False: a pivot is zero.
template <class T>
bool SolveSystem(int64_t n, int64_t columns, const T* a, bool adjoint,
                 const T* b, T* x);

// False: a pivot is zero.
template <class T>
bool InvertMatrix(int64_t n, const T* a, bool adjoint, T* inverse);

template <class T>
T DeterminantOf(int64_t n, const T* a);

// The determinant is sign exp(log_abs), |sign| being 1 or 0.
template <class T>
void LogDeterminantOf(int64_t n, const T* a, T* sign, T* log_abs);

// a = q r with a unitary q of m x p and an upper triangle r of p x n, p being
// min(m, n), or, in full, m. q may be null.
template <class T>
void QrFactor(int64_t m, int64_t n, const T* a, bool full, T* q, T* r);

// The x, n x columns, of least norm among those of least |a x - b|; a is m x n.
template <class T>
void LeastSquares(int64_t m, int64_t n, int64_t columns, const T* a, const T* b,
                  T* x);

// That of least |a x - b|^2 + l2 |x|^2 by the Cholesky factor of a^H a, or a
// a^H if n > m. False: this is not positive definite.
template <class T>
bool RegularizedLeastSquares(int64_t m, int64_t n, int64_t columns, const T* a,
                             const T* b, double l2, T* x);

// a = u s v^H; s falls. u is m x p and v n x p, p being min(m, n), or, in full,
// m x m and n x n; both are null where they are not wanted. False: no result
// was found (an element is no number).
template <class T>
bool SingularValues(int64_t m, int64_t n, const T* a, bool full,
                    typename RealOf<T>::type* s, T* u, T* v);

// a v = v e of a Hermitian a, of which the lower half alone is read; e rises. v
// may be null. False: no result was found.
template <class T>
bool SelfAdjointEigen(int64_t n, const T* a, typename RealOf<T>::type* e, T* v);

// a v = v e. v may be null. False: no result was found.
template <class T>
bool GeneralEigen(int64_t n, const T* a, ComplexOf<T>* e, ComplexOf<T>* v);

template <class T>
void MatrixSquareRootOf(int64_t n, const T* a, T* root);
// T is complex.
template <class T>
void MatrixLogarithmOf(int64_t n, const T* a, T* log);

}  // namespace gk

#endif  // GK_KERNELS_LINALG_H_
