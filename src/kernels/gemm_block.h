// The innermost dense product: one block C (+)= A B on one thread.
//
// Raw kernels stamped per ISA for float, double and wrapping integers; each
// element is summed over k in order, so the result does not depend on how a
// caller cuts m and n. Stateless and thread-safe.
#ifndef GK_KERNELS_GEMM_BLOCK_H_
#define GK_KERNELS_GEMM_BLOCK_H_

#include <cstdint>

#include "kernels/element_type.h"

namespace gk {

// Strides count elements. Rows of B and C are contiguous.
struct GemmBlock {
  const void* a;
  int64_t a_row, a_k;
  const void* b;
  int64_t b_row;
  void* c;
  int64_t c_row;
  int64_t m, n, k;
  bool accumulate;
};
using GemmBlockFn = void (*)(const GemmBlock&);

// c[i * c_stride] (+)= sum over p of a[i * a_row + p] * b[p], i < m, p < k.
struct DotRows {
  const void* a;
  int64_t a_row;
  const void* b;
  void* c;
  int64_t c_stride;
  int64_t m, k;
  bool accumulate;
};
using DotRowsFn = void (*)(const DotRows&);

// Null for half, bfloat16 and complex types. Signed types share the kernels
// of their unsigned twins.
GemmBlockFn GemmBlockFor(ElementType type);
DotRowsFn DotRowsFor(ElementType type);

}  // namespace gk

#endif  // GK_KERNELS_GEMM_BLOCK_H_
