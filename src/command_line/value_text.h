// Single values of tensors as text and back, and tensors as JSON.
#ifndef GK_COMMAND_LINE_VALUE_TEXT_H_
#define GK_COMMAND_LINE_VALUE_TEXT_H_

#include <string>
#include <string_view>

#include "command_line/json.h"
#include "framework/tensor.h"

namespace gk::command {

// Reads one value into element `i`; false if the text is none of the type.
// Truth values are true, false, 1 and 0; complex numbers "1.5+2j".
bool ParseValue(std::string_view text, Tensor* tensor, int64_t i);
// With the digits that read back as the same value. Of resources and variants
// what they are.
std::string ValueText(const Tensor& tensor, int64_t i);

// Lists in lists, all of one length at each depth. Texts that are no UTF-8
// stand as {"b64": ...}, as in TensorFlow Serving's requests.
// InvalidArgument, naming the place ("[0][3]"), of what does not fit.
StatusOr<Tensor> TensorOfJson(const Json& json, DataType dtype);
Json JsonOfTensor(const Tensor& tensor);

}  // namespace gk::command

#endif  // GK_COMMAND_LINE_VALUE_TEXT_H_
