// What an op was called with, in words: what errors of ops end with, so that
// they name their arguments.
#ifndef GK_FRAMEWORK_ARGUMENTS_TEXT_H_
#define GK_FRAMEWORK_ARGUMENTS_TEXT_H_

#include <span>
#include <string>
#include <string_view>

#include "framework/attr_value.h"
#include "framework/op_record.h"
#include "framework/tensor.h"

namespace gk {

// Begins what WithArguments appends, up to the end of the text.
inline constexpr std::string_view kArgumentsMark = "\n\tArguments of ";

// An input; `value` where it is known.
struct ShownInput {
  DataType dtype = DataType::kInvalid;
  PartialTensorShape shape;
  Tensor value;
  static ShownInput Of(const Tensor& t) {
    return {t.dtype(), t.partial_shape(), t.KnownValue()};
  }
};

// The status with "\n\tArguments of Sum: x: float32 [2], axis: int32 [] = 7,
// keep_dims: true": inputs with what few numbers they hold, and the attributes
// that are not at their defaults. Unchanged if it is no error of a call's
// arguments.
Status WithArguments(const Status& status, const OpRecord& record,
                     const AttrMap& attrs, std::span<const ShownInput> inputs);
Status WithArguments(const Status& status, const OpRecord& record,
                     const AttrMap& attrs,
                     std::span<const Tensor* const> inputs);

// The status with `text` at the end, or before what WithArguments appended.
Status AppendBeforeArguments(const Status& status, std::string_view text);

}  // namespace gk

#endif  // GK_FRAMEWORK_ARGUMENTS_TEXT_H_
