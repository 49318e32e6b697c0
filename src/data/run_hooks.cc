#include "data/run_hooks.h"

namespace gk {
namespace {

RunHooks current;

}  // namespace

void SetRunHooks(RunHooks hooks) { current = hooks; }

ErrorSite TakeErrorSite() {
  return current.take_site == nullptr ? nullptr : current.take_site();
}

void PutErrorSite(const ErrorSite& site) {
  if (site != nullptr && current.put_site != nullptr) current.put_site(site);
}

Ref<FunctionDefinition> FreshFunction(const Ref<FunctionDefinition>& function) {
  if (current.fresh == nullptr) return function;
  Ref<FunctionDefinition> fresh = current.fresh(*function);
  return fresh ? fresh : function;
}

Status CheckCancellation(const CancellationToken* cancellation) {
  if (cancellation != nullptr && cancellation->IsCancelled()) {
    return Cancelled("The iteration was cancelled");
  }
  return current.poll == nullptr ? OkStatus() : current.poll();
}

}  // namespace gk
