// Features of serialized SequenceExamples: those of their context, and lists of
// features that have one for each step.
//
// Made with the current builder; functions throw Error.
#ifndef GK_FUNCTION_EXAMPLE_SEQUENCES_H_
#define GK_FUNCTION_EXAMPLE_SEQUENCES_H_

#include <span>
#include <vector>

#include "function/example_features.h"

namespace gk {

struct SequenceValues {
  std::vector<ExampleValue> context, sequence;  // in the order of features
  std::vector<Tensor> lengths;  // of sequence; null unless it is kSequence
};

// Out of a vector of serialized examples or of one, a scalar; the rank has to
// be known. Features of the context are kFixed, kVariable and kRagged, of the
// sequence kSequence, kVariable and kRagged, without partitions; ValueError for
// others. `names`, for messages, is null or has one for each example.
SequenceValues ParseSequenceExample(const Tensor& serialized,
                                    const Tensor& names,
                                    std::span<const ExampleFeature> context,
                                    std::span<const ExampleFeature> sequence);

}  // namespace gk

#endif  // GK_FUNCTION_EXAMPLE_SEQUENCES_H_
