#include "framework/function_gradients.h"

#include <atomic>

#include "framework/grad_context.h"

namespace gk {
namespace {
std::atomic<GradientFn> control_flow_gradient{nullptr};
}  // namespace

void ControlFlowGradient(GradContext& g) {
  const GradientFn gradient = control_flow_gradient.load();
  if (gradient == nullptr) {
    throw Error(
        LookupError("gradient registry has no entry for: {}", g.record().name));
  }
  gradient(g);
}

void SetControlFlowGradient(GradientFn gradient) {
  control_flow_gradient.store(gradient);
}

}  // namespace gk
