// Datasets that shuffle, and what rewritings make of them: others with the same
// seeds.
#ifndef GK_OPS_DATA_SHUFFLE_DATASET_H_
#define GK_OPS_DATA_SHUFFLE_DATASET_H_

#include <memory>

#include "data/dataset.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/seed_generator.h"

namespace gk {

// Each element is drawn from the next `buffer_size`; all, if that is unknown.
Ref<const Dataset> ShuffleOf(OneInput in, int64_t buffer_size,
                             std::shared_ptr<SeedGenerator> seeds);

// `shuffle`, of another input. Null if it is no ShuffleDataset.
Ref<const Dataset> ShuffledLike(const Dataset& shuffle,
                                Ref<const Dataset> input);

// What `repeat` makes of `shuffle` `count` times: the same elements, but a
// pass is prepared while the one before it ends. Null where that would not be
// the same: below another one that shuffles, seeds would be drawn early.
Ref<const Dataset> ShuffledAndRepeated(const Dataset& repeat,
                                       const Dataset& shuffle, int64_t count);

}  // namespace gk

#endif  // GK_OPS_DATA_SHUFFLE_DATASET_H_
