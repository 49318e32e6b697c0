// Slices of a tensor that integer indices name, checked before anything moves.
#ifndef GK_OPS_INDEX_SLICES_H_
#define GK_OPS_INDEX_SLICES_H_

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "framework/tensor.h"

namespace gk {

// Element offsets of the slices that are read or written.
struct IndexSlices {
  std::vector<int64_t> offsets;
  int64_t size = 1;  // elements of a slice
};

// Indices of the dimension after `batch_dims` dims that both have.
StatusOr<IndexSlices> RowSlices(const TensorShape& value, const Tensor& indices,
                                int batch_dims);
// Each row of `indices` names a slice by its first dims.
StatusOr<IndexSlices> NdSlices(const TensorShape& value, const Tensor& indices);

}  // namespace gk

#endif  // GK_OPS_INDEX_SLICES_H_
