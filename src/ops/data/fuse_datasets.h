// Rewritings that make one dataset of two, or let one work in parallel.
#ifndef GK_OPS_DATA_FUSE_DATASETS_H_
#define GK_OPS_DATA_FUSE_DATASETS_H_

#include "data/dataset.h"

namespace gk {

// Each gives what takes the place of `dataset`, which `origin` made, or a null
// tensor. What a function does outside of the dataset keeps its order.
using DatasetRule = StatusOr<Tensor>(const Dataset& dataset,
                                     const DatasetOrigin& origin);

DatasetRule FuseMaps, FuseFilters, FuseMapAndFilter, FuseMapAndBatch,
    FuseShuffleAndRepeat, FilterInParallel;

}  // namespace gk

#endif  // GK_OPS_DATA_FUSE_DATASETS_H_
