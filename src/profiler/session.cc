#include "profiler/session.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/event_log.h"
#include "base/process_mutex.h"
#include "io/compression.h"
#include "io/files.h"
#include "profiler/xspace.h"

namespace gk {
namespace {

struct Running {
  std::string logdir;
  ProfilerOptions options;
};

ProcessMutex& Lock() {
  static auto* mutex = new ProcessMutex;
  return *mutex;
}
std::optional<Running>& Current() {
  static auto* current = new std::optional<Running>;
  return *current;
}

// A folder of its own: there may be two profiles of one second.
StatusOr<std::string> MakeFolder(const std::string& logdir,
                                 const std::string& time) {
  const std::string parent = logdir + "/plugins/profile/";
  std::string folder = parent + time;
  for (int i = 1;; ++i) {
    GK_ASSIGN_OR_RETURN(const bool exists, io::Exists(folder));
    if (!exists) break;
    folder = Format("{}{}_{}", parent, time, i);
  }
  GK_RETURN_IF_ERROR(io::MakeDirectories(folder));
  return folder;
}

Status WriteCompressed(const std::string& path, std::string_view bytes) {
  GK_ASSIGN_OR_RETURN(
      auto file,
      io::OpenDeflated(path, {.compression = io::Compression::kGzip}));
  GK_RETURN_IF_ERROR(file->Append(bytes));
  return file->Close();
}

void DropBefore(int64_t start, Recording* recording) {
  for (Recording::Thread& thread : recording->threads) {
    std::erase_if(thread.events,
                  [start](const Event& e) { return e.start < start; });
  }
  std::erase_if(recording->threads,
                [](const auto& thread) { return thread.events.empty(); });
}

}  // namespace

Status Profiler::Start(const std::string& logdir,
                       const ProfilerOptions& options) {
  const auto level = static_cast<EventLog::Level>(
      std::clamp<int64_t>(options.host_tracer_level, 0, EventLog::kAll));
  std::optional<Running> running = Running{logdir, options};
  GK_RETURN_IF_ERROR(EventLog::Start(level, level < EventLog::kAll));
  std::lock_guard lock(Lock());
  Current().swap(running);
  return OkStatus();
}

StatusOr<Recording> Profiler::End() {
  std::optional<Running> running;
  {
    std::lock_guard lock(Lock());
    Current().swap(running);
  }
  if (!running) {
    return Status(Code::kUnavailable,
                  "Cannot export profiling results. No profiler is running.");
  }
  GK_ASSIGN_OR_RETURN(Recording recording, EventLog::Stop());
  if (running->options.delay_ms) {
    DropBefore(recording.start + *running->options.delay_ms * 1'000'000,
               &recording);
  }
  return recording;
}

Status Profiler::Stop(bool save) {
  std::string logdir;
  {
    std::lock_guard lock(Lock());
    if (Current()) logdir = Current()->logdir;
  }
  GK_ASSIGN_OR_RETURN(const Recording recording, End());
  if (!save) return OkStatus();
  GK_ASSIGN_OR_RETURN(
      const std::string folder,
      MakeFolder(logdir, ProfileTime(recording.start_nanoseconds)));
  return WriteProfile(recording, folder, ProfiledHost());
}

Status WriteProfile(const Recording& recording, const std::string& folder,
                    const std::string& host) {
  GK_RETURN_IF_ERROR(io::WriteFile(Format("{}/{}.xplane.pb", folder, host),
                                   XSpaceOf(recording, host)));
  return WriteCompressed(Format("{}/{}.trace.json.gz", folder, host),
                         TraceJsonOf(recording));
}

std::string ProfiledHost() {
  char host[256] = {};
  if (gethostname(host, sizeof(host) - 1) != 0 || host[0] == 0) {
    return "localhost";
  }
  return host;
}

std::string ProfileTime(int64_t nanoseconds) {
  const time_t seconds = nanoseconds / 1'000'000'000;
  tm parts{};
  localtime_r(&seconds, &parts);
  char text[64];
  strftime(text, sizeof(text), "%Y_%m_%d_%H_%M_%S", &parts);
  return text;
}

}  // namespace gk
