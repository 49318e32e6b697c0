// Updates that change several variables at once, an optimizer's with its slots.
#ifndef GK_FRAMEWORK_VARIABLE_GROUP_H_
#define GK_FRAMEWORK_VARIABLE_GROUP_H_

#include <span>

#include "base/function_ref.h"
#include "framework/variable.h"

namespace gk {

// Gives `update` the values of these variables, in their order, to change in
// place: exclusive memory, copied if it was shared. Nobody sees one changed and
// another not. If update fails, all values stay as they were: it must check
// before it writes. FailedPrecondition if one is uninitialised. A variable that
// is there twice has one value.
Status UpdateTogether(std::span<VariableResource* const> variables,
                      FunctionRef<Status(std::span<Tensor> values)> update);

}  // namespace gk

#endif  // GK_FRAMEWORK_VARIABLE_GROUP_H_
