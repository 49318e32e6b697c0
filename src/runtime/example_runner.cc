#include "runtime/example_runner.h"

#include "grappler/example_check.h"
#include "runtime/error_origin.h"
#include "runtime/executor.h"
#include "runtime/loop_poll.h"

namespace gk {
namespace {

class PlanExamples final : public ExampleRunner {
 public:
  Status Run(const FunctionGraph& function, std::span<const Tensor> arguments,
             TensorVector* results,
             const CancellationToken* cancellation) override {
    const NoInterrupts quiet;
    const ErrorOrigin origin = LastErrorOrigin();
    const Status status = Make(function, arguments, results, cancellation);
    SetErrorOrigin(origin);
    return status;
  }

 private:
  static Status Make(const FunctionGraph& function,
                     std::span<const Tensor> arguments, TensorVector* results,
                     const CancellationToken* cancellation) {
    GK_ASSIGN_OR_RETURN(const Ref<Plan> plan, Plan::Make(function.Clone()));
    return RunPlan(*plan, arguments, results, cancellation);
  }
};

}  // namespace

void InstallExampleRunner() {
  static auto* runner = new PlanExamples;  // Lives as long as the process.
  ExampleRunner::Set(runner);
}

}  // namespace gk
