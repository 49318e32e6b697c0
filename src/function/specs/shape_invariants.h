// Shape invariants of loops that are given for a whole value: what they say of
// the tensors that it is made of.
// Functions throw Error.
#ifndef GK_FUNCTION_SPECS_SHAPE_INVARIANTS_H_
#define GK_FUNCTION_SPECS_SHAPE_INVARIANTS_H_

#include <string_view>
#include <vector>

#include "function/specs/type_spec.h"

namespace gk {

// The shapes of the tensors of values like `value` that have the shape `whole`.
// TypeError if there is no such shape: errors call the class of such values
// `name`.
std::vector<PartialTensorShape> InvariantShapes(const TypeSpec& value,
                                                const PartialTensorShape& whole,
                                                std::string_view name);
// Of the tensors of values that `invariant` describes. TypeError unless `value`
// may be one of those; errors show them as these texts.
std::vector<PartialTensorShape> InvariantShapes(const TypeSpec& value,
                                                const TypeSpec& invariant,
                                                std::string_view invariant_text,
                                                std::string_view value_text);

}  // namespace gk

#endif  // GK_FUNCTION_SPECS_SHAPE_INVARIANTS_H_
