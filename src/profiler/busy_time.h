// BusyTime: how much of a recording's time the program ran functions in, and
// how long its steps took.
#ifndef GK_PROFILER_BUSY_TIME_H_
#define GK_PROFILER_BUSY_TIME_H_

#include <cstdint>

#include "base/event_log.h"

namespace gk {

struct BusyTime {
  // Of the recording: when no thread ran a function, an op or a stage.
  double idle_percent = 100;
  // Annotations with `step_num`.
  int64_t steps = 0;
  double step_ms_mean = 0, step_ms_least = 0, step_ms_most = 0;
};

BusyTime BusyTimeOf(const Recording& recording);

}  // namespace gk

#endif  // GK_PROFILER_BUSY_TIME_H_
