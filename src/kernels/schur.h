// The real Schur form of a real matrix, and what is computed by it.
//
// In doubles, whatever the matrix's own type. Thread-safe; throws
// std::bad_alloc.
#ifndef GK_KERNELS_SCHUR_H_
#define GK_KERNELS_SCHUR_H_

#include <complex>
#include <cstdint>
#include <vector>

namespace gk {

// a = z t z^T: t is an upper triangle but for blocks of 2 x 2 on its diagonal,
// which stand for pairs of complex eigenvalues; z is orthogonal.
struct RealSchur {
  int64_t n;
  std::vector<double> t;  // row major
  std::vector<double>
      turned_z;  // z's columns, one after the other; may be none
};

// False: it was not found. Elements are finite.
bool FindRealSchur(int64_t n, const double* a, bool with_z, RealSchur* found);

// a v = v e, as GeneralEigen of kernels/linalg.h.
bool RealMatrixEigen(int64_t n, const double* a, std::complex<double>* e,
                     std::complex<double>* v);

// False: an eigenvalue is zero, negative or next to it, and the root, if there
// is one, is to be found otherwise.
bool RealMatrixRoot(int64_t n, const double* a, double* root);

}  // namespace gk

#endif  // GK_KERNELS_SCHUR_H_
