// Waiting for other threads, which may need the host language's lock.
#ifndef GK_FUNCTION_BLOCKING_WAIT_H_
#define GK_FUNCTION_BLOCKING_WAIT_H_

#include "base/function_ref.h"

namespace gk {

// How the host language blocks: gives up its interpreter lock, runs `wait`.
void SetBlockingWait(void (*around)(FunctionRef<void()> wait));
// Runs `wait`, which blocks until another thread is done with something it
// may need the interpreter lock for.
void WaitBlocking(FunctionRef<void()> wait);

}  // namespace gk

#endif  // GK_FUNCTION_BLOCKING_WAIT_H_
