// Values of tensors as text, in the two forms that ops print.
//
// Pure functions; thread-safe.
#ifndef GK_FRAMEWORK_TENSOR_TEXT_H_
#define GK_FRAMEWORK_TENSOR_TEXT_H_

#include <cstdint>
#include <string>

#include "framework/tensor.h"

namespace gk {

// "[1 2 3...]": the first `max_values` values in row-major order (all if
// negative), as Assert shows its data. Strings stand unquoted.
std::string FirstValuesText(const Tensor& t, int64_t max_values);

// "[0 1 2 ... 7 8 9]": `at_ends` values at both ends of every dimension (all
// if negative), rows on lines of their own, strings quoted.
std::string BothEndsText(const Tensor& t, int64_t at_ends);

}  // namespace gk

#endif  // GK_FRAMEWORK_TENSOR_TEXT_H_
