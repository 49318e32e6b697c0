// Runs of plans, for what runs them within one another. (executor.cc)
#ifndef GK_RUNTIME_RUN_PLAN_H_
#define GK_RUNTIME_RUN_PLAN_H_

#include <span>
#include <string_view>

#include "framework/function_runner.h"
#include "runtime/frame.h"
#include "runtime/plan.h"

namespace gk {

// Runs the plan on arguments that were checked against it. The last
// `num_captures` live as long as the plan.
Status RunPlan(const Plan& plan, std::span<const Tensor> inputs,
               TensorVector* outputs, const CancellationToken* cancellation,
               int num_captures = 0);

// Runs the plan in a frame that has begun and has its arguments; leaves the
// frame clean if it succeeds, but for what a loop keeps.
Status RunInFrame(const Plan& plan, Frame& frame, TensorVector* outputs,
                  const CancellationToken* cancellation,
                  Turn turn = Turn::kCall);

// A turn of a closed loop body whose states are in place; then the next ones
// are. `scratch` is empty before and after.
Status RunTurnInFrame(const Plan& body, Frame& frame, TensorVector* scratch,
                      const CancellationToken* cancellation, Turn turn);

// Whether a run of the plan is under way on this thread.
bool IsRunning(const Plan& plan);

// Functions that run on this thread, one within the other. An error if there
// are more than the stack has room for.
class NestingScope {
 public:
  NestingScope();
  ~NestingScope();
  Status Check(std::string_view function) const;
};

}  // namespace gk

#endif  // GK_RUNTIME_RUN_PLAN_H_
