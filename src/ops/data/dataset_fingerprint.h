// A number for what a dataset is made of: ops, attributes, tensors and
// functions, whatever nodes are called. The same in every process; datasets of
// the same number give the same elements as long as the files that they read
// are the same and nothing is drawn or read outside.
#ifndef GK_OPS_DATA_DATASET_FINGERPRINT_H_
#define GK_OPS_DATA_DATASET_FINGERPRINT_H_

#include "data/dataset.h"

namespace gk {

// InvalidArgument for a dataset that iterators made on their way.
StatusOr<uint64_t> FingerprintOf(const Dataset& dataset);

}  // namespace gk

#endif  // GK_OPS_DATA_DATASET_FINGERPRINT_H_
