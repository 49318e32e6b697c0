// Gradients of ops that run functions. Making them takes the layer that
// builds functions: FunctionRunner leads there.
#ifndef GK_FRAMEWORK_FUNCTION_GRADIENTS_H_
#define GK_FRAMEWORK_FUNCTION_GRADIENTS_H_

#include "framework/op_record.h"

namespace gk {

// The gradient of If, Case and While, recorded op by op.
void ControlFlowGradient(GradContext& g);

}  // namespace gk

#endif  // GK_FRAMEWORK_FUNCTION_GRADIENTS_H_
