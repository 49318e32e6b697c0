#include "profiler/service.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/process_mutex.h"
#include "io/files.h"
#include "profiler/busy_time.h"
#include "profiler/xspace.h"
#include "proto/profiler_service.gk.h"

namespace gk {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kBetweenQuestions = std::chrono::milliseconds(20);
// No profile is longer: its request is damaged.
constexpr uint64_t kMaxMilliseconds = 24 * 3600 * 1000;

ProcessMutex& SessionLock() {
  static auto* mutex = new ProcessMutex;
  return *mutex;
}
// Whether it was asked to end, of each session that runs.
std::map<std::string, bool>& Terminated() {
  static auto* sessions = new std::map<std::string, bool>;
  return *sessions;
}

int64_t NanosecondsNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void WaitFor(std::chrono::nanoseconds time, FunctionRef<bool()> goes_on) {
  const auto end = Clock::now() + time;
  while (Clock::now() < end && goes_on()) {
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(
        kBetweenQuestions, end - Clock::now()));
  }
}

Status CheckDuration(uint64_t milliseconds) {
  if (milliseconds > 0 && milliseconds <= kMaxMilliseconds) return OkStatus();
  return InvalidArgument("duration_ms must be between 1 and {}, but is {}",
                         kMaxMilliseconds, milliseconds);
}

// What is recorded from now on.
StatusOr<Recording> Record(const ProfilerOptions& options,
                           uint64_t milliseconds, FunctionRef<bool()> goes_on) {
  GK_RETURN_IF_ERROR(Profiler::Start("", options));
  WaitFor(std::chrono::milliseconds(milliseconds), goes_on);
  return Profiler::End();
}

// A name of a file, of whatever another process calls a machine or a session.
std::string AsFileName(std::string name) {
  for (char& c : name) {
    if (c == ':' || c == '/' || c == 0) c = '_';
  }
  return name == "." || name == ".." ? "_" : name;
}

StatusOr<std::string> Profile(std::string_view bytes,
                              FunctionRef<bool()> goes_on) {
  proto::ProfileRequest request;
  GK_RETURN_IF_ERROR(request.Parse(bytes));
  GK_RETURN_IF_ERROR(CheckDuration(request.duration_ms));
  ProfilerOptions options;
  if (request.opts) options.host_tracer_level = request.opts->host_tracer_level;
  const std::string session = request.session_id;
  {
    std::lock_guard lock(SessionLock());
    if (!Terminated().try_emplace(session, false).second) {
      return AlreadyExists("A profile of session \"{}\" is being made",
                           session);
    }
  }
  const auto lasts = [&] {
    if (!goes_on()) return false;
    std::lock_guard lock(SessionLock());
    return !Terminated()[session];
  };
  if (request.opts) {
    const auto begin = static_cast<int64_t>(request.opts->start_timestamp_ns);
    const auto left = std::chrono::nanoseconds(begin - NanosecondsNow());
    if (left < std::chrono::milliseconds(kMaxMilliseconds)) {
      WaitFor(left, lasts);
    }
  }
  const StatusOr<Recording> recorded =
      Record(options, request.duration_ms, lasts);
  {
    std::lock_guard lock(SessionLock());
    Terminated().erase(session);
  }
  GK_RETURN_IF_ERROR(recorded.status());
  const std::string host = AsFileName(
      request.host_name.empty() ? ProfiledHost() : request.host_name);
  proto::ProfileResponse response;
  response.empty_trace = recorded->threads.empty();
  if (!response.empty_trace && !request.repository_root.empty()) {
    std::string folder = request.repository_root;
    if (!session.empty()) folder += "/" + AsFileName(session);
    GK_RETURN_IF_ERROR(io::MakeDirectories(folder));
    GK_RETURN_IF_ERROR(WriteProfile(*recorded, folder, host));
  }
  if (request.emit_xspace) {
    GK_RETURN_IF_ERROR(response.xspace.mut().Parse(XSpaceOf(*recorded, host)));
  }
  return response.Serialize();
}

std::string TimeOfDay() {
  const time_t seconds = NanosecondsNow() / 1'000'000'000;
  tm parts{};
  localtime_r(&seconds, &parts);
  char text[16];
  strftime(text, sizeof(text), "%H:%M:%S", &parts);
  return text;
}

