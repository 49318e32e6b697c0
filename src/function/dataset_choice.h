// Datasets whose elements come from several others, by chance.
//
// Variant tensors in, variant tensors out. Functions throw Error.
#ifndef GK_FUNCTION_DATASET_CHOICE_H_
#define GK_FUNCTION_DATASET_CHOICE_H_

#include "function/dataset_builder.h"

namespace gk {

struct SampleOptions {
  std::optional<int64_t> seed;
  // Does the end come when a dataset at its end is drawn?
  bool stop_on_empty_dataset = false;
  // Does each iteration draw anew?
  bool rerandomize_each_iteration = false;
};

// The next element of one of `datasets`, all of `elements`, drawn by weights:
// a vector of floats, or null for equal ones. TypeError, ValueError.
Tensor SampleByWeights(std::span<const Tensor> datasets,
                       const ElementSignature& elements, const Tensor& weights,
                       const SampleOptions& options);
// The same; each draw has weights of its own.
Tensor SampleByDataset(std::span<const Tensor> datasets,
                       const ElementSignature& elements,
                       const TypedDataset& weights,
                       const SampleOptions& options);

// Of elements that begin with their class, an integer scalar: leaves some out
// so that classes are as frequent as `target` says. `initial`: how frequent
// they are; null: estimated on the way. Null if none need to be left out.
Tensor RejectionResample(const TypedDataset& classed, const Tensor& target,
                         const Tensor& initial, std::optional<int64_t> seed);

}  // namespace gk

#endif  // GK_FUNCTION_DATASET_CHOICE_H_
