// Parsing of serialized examples: what all ops that do so share.
//
// The examples of a batch are read by the threads of the pool, twice: once to
// find and count what is asked for, once to copy it into the results.
#ifndef GK_OPS_EXAMPLE_PARSE_EXAMPLES_H_
#define GK_OPS_EXAMPLE_PARSE_EXAMPLES_H_

#include <string_view>
#include <vector>

#include "framework/kernel_context.h"

namespace gk {

// Which features are wanted, and how.
struct FeaturesWanted {
  std::vector<std::string_view> sparse, dense, ragged;  // names
  std::vector<DataType> sparse_types, ragged_types, split_types;
  std::vector<PartialTensorShape> dense_shapes;
  std::vector<const Tensor*> dense_defaults;  // empty: the feature must be
};

// InvalidArgument unless the parts fit one another.
Status CheckWanted(const FeaturesWanted& wanted);

// Results in the order of ParseExampleV2: indices, values and shapes of the
// sparse ones, the dense, values and row splits of the ragged ones. A scalar
// gives results without a dimension for the batch. `names`, for messages, is
// empty or as `serialized`.
Status ParseExamples(KernelContext& c, const Tensor& serialized,
                     const Tensor* names, const FeaturesWanted& wanted);

}  // namespace gk

#endif  // GK_OPS_EXAMPLE_PARSE_EXAMPLES_H_
