// RunTrace: what a session's run did, as TensorFlow's RunMetadata says it.
//
// Used by one thread, around the run.
#ifndef GK_PROFILER_RUN_TRACE_H_
#define GK_PROFILER_RUN_TRACE_H_

#include <string>

#include "base/status.h"
#include "framework/graph.h"

namespace gk {

struct RunTraceOptions {
  bool step_stats = false;        // which ops ran, when, on which thread
  bool partition_graphs = false;  // what ran, behind all rewritings
};

class RunTrace {
 public:
  // From here on what the process runs is recorded, if that is wanted and
  // nobody else records: of ops that run while a profile is made there are no
  // step_stats.
  explicit RunTrace(const RunTraceOptions& options);
  ~RunTrace();
  RunTrace(const RunTrace&) = delete;
  RunTrace& operator=(const RunTrace&) = delete;

  // The end, and a serialized RunMetadata. Of ops that ran as one group the
  // last has the time of all; the others stand at its beginning.
  StatusOr<std::string> End(const GraphFunction& function);

 private:
  const RunTraceOptions options_;
  bool records_ = false;
};

}  // namespace gk

#endif  // GK_PROFILER_RUN_TRACE_H_
