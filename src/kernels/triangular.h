// Systems of equations whose matrices are triangles, full or banded, and
// tridiagonal ones.
//
// Matrices are dense and row major. T: float, double and their complex types.
// Unknowns are solved for in place, column by column without regard to the
// others, so that columns can be cut in slices. Thread-safe.
#ifndef GK_KERNELS_TRIANGULAR_H_
#define GK_KERNELS_TRIANGULAR_H_

#include <cstdint>

namespace gk {

// a x = b, or a^H x = b, of a triangle of n rows; `x` is b before. Its rows are
// `stride` apart, and `width` columns of them are solved for. A zero on the
// diagonal gives infinities or no numbers.
template <class T>
void SolveTriangle(int64_t n, const T* a, bool lower, bool adjoint, T* x,
                   int64_t stride, int64_t width);

// A triangle within a larger matrix, whose rows are `stride` apart. `unit`: its
// diagonal is all ones, whatever stands there.
template <class T>
struct Triangle {
  int64_t n;
  const T* a;
  int64_t stride;
  bool lower, adjoint, unit;
};
template <class T>
void SolveTriangle(const Triangle<T>& t, T* x, int64_t stride, int64_t width);
// The same, slices of columns cut over the threads.
template <class T>
void SolveTriangleInParts(const Triangle<T>& t, T* x, int64_t stride,
                          int64_t width);

// The same of a matrix of `k` diagonals, of n elements each: of a lower
// triangle the main one first, element i of the others in row i; of an upper
// one the main one last, element i in row i too.
template <class T>
void SolveBandedTriangle(int64_t n, int64_t k, const T* bands, bool lower,
                         bool adjoint, T* x, int64_t width);

// Of a tridiagonal matrix: n elements above the diagonal (the last is unused),
// on it, and below it (the first is unused). Rows are exchanged if `pivot`.
// False: a pivot is zero. If `perturb`, a pivot that is next to nothing beside
// the largest element is made a little larger. `work` has 3 n elements.
template <class T>
bool SolveTridiagonal(int64_t n, const T* diagonals, bool pivot, bool perturb,
                      T* x, int64_t width, T* work);

// The product of a tridiagonal matrix, of which element i of each diagonal is
// in row i, and `x`.
template <class T>
void MultiplyTridiagonal(int64_t n, const T* above, const T* diagonal,
                         const T* below, const T* x, int64_t width, T* out);

}  // namespace gk

#endif  // GK_KERNELS_TRIANGULAR_H_
