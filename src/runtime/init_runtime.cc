#include "runtime/error_origin.h"
#include "runtime/example_runner.h"
#include "runtime/executor.h"
#include "runtime/loop_poll.h"

namespace gk {
namespace {

class PlanRunner final : public FunctionRunner {
 public:
  Status Run(const GraphFunction& function, std::span<const Tensor> inputs,
             TensorVector* outputs,
             const CancellationToken* cancellation) override {
    return RunFunction(function, inputs, outputs, cancellation);
  }
  Status RunWhile(const GraphFunction& condition, const GraphFunction& body,
                  TensorVector* state, StatusOr<bool> (*truth)(const Tensor&),
                  const CancellationToken* cancellation) override {
    return RunWhileLoop(condition, body, state, truth, cancellation);
  }

  ErrorSite TakeErrorSite() override {
    if (LastErrorOrigin().node.empty()) return nullptr;
    auto site = std::make_shared<const ErrorOrigin>(LastErrorOrigin());
    ClearErrorOrigin();
    return site;
  }
  void PutErrorSite(const ErrorSite& site) override {
    SetErrorOrigin(*static_cast<const ErrorOrigin*>(site.get()));
  }
  Status Poll() override {
    static constinit thread_local LoopPoll loop(nullptr);
    return loop.Turn("of an iteration");
  }
};

}  // namespace

void InitRuntime() {
  static PlanRunner* runner = [] {
    auto* r = new PlanRunner;  // Lives as long as the process.
    FunctionRunner::Set(r);
    InstallExampleRunner();
    return r;
  }();
  (void)runner;
}

}  // namespace gk
