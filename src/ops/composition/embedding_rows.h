// Rows of embeddings, which may lie in several tensors. Functions throw Error.
#ifndef GK_OPS_COMPOSITION_EMBEDDING_ROWS_H_
#define GK_OPS_COMPOSITION_EMBEDDING_ROWS_H_

#include "ops/composition.h"

namespace gk {

// The rows of all parts, one after the other, that `ids` name.
Tensor RowsOfParts(const TensorVector& parts, const Tensor& ids);

// Rows as long as argument `i`, a number or a tensor, lets them be.
Tensor WithinNorm(const CompositionCall& c, int i, const Tensor& rows,
                  const Tensor& ids);

}  // namespace gk

#endif  // GK_OPS_COMPOSITION_EMBEDDING_ROWS_H_
