#include "runtime/example_runner.h"
#include "runtime/executor.h"
#include "runtime/iteration_hooks.h"

namespace gk {
namespace {

class PlanRunner final : public FunctionRunner {
 public:
  Status Run(const FunctionDefinition& function, std::span<const Tensor> inputs,
             TensorVector* outputs,
             const CancellationToken* cancellation) override {
    // Every definition in a process with this runner is a graph.
    return RunFunction(static_cast<const GraphFunction&>(function), inputs,
                       outputs, cancellation);
  }
  Status RunWhile(const FunctionDefinition& condition,
                  const FunctionDefinition& body, TensorVector* state,
                  StatusOr<bool> (*truth)(const Tensor&),
                  const CancellationToken* cancellation) override {
    return RunWhileLoop(static_cast<const GraphFunction&>(condition),
                        static_cast<const GraphFunction&>(body), state, truth,
                        cancellation);
  }
};

}  // namespace

void InitRuntime() {
  static PlanRunner* runner = [] {
    auto* r = new PlanRunner;  // Lives as long as the process.
    FunctionRunner::Set(r);
    InstallIterationHooks();
    InstallExampleRunner();
    return r;
  }();
  (void)runner;
}

}  // namespace gk
