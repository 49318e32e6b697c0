// Executor: runs plans and whole functions.
//
// Thread-safe and re-entrant: each run has a frame of its own. A warm run of
// a function with known shapes takes no lock and allocates only what leaves
// it.
#ifndef GK_RUNTIME_EXECUTOR_H_
#define GK_RUNTIME_EXECUTOR_H_

#include <span>

#include "framework/function_definition.h"
#include "graph/graph.h"
#include "runtime/frame.h"
#include "runtime/plan.h"

namespace gk {

// Runs the plan on arguments that were checked against it.
Status RunPlan(const Plan& plan, std::span<const Tensor> inputs,
               TensorVector* outputs, const CancellationToken* cancellation);

// Compiles on first use. Errors carry "[[{{node NAME}}]]"; see ErrorOrigin.
Status RunFunction(const GraphFunction& function,
                   std::span<const Tensor> inputs, TensorVector* outputs,
                   const CancellationToken* cancellation = nullptr);

// While condition(state) holds, state = body(state). Frames are kept over the
// iterations; values that only the loop sees are changed in place.
Status RunWhileLoop(const GraphFunction& condition, const GraphFunction& body,
                    TensorVector* state, StatusOr<bool> (*truth)(const Tensor&),
                    const CancellationToken* cancellation);

// Runs the plan in a frame whose arguments are in place; leaves the frame
// clean if it succeeds, but for what a loop keeps.
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

// Makes RunFunction the process-wide FunctionRunner. Further calls do
// nothing.
void InitRuntime();

}  // namespace gk

#endif  // GK_RUNTIME_EXECUTOR_H_
