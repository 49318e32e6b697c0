// The row that each value of a ragged tensor is in, and the rows' lengths.
#ifndef GK_OPS_RAGGED_ROW_NUMBERS_H_
#define GK_OPS_RAGGED_ROW_NUMBERS_H_

#include "framework/tensor.h"

namespace gk {

// Of the row splits of a value, outside of graphs: in one pass, where ops would
// take several. Null of others, and of splits that do not rise, which ops may
// read as they like. Throws Error if memory runs out.
Tensor RowNumbersOfValue(const Tensor& splits);

// The differences of the row splits of a value, in the same way. Null of others
// and of no splits.
Tensor RowLengthsOfValue(const Tensor& splits);

}  // namespace gk

#endif  // GK_OPS_RAGGED_ROW_NUMBERS_H_
