// The implementations behind MatMul::Create; private to the kernels layer.
#ifndef GK_KERNELS_MATMUL_IMPL_H_
#define GK_KERNELS_MATMUL_IMPL_H_

#include <memory>

#include "kernels/matmul.h"

namespace gk::matmul_internal {

using Created = StatusOr<std::shared_ptr<MatMul>>;

// Own kernels: float, double, integers.
Created CreateTiled(const MatMulDesc& desc);
// oneDNN: float.
Created CreateDnnl(const MatMulDesc& desc);
// Through a real product of other matrices: half and bfloat16 by way of float;
// complex as [[Re a, -Im a], [Im a, Re a]] times [Re b; Im b].
Created CreateNarrow(const MatMulDesc& desc);
Created CreateComplex(const MatMulDesc& desc);

// The matrix of a (or b) that matrix `i` of c uses.
inline int64_t MatrixOf(const int64_t* index, int64_t matrices, int64_t i) {
  if (index != nullptr) return index[i];
  return matrices == 1 ? 0 : i;
}

// Applies the epilogue to rows x columns of c; float, double and integers.
void BiasRelu(const MatMulDesc& desc, const void* bias, void* c, int64_t rows,
              int64_t columns);

}  // namespace gk::matmul_internal

#endif  // GK_KERNELS_MATMUL_IMPL_H_
