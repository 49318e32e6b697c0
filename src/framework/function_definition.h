// FunctionDefinition: a graph function as the layers below `graph` see it,
// and FunctionRunner: how kernels of call and control-flow ops run one.
#ifndef GK_FRAMEWORK_FUNCTION_DEFINITION_H_
#define GK_FRAMEWORK_FUNCTION_DEFINITION_H_

#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "base/ref.h"
#include "base/status.h"
#include "framework/tensor.h"

namespace gk {

class FunctionDefinition : public RefCounted {
 public:
  virtual const std::string& name() const = 0;
  virtual std::vector<DataType> input_types() const = 0;
  virtual std::vector<DataType> output_types() const = 0;
  virtual std::vector<PartialTensorShape> output_shapes() const = 0;
  // Contains an op with side effects (directly or in a function it calls).
  virtual bool is_stateful() const = 0;
};

// Polled by long runs; set from any thread or a signal handler.
class CancellationToken {
 public:
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool IsCancelled() const {
    return cancelled_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<bool> cancelled_{false};
};

class FunctionRunner {
 public:
  virtual ~FunctionRunner() = default;
  // Runs `function` on this thread; thread-safe, re-entrant.
  virtual Status Run(const FunctionDefinition& function,
                     std::span<const Tensor> inputs, TensorVector* outputs,
                     const CancellationToken* cancellation) = 0;
  // While `condition(state)` holds, state = body(state). The state's memory is
  // reused where nobody else can see it. `truth` reads the condition.
  virtual Status RunWhile(const FunctionDefinition& condition,
                          const FunctionDefinition& body, TensorVector* state,
                          StatusOr<bool> (*truth)(const Tensor&),
                          const CancellationToken* cancellation) = 0;

  // The process-wide runner, supplied by the layer above the runtime.
  static FunctionRunner* Get();
  static void Set(FunctionRunner* runner);
};

}  // namespace gk

#endif  // GK_FRAMEWORK_FUNCTION_DEFINITION_H_
