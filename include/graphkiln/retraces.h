// Why a function was traced more than once, and what its cache holds.
//
// Plain values, made when they are asked for; a cached call costs nothing.
#ifndef GRAPHKILN_RETRACES_H_
#define GRAPHKILN_RETRACES_H_

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include <graphkiln/export.h>

namespace gk {
GK_API_NAMESPACE {

// What a function's cache of traces did so far.
struct CacheInfo {
  int64_t hits = 0;       // calls and look-ups that found a trace
  int64_t misses = 0;     // those that traced, or tried to
  int64_t evictions = 0;  // traces that the limit pushed out
  size_t max_traces = 0;  // 0: no limit
  size_t size = 0;        // traces there are
};

// One part of a call that no earlier trace accepted.
struct RetraceReason {
  std::string argument;  // "x[0]['a']"; empty for the call as a whole
  std::string cause;     // "dtype", "shape", "rank", "number", "value", ...
  std::string old_type, new_type;
  std::string advice;    // what would avoid the trace
};

// One trace beyond the first.
struct GK_EXPORT Retrace {
  int number = 0;       // of the trace, from 1
  int compared_to = 0;  // the earlier trace most like it
  std::string signature;         // the types of the call
  std::string traced_signature;  // those traced, more general if asked for
  double seconds = 0;            // that tracing took
  bool evicted = false;
  // Where the call was; empty if it has too many arguments to tell.
  std::string file, function;
  int line = 0;
  std::vector<RetraceReason> reasons;

  // The same as some lines of text.
  std::string to_string() const;
};

// The latest traces are told in full, all are counted.
struct GK_EXPORT RetraceExplanation {
  std::string name;
  int num_traces = 0;
  // Of the function as a whole: was it made over and over?
  std::vector<std::string> notes;
  std::vector<Retrace> retraces;

  // The same as some lines of text.
  std::string to_string() const;
  // A table, for notebooks and pages.
  std::string to_html() const;
};
GK_EXPORT std::ostream& operator<<(std::ostream& out,
                                   const RetraceExplanation& explanation);

// Takes warnings of excessive retracing: five tracings or more within the last
// ten calls of the functions made at one place, at most twice for each.
// They are written to the standard error stream unless a sink was set.
using RetracingWarningSink = std::function<void(const std::string& warning)>;
// Returns the sink there was; empty was the standard error stream. A sink that
// does nothing silences them. Thread-safe; `sink` is called by any thread.
GK_EXPORT RetracingWarningSink
set_retracing_warning_sink(RetracingWarningSink sink);

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_RETRACES_H_
