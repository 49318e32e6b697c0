// FunctionRunner: how what stands below the runtime (kernels of call and
// control-flow ops, iterators of datasets, checks) runs a function, and how
// gradients of such ops are built.
#ifndef GK_FRAMEWORK_FUNCTION_RUNNER_H_
#define GK_FRAMEWORK_FUNCTION_RUNNER_H_

#include <memory>
#include <span>

#include "base/cancellation.h"
#include "base/status.h"
#include "framework/tensor.h"

namespace gk {

class GradContext;    // framework/grad_context.h
class GraphFunction;  // framework/graph.h

// Where a function failed. It is known for each thread by itself: whoever runs
// one in the background hands it on with the error; whoever takes an error for
// something else (the end of a sequence) drops it.
using ErrorSite = std::shared_ptr<const void>;

class FunctionRunner {
 public:
  virtual ~FunctionRunner() = default;
  // Runs `function` on this thread; thread-safe, re-entrant.
  virtual Status Run(const GraphFunction& function,
                     std::span<const Tensor> inputs, TensorVector* outputs,
                     const CancellationToken* cancellation) = 0;
  // While `condition(state)` holds, state = body(state). The state's memory is
  // reused where nobody else can see it. `truth` reads the condition.
  virtual Status RunWhile(const GraphFunction& condition,
                          const GraphFunction& body, TensorVector* state,
                          StatusOr<bool> (*truth)(const Tensor&),
                          const CancellationToken* cancellation) = 0;

  // Runs a graph as it is, without passes: for checks of these. Interrupts
  // wait, and no error site is left.
  virtual Status RunUnchanged(const GraphFunction& function,
                              std::span<const Tensor> inputs,
                              TensorVector* outputs,
                              const CancellationToken* cancellation) = 0;
  // The gradient of an op that runs functions (If, Case, While) where a tape
  // recorded it as an op. Throws Error: LookupError in a program without the
  // layer that builds functions.
  virtual void Differentiate(GradContext& g);

  // The site of the last failure on this thread, which forgets it; null if
  // there is none.
  virtual ErrorSite TakeErrorSite() = 0;
  // Makes it that of this thread.
  virtual void PutErrorSite(const ErrorSite& site) = 0;
  // An error if the host language wants to interrupt what runs on this thread.
  // Asked often; cheap.
  virtual Status Poll() = 0;

  // The runtime's, from the start of the program on, or that of the layer that
  // builds functions, which differentiates too; null in a program that
  // has no runtime.
  static FunctionRunner* Get();
  static void Set(FunctionRunner* runner);
};

}  // namespace gk

#endif  // GK_FRAMEWORK_FUNCTION_RUNNER_H_
