// What rewritings make of datasets of batches.
#ifndef GK_OPS_DATA_BATCH_DATASET_H_
#define GK_OPS_DATA_BATCH_DATASET_H_

#include "data/dataset.h"

namespace gk {

// Batches of `size` elements of `mapped`, which is made of `input`: each is
// written where its batch has it as soon as it is made.
Ref<const Dataset> MapAndBatch(ElementSignature signature,
                               Ref<const Dataset> input,
                               Ref<const Dataset> mapped, int64_t size,
                               bool drop_remainder);

}  // namespace gk

#endif  // GK_OPS_DATA_BATCH_DATASET_H_
