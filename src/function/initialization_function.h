// The function that initialises variables which another made when it was
// traced.
#ifndef GK_FUNCTION_INITIALIZATION_FUNCTION_H_
#define GK_FUNCTION_INITIALIZATION_FUNCTION_H_

#include <span>

#include "function/concrete_function.h"

namespace gk {

// Takes their values from the variables of these handles, which have none from
// here on, and traces into `graph`, new and not entered, the function that
// gives them back. Throws Error.
Ref<ConcreteFunction> InitializationFunction(FuncGraph* graph,
                                             std::span<const Tensor> handles);

}  // namespace gk

#endif  // GK_FUNCTION_INITIALIZATION_FUNCTION_H_
