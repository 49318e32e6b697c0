// Sparse tensors as vectors of three variants: what they are as components of
// elements.
#ifndef GK_OPS_DATA_SPARSE_VARIANT_H_
#define GK_OPS_DATA_SPARSE_VARIANT_H_

#include "framework/tensor.h"

namespace gk {

struct Sparse {
  Tensor indices, values, shape;
};

// A vector of the three.
StatusOr<Tensor> SparseInVariants(const Sparse& s);

}  // namespace gk

#endif  // GK_OPS_DATA_SPARSE_VARIANT_H_
