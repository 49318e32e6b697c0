// Row splits as ops take them: read, and refused unless they make sense.
#ifndef GK_OPS_RAGGED_ROW_SPLITS_H_
#define GK_OPS_RAGGED_ROW_SPLITS_H_

#include <vector>

#include "framework/kernel_context.h"

namespace gk {

using Splits = std::vector<int64_t>;

// Of an op's inputs `first` to `first + n - 1`, the outermost first: each says
// where rows begin and the last one ends, from 0, in the next one's rows or, at
// last, in `nvals` values. Of what they point into there may be `more`.
Status ReadNestedSplits(const KernelContext& c, int first, int n, int64_t nvals,
                        bool more, std::vector<Splits>* out);

}  // namespace gk

#endif  // GK_OPS_RAGGED_ROW_SPLITS_H_
