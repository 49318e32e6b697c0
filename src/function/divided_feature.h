// Ragged features of examples, divided into rows as other features tell.
#ifndef GK_FUNCTION_DIVIDED_FEATURE_H_
#define GK_FUNCTION_DIVIDED_FEATURE_H_

#include <string>

#include "base/function_ref.h"
#include "function/example_feature.h"
#include "function/ragged/ragged_value.h"

namespace gk {

// The rows of `values`, a feature as it was read, as its partitions divide
// them: of a batch the rows of each example. `numbers_of` gives the features
// that the partitions name, read in the same way. Throws Error.
RaggedValue DividedFeature(
    RaggedValue values, const ExampleFeature& feature, bool is_batch,
    FunctionRef<RaggedValue(const std::string&)> numbers_of);

}  // namespace gk

#endif  // GK_FUNCTION_DIVIDED_FEATURE_H_