StatusOr<std::string> Monitor(std::string_view bytes,
                              FunctionRef<bool()> goes_on) {
  proto::MonitorRequest request;
  GK_RETURN_IF_ERROR(request.Parse(bytes));
  GK_RETURN_IF_ERROR(CheckDuration(request.duration_ms));
  // Every run, as it is asked when they ran.
  GK_RETURN_IF_ERROR(EventLog::Start(EventLog::kSteps));
  WaitFor(std::chrono::milliseconds(request.duration_ms), goes_on);
  GK_ASSIGN_OR_RETURN(const Recording recording, EventLog::Stop());
  const BusyTime busy = BusyTimeOf(recording);
  proto::MonitorResponse response;
  proto::ProfilerServiceMonitorResult& result = response.monitor_result.mut();
  result.response_type =
      proto::ProfilerServiceMonitorResult_ResponseType::UTIL_IDLE;
  result.device_idle_time_percent = busy.idle_percent;
  std::string text;
  if (request.timestamp) text += Format("Timestamp: {}\n", TimeOfDay());
  text += Format("Device type: CPU\nDevice idle time: {:.1f}%\n",
                 busy.idle_percent);
  if (request.monitoring_level >= 2 && busy.steps > 0) {
    result.response_type =
        proto::ProfilerServiceMonitorResult_ResponseType::UTIL_IDLE_STEP;
    result.step_time_ms_avg = busy.step_ms_mean;
    result.step_time_ms_min = busy.step_ms_least;
    result.step_time_ms_max = busy.step_ms_most;
    text += Format(
        "Step time (avg): {:.3f}ms (min {:.3f}, max {:.3f}, {} steps)\n",
        busy.step_ms_mean, busy.step_ms_least, busy.step_ms_most, busy.steps);
  }
  response.data = std::move(text);
  return response.Serialize();
}

StatusOr<std::string> Terminate(std::string_view bytes) {
  proto::TerminateRequest request;
  GK_RETURN_IF_ERROR(request.Parse(bytes));
  std::lock_guard lock(SessionLock());
  const auto found = Terminated().find(request.session_id);
  if (found == Terminated().end()) {
    return NotFound("No profile of session \"{}\" is being made",
                    request.session_id);
  }
  found->second = true;
  return std::string();
}

}  // namespace

StatusOr<std::string> ProfilerService::Answer(std::string_view method,
                                              std::string_view request,
                                              FunctionRef<bool()> goes_on) {
  if (method == "Profile") return Profile(request, goes_on);
  if (method == "Monitor") return Monitor(request, goes_on);
  if (method == "Terminate") return Terminate(request);
  return Unimplemented("ProfilerService has no method {}", method);
}

std::string ProfileSessionNow() { return ProfileTime(NanosecondsNow()); }

std::string RemoteProfile::Folder() const {
  return logdir + "/plugins/profile";
}

std::string RemoteProfile::RequestTo(const std::string& host) const {
  proto::ProfileRequest request;
  request.duration_ms = static_cast<uint64_t>(duration_ms);
  request.max_events = 1'000'000;
  request.tools = {"trace_viewer",  "op_profile",    "input_pipeline",
                   "kernel_stats",  "memory_viewer", "memory_profile",
                   "overview_page", "pod_viewer",    "tensorflow_stats",
                   "xplane.pb"};
  proto::ProfileOptions& opts = request.opts.mut();
  opts.version = 1;
  opts.include_dataset_ops = true;
  opts.host_tracer_level = static_cast<uint32_t>(options.host_tracer_level);
  opts.device_tracer_level = static_cast<uint32_t>(options.device_tracer_level);
  opts.python_tracer_level = static_cast<uint32_t>(options.python_tracer_level);
  opts.start_timestamp_ns = static_cast<uint64_t>(
      NanosecondsNow() + options.delay_ms.value_or(0) * 1'000'000);
  opts.duration_ms = request.duration_ms;
  opts.repository_path = logdir;
  request.repository_root = Folder();
  request.session_id = session;
  request.host_name = host;
  request.emit_xspace = true;
  return request.Serialize();
}

StatusOr<bool> RemoteProfile::Keep(const std::string& host,
                                   std::string_view bytes) const {
  proto::ProfileResponse response;
  GK_RETURN_IF_ERROR(response.Parse(bytes));
  if (response.empty_trace) return false;
  const std::string folder = Format("{}/{}", Folder(), session);
  const std::string path = Format("{}/{}.xplane.pb", folder, AsFileName(host));
  GK_ASSIGN_OR_RETURN(const bool there, io::Exists(path));
  if (there || !response.xspace) return true;
  GK_RETURN_IF_ERROR(io::MakeDirectories(folder));
  GK_RETURN_IF_ERROR(io::WriteFile(path, response.xspace->Serialize()));
  return true;
}

std::string MonitorRequestOf(int64_t duration_ms, int64_t level) {
  proto::MonitorRequest request;
  request.duration_ms = static_cast<uint64_t>(duration_ms);
  request.monitoring_level = static_cast<int32_t>(level);
  request.timestamp = true;
  return request.Serialize();
}

StatusOr<std::string> MonitorText(std::string_view bytes) {
  proto::MonitorResponse response;
  GK_RETURN_IF_ERROR(response.Parse(bytes));
  return response.data;
}

}  // namespace gk
