// A recording as the bytes of an XSpace, which TensorBoard's page of profiles
// reads, and as the JSON of a Chrome trace, which Perfetto opens.
#ifndef GK_PROFILER_XSPACE_H_
#define GK_PROFILER_XSPACE_H_

#include <string>

#include "base/event_log.h"

namespace gk {

// A serialized XSpace: the plane "/host:CPU" with a line a thread, and the
// plane "Task Environment" with the times of the recording.
std::string XSpaceOf(const Recording& recording, const std::string& host);

// The same as a text that begins '{"displayTimeUnit"'.
std::string TraceJsonOf(const Recording& recording);

}  // namespace gk

#endif  // GK_PROFILER_XSPACE_H_
