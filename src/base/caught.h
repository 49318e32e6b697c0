// The exception in flight as a Status: for the borders where what was thrown
// must not go on (kernels, threads, callbacks, the host language).
#ifndef GK_BASE_CAUGHT_H_
#define GK_BASE_CAUGHT_H_

#include <string_view>

#include "base/status.h"

namespace gk {

// Inside catch (...) only. An Error gives its status; what says that the
// system has no more of something (std::bad_alloc and the like) gives
// ResourceExhausted, where `doing` tells what needed it ("op Where"). Anything
// else was thrown by somebody above, who shall have it: it passes.
Status CaughtStatus(std::string_view doing = {});
// The same where nobody is above: anything else is Internal. Only the
// unwinding of a thread that ends passes.
Status LastCaughtStatus(std::string_view doing = {});

}  // namespace gk

#endif  // GK_BASE_CAUGHT_H_
