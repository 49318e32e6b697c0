#include "framework/function_runner.h"

#include "framework/grad_context.h"

namespace gk {
namespace {
std::atomic<FunctionRunner*> runner{nullptr};
}

void FunctionRunner::Differentiate(GradContext& g) {
  throw Error(
      LookupError("gradient registry has no entry for: {}", g.record().name));
}

FunctionRunner* FunctionRunner::Get() { return runner.load(); }
void FunctionRunner::Set(FunctionRunner* r) { runner.store(r); }

}  // namespace gk
