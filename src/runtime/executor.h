// Executor: runs plans and whole functions.
//
// Thread-safe and re-entrant: each run has a frame of its own. A warm run of
// a function with known shapes takes no lock and allocates only what leaves
// it.
#ifndef GK_RUNTIME_EXECUTOR_H_
#define GK_RUNTIME_EXECUTOR_H_

#include <span>

#include "framework/function_runner.h"
#include "framework/graph.h"
#include "runtime/run_plan.h"

namespace gk {

// Compiles on first use. Errors carry "[[{{node NAME}}]]"; see ErrorOrigin.
// The last `num_captures` inputs live as long as the function: variables among
// them may be kept from one call to the next (kept_reads.h).
Status RunFunction(const GraphFunction& function,
                   std::span<const Tensor> inputs, TensorVector* outputs,
                   const CancellationToken* cancellation = nullptr,
                   int num_captures = 0);

// While condition(state) holds, state = body(state). Frames are kept over the
// iterations; values that only the loop sees are changed in place.
Status RunWhileLoop(const GraphFunction& condition, const GraphFunction& body,
                    TensorVector* state, StatusOr<bool> (*truth)(const Tensor&),
                    const CancellationToken* cancellation);

// Makes `runner`, which lives as long as the process, or else RunFunction the
// process-wide FunctionRunner. Further calls do nothing.
void InitRuntime(FunctionRunner* runner = nullptr);

}  // namespace gk

#endif  // GK_RUNTIME_EXECUTOR_H_
