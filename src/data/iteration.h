// What a run over a dataset asks of the runtime: where a function failed, and
// whether to go on.
#ifndef GK_DATA_ITERATION_H_
#define GK_DATA_ITERATION_H_

#include "framework/function_runner.h"

namespace gk {

// FunctionRunner's; nothing in a program that has no runtime.
ErrorSite TakeErrorSite();
void PutErrorSite(const ErrorSite& site);

// For loops that may be long: Cancelled if the token (may be null) says so;
// what the host language says if it interrupts.
Status CheckCancellation(const CancellationToken* cancellation);

}  // namespace gk

#endif  // GK_DATA_ITERATION_H_
