#include "runtime/plan_runner.h"

#include <memory>
#include <mutex>

#include "base/interrupt.h"
#include "runtime/error_origin.h"
#include "runtime/executor.h"
#include "runtime/loop_poll.h"
#include "runtime/plan.h"

namespace gk {

Status PlanRunner::Run(const GraphFunction& function,
                       std::span<const Tensor> inputs, TensorVector* outputs,
                       const CancellationToken* cancellation) {
  return RunFunction(function, inputs, outputs, cancellation);
}

Status PlanRunner::RunWhile(const GraphFunction& condition,
                            const GraphFunction& body, TensorVector* state,
                            StatusOr<bool> (*truth)(const Tensor&),
                            const CancellationToken* cancellation) {
  return RunWhileLoop(condition, body, state, truth, cancellation);
}

Status PlanRunner::RunUnchanged(const GraphFunction& function,
                                std::span<const Tensor> inputs,
                                TensorVector* outputs,
                                const CancellationToken* cancellation) {
  const NoInterrupts quiet;
  const ErrorOrigin origin = LastErrorOrigin();
  const Status status = [&]() -> Status {
    GK_ASSIGN_OR_RETURN(const Ref<Plan> plan,
                        Plan::Make(RewriteGraph::CloneOf(function)));
    return RunPlan(*plan, inputs, outputs, cancellation);
  }();
  SetErrorOrigin(origin);
  return status;
}

ErrorSite PlanRunner::TakeErrorSite() {
  if (LastErrorOrigin().node.empty()) return nullptr;
  auto site = std::make_shared<const ErrorOrigin>(LastErrorOrigin());
  ClearErrorOrigin();
  return site;
}

void PlanRunner::PutErrorSite(const ErrorSite& site) {
  SetErrorOrigin(*static_cast<const ErrorOrigin*>(site.get()));
}

Status PlanRunner::Poll() {
  static constinit thread_local LoopPoll loop(nullptr);
  return loop.Turn("of an iteration");
}

void InitRuntime(FunctionRunner* runner) {
  static std::once_flag once;
  std::call_once(once, [&] {
    FunctionRunner::Set(runner != nullptr ? runner : new PlanRunner);
  });
}

}  // namespace gk
