// RetraceExplanation: why a function was traced more than once, in words, and
// what would avoid it. Prints as text and, for notebooks, as a table.
//
// Made when it is asked for, of the history of a cache; cached calls cost
// nothing.
#ifndef GK_FUNCTION_RETRACE_EXPLANATION_H_
#define GK_FUNCTION_RETRACE_EXPLANATION_H_

#include <span>
#include <string>
#include <vector>

#include "function/host_words.h"
#include "function/trace_history.h"

namespace gk {

// One part of a call that no earlier trace accepted.
struct RetraceReason {
  std::string argument;  // "x[0]['a']"; empty for the call as a whole
  std::string cause;     // "dtype", "shape", "rank", "number", "value", ...
  std::string old_type, new_type;
  std::string advice;    // what would avoid the trace
};
std::string RetraceReasonText(const RetraceReason& reason);

// One trace beyond the first.
struct Retrace {
  int number = 0;       // of the trace, from 1
  int compared_to = 0;  // the earlier trace most like it
  std::string type;     // of the call
  std::string traced;   // more general if asked for
  double seconds = 0;   // that tracing took
  bool evicted = false;
  CallSite site;
  std::vector<RetraceReason> reasons;
};
std::string RetraceText(const Retrace& retrace, const HostWords& words);

// The latest traces are told in full, all are counted.
struct RetraceExplanation {
  std::string name;
  int num_traces = 0;
  // Of the function as a whole.
  std::vector<std::string> notes;
  std::vector<Retrace> retraces;
};
RetraceExplanation ExplainHistory(const TraceHistory& history,
                                  const std::string& name, size_t max_traces,
                                  const HostWords& words);
// Of the last `most` retraces only.
std::string ExplanationText(const RetraceExplanation& explanation,
                            const HostWords& words, size_t most = SIZE_MAX);
std::string ExplanationHtml(const RetraceExplanation& explanation);

}  // namespace gk

#endif  // GK_FUNCTION_RETRACE_EXPLANATION_H_
