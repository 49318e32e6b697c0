// PlanRunner: the FunctionRunner of plans, which InitRuntime supplies.
#ifndef GK_RUNTIME_PLAN_RUNNER_H_
#define GK_RUNTIME_PLAN_RUNNER_H_

#include "framework/function_runner.h"

namespace gk {

class PlanRunner : public FunctionRunner {
 public:
  Status Run(const GraphFunction& function, std::span<const Tensor> inputs,
             TensorVector* outputs,
             const CancellationToken* cancellation) override;
  Status RunWhile(const GraphFunction& condition, const GraphFunction& body,
                  TensorVector* state, StatusOr<bool> (*truth)(const Tensor&),
                  const CancellationToken* cancellation) override;
  Status RunUnchanged(const GraphFunction& function,
                      std::span<const Tensor> inputs, TensorVector* outputs,
                      const CancellationToken* cancellation) override;
  ErrorSite TakeErrorSite() override;
  void PutErrorSite(const ErrorSite& site) override;
  Status Poll() override;
};

}  // namespace gk

#endif  // GK_RUNTIME_PLAN_RUNNER_H_
