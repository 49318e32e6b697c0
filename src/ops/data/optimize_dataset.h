// The rewritings of datasets that their options ask for: what iterators go
// through gives the same elements in the same order and errors at the same
// places.
//
// Datasets with a state of their own, as those that keep elements, and all
// below them stay what they are: iterators over different datasets share them.
// Of those that shuffle that state is where their seeds come from, which others
// take over. The rewritings stand in a table.
#ifndef GK_OPS_DATA_OPTIMIZE_DATASET_H_
#define GK_OPS_DATA_OPTIMIZE_DATASET_H_

#include <string>

#include "data/dataset.h"

namespace gk {

// Of InterleaveDataset, where a rewriting made it: a prefetch of each part.
inline constexpr char kPartsAhead[] = "_parts_ahead";

// The dataset itself where there is nothing to do.
StatusOr<Ref<const Dataset>> Optimized(Ref<const Dataset> dataset);

// The ops that made it, from the source on: "RangeDataset MapDataset"; what
// several are read from stands in brackets.
std::string PipelineText(const Dataset& dataset);

}  // namespace gk

#endif  // GK_OPS_DATA_OPTIMIZE_DATASET_H_
