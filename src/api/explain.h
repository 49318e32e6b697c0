// The history of a trace cache in public words.
#ifndef GK_API_EXPLAIN_H_
#define GK_API_EXPLAIN_H_

#include <string>

#include "function/trace_history.h"
#include "graphkiln/retraces.h"

namespace gk::api {

RetraceExplanation Explain(const TraceHistory& history,
                           const std::string& name);

}  // namespace gk::api

#endif  // GK_API_EXPLAIN_H_
