// The elements of a batched tensor that rows of indices name.
#ifndef GK_OPS_BATCH_ROWS_H_
#define GK_OPS_BATCH_ROWS_H_

#include "framework/tensor.h"

namespace gk {

// What GatherNd and its relatives take for indices [b, ..., n] into the axis
// behind the batch's: [b, ..., n, rank]. Made with the current builder; throws
// Error if the rank is not known, or 0.
Tensor BatchRows(const Tensor& indices);

}  // namespace gk

#endif  // GK_OPS_BATCH_ROWS_H_
