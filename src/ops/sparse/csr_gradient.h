// For gradients of matrices in compressed rows; made of ops. Throw Error.
#ifndef GK_OPS_SPARSE_CSR_GRADIENT_H_
#define GK_OPS_SPARSE_CSR_GRADIENT_H_

#include "framework/tensor.h"

namespace gk::csr {

// What matrix `a` has at these places of a sparse tensor of its shape; zero
// where it has no entry.
Tensor ValuesAt(const Tensor& a, DataType type, const Tensor& indices,
                const Tensor& dense_shape);

// The matrix with the entries of `pattern`, whose values are those of `a`.
Tensor PrunedTo(const Tensor& a, const Tensor& pattern, DataType type);

}  // namespace gk::csr

#endif  // GK_OPS_SPARSE_CSR_GRADIENT_H_
