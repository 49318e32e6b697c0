// What iterators need of the layer that runs functions: where one failed, and
// whether to go on.
//
// Where a function failed is known there for each
// thread by itself. Whoever runs one in the background hands that on with the
// error; whoever takes an error for something else (the end of a sequence)
// drops it.
#ifndef GK_DATA_RUN_HOOKS_H_
#define GK_DATA_RUN_HOOKS_H_

#include <memory>

#include "framework/function_definition.h"

namespace gk {

using ErrorSite = std::shared_ptr<const void>;

// What the layer that runs functions supplies; set once at start.
struct RunHooks {
  ErrorSite (*take_site)() = nullptr;
  void (*put_site)(const ErrorSite& site) = nullptr;
  // An error if the host language wants to interrupt what runs on this
  // thread. Asked often; cheap.
  Status (*poll)() = nullptr;
  // A copy of the function whose random streams begin anew; null if it has
  // none that seeds determine.
  Ref<FunctionDefinition> (*fresh)(const FunctionDefinition& f) = nullptr;
};
void SetRunHooks(RunHooks hooks);

// The site of the last failure on this thread, which forgets it; null if
// there is none.
ErrorSite TakeErrorSite();
// Makes it that of this thread.
void PutErrorSite(const ErrorSite& site);

// A copy whose random streams begin anew, or the function itself.
Ref<FunctionDefinition> FreshFunction(const Ref<FunctionDefinition>& function);

// For loops that may be long: Cancelled if the token (may be null) says so;
// what the host language says if it interrupts.
Status CheckCancellation(const CancellationToken* cancellation);

}  // namespace gk

#endif  // GK_DATA_RUN_HOOKS_H_
