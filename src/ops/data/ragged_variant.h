// Ragged tensors as variants, and what they are made of.
#ifndef GK_OPS_DATA_RAGGED_VARIANT_H_
#define GK_OPS_DATA_RAGGED_VARIANT_H_

#include "framework/tensor.h"
#include "framework/variant.h"

namespace gk {

// The row splits, the outermost first, and the values of a ragged tensor in a
// variant; null if it holds something else.
const TensorVector* PartsOfRagged(const Variant& v, TensorVector* parts);
// DataLoss for parts that make none.
StatusOr<Variant> RaggedOfParts(TensorVector parts);

}  // namespace gk

#endif  // GK_OPS_DATA_RAGGED_VARIANT_H_
