// Values of tensors as text, in the two forms that ops print, and shapes.
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
// if negative), rows on lines of their own, strings quoted. Of resources and
// variants the first `at_ends`, whatever the shape: "[<TensorList>...]".
std::string BothEndsText(const Tensor& t, int64_t at_ends);

// Appends "Tensor<type: int32 shape: [2] values: 1 2>" with three values at
// most. What is within variants is left out where the text reaches `limit`.
void AppendTensorText(const Tensor& t, std::string* text, size_t limit);

// "TensorShape([1, None])", "TensorShape(None)": as Python's repr.
std::string ShapeObjectText(const PartialTensorShape& shape);

}  // namespace gk

#endif  // GK_FRAMEWORK_TENSOR_TEXT_H_
