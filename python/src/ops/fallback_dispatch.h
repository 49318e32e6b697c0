#ifndef GK_PYTHON_FALLBACK_DISPATCH_H_
#define GK_PYTHON_FALLBACK_DISPATCH_H_

#include "python/src/ops/dispatch.h"

namespace gk::py {

// Is there anybody to ask when a call failed?
extern bool has_fallbacks;
// The result of who knows the call's types, or NotImplemented.
nanobind::object AskFallbacks(const DispatchedCall& call);

void AddFallbackDispatch(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_FALLBACK_DISPATCH_H_
