// Features of serialized examples: what programs ask for, and what they get.
//
// Made with the current builder; functions throw Error.
#ifndef GK_FUNCTION_EXAMPLE_FEATURES_H_
#define GK_FUNCTION_EXAMPLE_FEATURES_H_

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "function/example_feature.h"
#include "function/ragged/ragged_value.h"
#include "function/sparse_value.h"

namespace gk {

using ExampleValue = std::variant<Tensor, SparseValue, RaggedValue>;

// A value for each feature, out of a vector of serialized examples or of one,
// a scalar; the rank has to be known. `names`, for messages, is null or has
// one for each example. ValueError for features that ask for what cannot be;
// InvalidArgument, with the name of example and feature, for examples that
// lack what they must have or hold other types or sizes.
std::vector<ExampleValue> ParseExample(
    const Tensor& serialized, const Tensor& names,
    std::span<const ExampleFeature> features);

}  // namespace gk

#endif  // GK_FUNCTION_EXAMPLE_FEATURES_H_
