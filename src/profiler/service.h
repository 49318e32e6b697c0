// ProfilerService: profiles for other processes, as messages. How these travel
// is the face's: gRPC, to be understood by TensorFlow's programs.
#ifndef GK_PROFILER_SERVICE_H_
#define GK_PROFILER_SERVICE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "base/status.h"
#include "profiler/session.h"

namespace gk {

class ProfilerService {
 public:
  // What "Profile", "Monitor" or "Terminate" is answered with, a serialized
  // message; Unimplemented of other methods. Blocks as long as the request
  // says, or until `goes_on`, asked several times a second, says no. One
  // profile at a time: AlreadyExists. Thread-safe.
  static StatusOr<std::string> Answer(std::string_view method,
                                      std::string_view request,
                                      FunctionRef<bool()> goes_on);
};

// The other side.
struct RemoteProfile {
  std::string logdir;
  int64_t duration_ms = 0;
  ProfilerOptions options;
  std::string session;  // a folder below the log folder

  // The request to a server, which it is known by as `host`.
  std::string RequestTo(const std::string& host) const;
  // Keeps what a server answered, where it could not write to the log folder
  // itself. False if it recorded nothing.
  StatusOr<bool> Keep(const std::string& host, std::string_view response) const;

 private:
  std::string Folder() const;
};
// Of profiles that begin now: "2026_01_31_23_59_59".
std::string ProfileSessionNow();

std::string MonitorRequestOf(int64_t duration_ms, int64_t level);
// The text of an answer.
StatusOr<std::string> MonitorText(std::string_view response);

}  // namespace gk

#endif  // GK_PROFILER_SERVICE_H_
