// Sparse tensors as arguments of compositions.
#ifndef GK_OPS_COMPOSITION_SPARSE_ARGUMENTS_H_
#define GK_OPS_COMPOSITION_SPARSE_ARGUMENTS_H_

#include "ops/composition.h"

namespace gk {

struct SparseParts {
  Tensor indices, values, dense_shape;
};
// TypeError for a dense or a ragged tensor.
inline SparseParts SparsePartsOf(const RowsValue& rows) {
  if (rows.kind != RowsValue::Kind::kSparse) {
    throw Error(TypeError("Input must be a SparseTensor."));
  }
  return {rows.places[0], rows.values, rows.places[1]};
}

}  // namespace gk

#endif  // GK_OPS_COMPOSITION_SPARSE_ARGUMENTS_H_
