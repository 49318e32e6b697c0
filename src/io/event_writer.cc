#include "io/event_writer.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/fork.h"
#include "base/process_mutex.h"
#include "base/wall_time.h"
#include "framework/host_language.h"
#include "io/files.h"
#include "io/path.h"
#include "io/record_io.h"

namespace gk::io {
namespace {

using Clock = std::chrono::steady_clock;

// Longer than anybody waits, and no time that clocks cannot hold.
constexpr int64_t kLongestWait = int64_t{1000} * 60 * 60 * 24 * 365;

std::string FileNameOf(const std::string& suffix) {
  static std::atomic<int64_t> next{0};
  char host[256] = {};
  if (gethostname(host, sizeof(host) - 1) != 0) host[0] = 0;
  char seconds[32];
  std::snprintf(seconds, sizeof(seconds), "%010lld",
                static_cast<long long>(WallTime()));
  return std::string("events.out.tfevents.") + seconds + "." + host + "." +
         std::to_string(getpid()) + "." + std::to_string(next.fetch_add(1)) +
         suffix;
}

}  // namespace

class EventWriter::State {
 public:
  State(std::string path, RecordWriter file, const EventWriterOptions& options)
      : path_(std::move(path)),
        max_queue_(options.max_queue),
        wait_(std::clamp<int64_t>(options.flush_millis, 0, kLongestWait)),
        generation_(ProcessGeneration()),
        last_flush_(Clock::now()),
        file_(std::move(file)) {}

  bool forked() const { return generation_ != ProcessGeneration(); }
  const std::string& path() const { return path_; }

  Status Write(std::string event) {
    GK_RETURN_IF_ERROR(CheckProcess());
    std::unique_lock lock = Locked();
    GK_RETURN_IF_ERROR(CheckOpen());
    queue_.push_back(std::move(event));
    const auto now = Clock::now();
    if (static_cast<int64_t>(queue_.size()) > max_queue_ ||
        now >= last_flush_ + wait_) {
      return FlushQueue();
    }
    if (queue_.size() == 1) {
      due_ = now + wait_;
      if (!flusher_.joinable()) flusher_ = std::thread([this] { Serve(); });
      changed_.notify_one();
    }
    return std::exchange(failed_, OkStatus());
  }

  Status Flush() {
    GK_RETURN_IF_ERROR(CheckProcess());
    std::unique_lock lock = Locked();
    if (!file_) return OkStatus();
    GK_RETURN_IF_ERROR(FlushQueue());
    return std::exchange(failed_, OkStatus());
  }

  Status Close() {
    if (forked()) return OkStatus();
    std::thread flusher;
    Status status;
    {
      std::unique_lock lock = Locked();
      if (!file_) return OkStatus();
      status = FlushQueue();
      const Status closed = file_->Close();
      if (status.ok()) status = closed;
      if (status.ok()) status = std::exchange(failed_, OkStatus());
      file_.reset();
      changed_.notify_one();
      flusher = std::move(flusher_);
    }
    if (flusher.joinable()) {
      HostLanguage::Get().WaitBlocking([&] { flusher.join(); });
    }
    return status;
  }

 private:
  // A file of the host language is written under the lock, so nobody waits for
  // it who keeps that language from running.
  std::unique_lock<std::mutex> Locked() {
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) {
      HostLanguage::Get().WaitBlocking([&] { lock.lock(); });
    }
    return lock;
  }
  Status CheckProcess() const {
    if (!forked()) return OkStatus();
    return FailedPrecondition(
        "The event file {} belongs to the process that this one was forked "
        "from: make a writer of its own here",
        path_);
  }
  Status CheckOpen() const {
    if (file_) return OkStatus();
    return FailedPrecondition("The event file {} is closed", path_);
  }

  // Under the lock. What could not be written is not tried again.
  Status FlushQueue() {
    last_flush_ = Clock::now();
    const std::vector<std::string> events = std::exchange(queue_, {});
    for (const std::string& event : events) {
      GK_RETURN_IF_ERROR(file_->Write(event));
    }
    return file_->Flush();
  }

  // The thread that writes what has waited too long.
  void Serve() {
    std::unique_lock lock(mutex_);
    while (file_) {
      if (queue_.empty()) {
        changed_.wait(lock);
      } else if (Clock::now() < due_) {
        changed_.wait_until(lock, due_);
      } else {
        Status status = FlushQueue();
        if (failed_.ok()) failed_ = std::move(status);
      }
    }
  }

  const std::string path_;
  const int64_t max_queue_;
  const std::chrono::milliseconds wait_;
  const uint32_t generation_;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Under the lock:
  std::vector<std::string> queue_;
  Clock::time_point last_flush_, due_;
  std::optional<RecordWriter> file_;  // none: closed
  Status failed_;                     // of the thread
  std::thread flusher_;
};

namespace {

// Those that are open, so that the end of the program finds them.
struct OpenWriters {
  ProcessMutex mutex;
  std::vector<std::weak_ptr<void>> states;
};

OpenWriters& AllWriters() {
  static auto* const all = new OpenWriters;
  return *all;
}

std::vector<std::shared_ptr<void>> WritersNow() {
  std::vector<std::shared_ptr<void>> now;
  const std::lock_guard lock(AllWriters().mutex);
  std::erase_if(AllWriters().states,
                [](const auto& state) { return state.expired(); });
  for (const auto& state : AllWriters().states) {
    if (auto found = state.lock()) now.push_back(std::move(found));
  }
  return now;
}

}  // namespace

Status EventWriter::FlushAll() {
  Status first;
  for (const std::shared_ptr<void>& writer : WritersNow()) {
    auto* const state = static_cast<State*>(writer.get());
    if (state->forked()) continue;
    Status status = state->Flush();
    if (first.ok()) first = std::move(status);
  }
  return first;
}

StatusOr<std::unique_ptr<EventWriter>> EventWriter::Open(
    const std::string& folder, const EventWriterOptions& options) {
  GK_RETURN_IF_ERROR(MakeDirectories(folder));
  std::string path = ChildPath(folder, FileNameOf(options.suffix));
  GK_ASSIGN_OR_RETURN(RecordWriter file, RecordWriter::Open(path));
  proto::Event first;
  first.wall_time = WallTime();
  first.set_file_version("brain.Event:2");
  first.source_metadata.mut().writer = "tensorflow.core.util.events_writer";
  GK_RETURN_IF_ERROR(file.Write(first.Serialize()));
  GK_RETURN_IF_ERROR(file.Flush());
  auto state =
      std::make_shared<State>(std::move(path), std::move(file), options);
  static const int at_exit = std::atexit([] { (void)FlushAll(); });
  (void)at_exit;
  {
    const std::lock_guard lock(AllWriters().mutex);
    AllWriters().states.push_back(state);
  }
  return std::unique_ptr<EventWriter>(new EventWriter(std::move(state)));
}

EventWriter::EventWriter(std::shared_ptr<State> state)
    : state_(std::move(state)) {}

EventWriter::~EventWriter() {
  if (state_->forked()) {
    // Its thread is not in this process and its lock may be held for ever.
    new std::shared_ptr<State>(std::move(state_));
    return;
  }
  (void)state_->Close();
}

Status EventWriter::Write(const proto::Event& event) {
  return state_->Write(event.Serialize());
}
Status EventWriter::WriteBytes(std::string event) {
  return state_->Write(std::move(event));
}
Status EventWriter::Flush() { return state_->Flush(); }
Status EventWriter::Close() { return state_->Close(); }
const std::string& EventWriter::path() const { return state_->path(); }

}  // namespace gk::io
