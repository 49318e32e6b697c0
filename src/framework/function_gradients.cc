#include "framework/function_gradients.h"

#include "framework/function_runner.h"
#include "framework/grad_context.h"

namespace gk {

void ControlFlowGradient(GradContext& g) {
  FunctionRunner* const runner = FunctionRunner::Get();
  if (runner == nullptr) {
    throw Error(LookupError("{} needs a runtime", g.record().name));
  }
  runner->Differentiate(g);
}

}  // namespace gk
