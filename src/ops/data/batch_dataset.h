// Datasets of batches, and what rewritings make of them.
#ifndef GK_OPS_DATA_BATCH_DATASET_H_
#define GK_OPS_DATA_BATCH_DATASET_H_

#include <string_view>

#include "data/dataset.h"

namespace gk {

// Of `size` elements, stacked; several batches at a time if `parallel` is not
// 0. `kind` is the op's name.
Ref<const Dataset> BatchOf(std::string_view kind, ElementSignature signature,
                           Ref<const Dataset> input, int64_t size,
                           bool drop_remainder, int64_t parallel);

// Batches of `size` elements of `mapped`, which is made of `input`: each is
// written where its batch has it as soon as it is made.
Ref<const Dataset> MapAndBatch(ElementSignature signature,
                               Ref<const Dataset> input,
                               Ref<const Dataset> mapped, int64_t size,
                               bool drop_remainder);

}  // namespace gk

#endif  // GK_OPS_DATA_BATCH_DATASET_H_
