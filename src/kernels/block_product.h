// Products of blocks of matrices, for what is solved and factored block by
// block.
//
// T: float, double and their complex types. Each element is summed in an order
// that depends on k alone. Thread-safe; throws std::bad_alloc.
#ifndef GK_KERNELS_BLOCK_PRODUCT_H_
#define GK_KERNELS_BLOCK_PRODUCT_H_

#include <cstdint>

namespace gk {

// c -= a b of m x k and k x n. Rows of b and c are contiguous, their starts
// b_row and c_row apart; elements of a are a_row and a_k apart.
template <class T>
struct BlockProduct {
  const T* a;
  int64_t a_row, a_k;
  bool conjugate;  // those of a
  const T* b;
  int64_t b_row;
  T* c;
  int64_t c_row;
  int64_t m, n, k;
};

// On this thread alone.
template <class T>
void SubtractProduct(const BlockProduct<T>& p);

// Cut over the threads. `lower`: of a square c no more than the lower half is
// wanted; what stands above is of no use afterwards.
template <class T>
void SubtractProductInParts(const BlockProduct<T>& p, bool lower = false);

}  // namespace gk

#endif  // GK_KERNELS_BLOCK_PRODUCT_H_
