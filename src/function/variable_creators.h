// The creators that a program puts around the making of its variables: each
// says what a variable is that is made below it, and may ask the next one
// around it, and at last what makes variables.
//
// A creator holds on the thread that entered it, in the graph that was built
// there and in functions traced below: never in another graph that is made
// for its own sake. What a function being traced lets be made is asked last,
// when all have been (make_variable.h).
#ifndef GK_FUNCTION_VARIABLE_CREATORS_H_
#define GK_FUNCTION_VARIABLE_CREATORS_H_

#include <vector>

#include "base/function_ref.h"
#include "base/ref.h"
#include "base/status.h"

namespace gk {

// A function of the host's language, which knows its own.
class VariableCreator : public RefCounted {};

void EnterVariableCreator(Ref<VariableCreator> creator);
// Undoes it, for the one that `is_it` knows. RuntimeError unless that was
// entered last here.
Status LeaveVariableCreator(FunctionRef<bool(const VariableCreator&)> is_it);

// Those that hold here, the outermost first.
std::vector<Ref<VariableCreator>> VariableCreatorsHere();

}  // namespace gk

#endif  // GK_FUNCTION_VARIABLE_CREATORS_H_
