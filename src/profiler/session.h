// Profiler: one recording at a time of what the process does, written as files
// that TensorBoard and Perfetto read; what tf.profiler.experimental and
// gk::profiler are inside. Thread-safe.
#ifndef GK_PROFILER_SESSION_H_
#define GK_PROFILER_SESSION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "base/event_log.h"
#include "base/status.h"

namespace gk {

// TensorFlow's, with its defaults.
struct ProfilerOptions {
  // 0: nothing, 1: functions, stages of datasets and annotations, 2: ops too,
  // 3: also what threads of the pool do. Below 3, of functions so short that
  // recording them would take 3 % of their time, only some runs are recorded.
  int64_t host_tracer_level = 2;
  // 1: calls of functions of the host language; the face records them.
  int64_t python_tracer_level = 0;
  int64_t device_tracer_level = 1;  // there are no such devices
  // What begins earlier is left out.
  std::optional<int64_t> delay_ms = {};
};

class Profiler {
 public:
  // AlreadyExists if one runs. The folder is looked at when files are written.
  static Status Start(const std::string& logdir,
                      const ProfilerOptions& options = {});
  // Writes LOGDIR/plugins/profile/TIME/HOST.xplane.pb and, beside it,
  // HOST.trace.json.gz if `save`. Unavailable if none runs; what files say if
  // they cannot be written: it has ended then, too.
  static Status Stop(bool save);
  // The recording, in the place of files. Unavailable if none runs.
  static StatusOr<Recording> End();
};

// Writes FOLDER/HOST.xplane.pb and HOST.trace.json.gz.
Status WriteProfile(const Recording& recording, const std::string& folder,
                    const std::string& host);
// The name of this machine.
std::string ProfiledHost();
// "2026_01_31_23_59_59", of nanoseconds since 1970: TensorBoard lists profiles
// by it.
std::string ProfileTime(int64_t nanoseconds);

}  // namespace gk

#endif  // GK_PROFILER_SESSION_H_
