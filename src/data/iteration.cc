#include "data/iteration.h"

#include "base/run_limit.h"

namespace gk {

ErrorSite TakeErrorSite() {
  FunctionRunner* runner = FunctionRunner::Get();
  return runner == nullptr ? nullptr : runner->TakeErrorSite();
}

void PutErrorSite(const ErrorSite& site) {
  FunctionRunner* runner = FunctionRunner::Get();
  if (site != nullptr && runner != nullptr) runner->PutErrorSite(site);
}

Status CheckCancellation(const CancellationToken* cancellation) {
  if (HasRunEnded(cancellation)) {
    return Cancelled("The iteration was cancelled");
  }
  FunctionRunner* runner = FunctionRunner::Get();
  return runner == nullptr ? OkStatus() : runner->Poll();
}

}  // namespace gk
