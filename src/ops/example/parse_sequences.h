// Parsing of serialized SequenceExamples: features of their context, and lists
// of features that have one for each step.
#ifndef GK_OPS_EXAMPLE_PARSE_SEQUENCES_H_
#define GK_OPS_EXAMPLE_PARSE_SEQUENCES_H_

#include <string_view>
#include <vector>

#include "framework/kernel_context.h"

namespace gk {

// Which are wanted, and how.
struct SequenceWanted {
  struct Part {
    std::vector<std::string_view> sparse, dense, ragged;  // names
    std::vector<DataType> sparse_types, dense_types, ragged_types, split_types;
    std::vector<PartialTensorShape> dense_shapes;  // known, of a step
  };
  Part context, lists;
  std::vector<const Tensor*> context_defaults;  // empty: it must be there
  std::vector<bool> lists_may_miss;             // of the dense ones
  bool lengths = true;  // of the dense lists: are they results?
};

// Results in the order of ParseSequenceExampleV2. A scalar gives results
// without a dimension for the batch. `names`, for messages, is empty or has one
// for each example.
Status ParseSequences(KernelContext& c, const Tensor& serialized,
                      const Tensor& names, const SequenceWanted& wanted);

}  // namespace gk

#endif  // GK_OPS_EXAMPLE_PARSE_SEQUENCES_H_
