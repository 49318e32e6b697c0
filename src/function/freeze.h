// Freezing: a function whose variables are constants.
#ifndef GK_FUNCTION_FREEZE_H_
#define GK_FUNCTION_FREEZE_H_

#include "function/concrete_function.h"
#include "function/func_graph.h"

namespace gk {

// The function with the values in it that its captured variables and tensors
// have now: what it computes from here on is the same whatever becomes of
// them, and no file but the graph is needed to run it. Calls are inlined;
// loops and branches stay, over functions that are frozen as well. What is no
// variable (tables, values asked for at each call) stays captured, and so do
// arguments that are variables.
//
// FailedPrecondition if a variable has no value, ValueError if the function
// does anything to one but read it.
struct FrozenFunction {
  Ref<ConcreteFunction> function;
  Ref<FuncGraph> graph;  // it is of
};
StatusOr<FrozenFunction> FreezeVariables(const ConcreteFunction& function);

}  // namespace gk

#endif  // GK_FUNCTION_FREEZE_H_
