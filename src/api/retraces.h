// Explanations of retraces as public values.
#ifndef GK_API_RETRACES_H_
#define GK_API_RETRACES_H_

#include "function/retrace_explanation.h"
#include "graphkiln/retraces.h"

namespace gk::api {

RetraceExplanation Outer(::gk::RetraceExplanation&& explanation);

}  // namespace gk::api

#endif  // GK_API_RETRACES_H_
