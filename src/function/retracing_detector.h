// RetracingDetector: counts calls and tracings of the functions made at one
// place in a program, and tells when there is too much tracing.
//
// Only calls that went well count, and none that is part of a trace.
// Thread-safe; a count of calls that many threads add to at once may miss
// some of them.
#ifndef GK_FUNCTION_RETRACING_DETECTOR_H_
#define GK_FUNCTION_RETRACING_DETECTOR_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "base/process_mutex.h"
#include "base/ref.h"

namespace gk {

class RetracingDetector : public RefCounted {
 public:
  // `place`, for messages: "train.cc:12". Empty if nobody knows.
  explicit RetracingDetector(std::string place) : place_(std::move(place)) {}

  const std::string& place() const { return place_; }
  // Calls that no trace was made for: added to by every cached call.
  void CountCalls(int64_t n) {
    cached_.store(cached_.load(std::memory_order_relaxed) + n,
                  std::memory_order_relaxed);
  }
  struct Excess {
    size_t tracings;
    int64_t calls;  // the last so many
  };
  // A call was traced and ran. What to warn of, if that is too much: five
  // tracings in the last ten calls, at most twice.
  std::optional<Excess> NoteTracedCall();

  // A function was traced for the first time.
  void NoteFunction() { num_functions_.fetch_add(1); }
  int num_functions() const { return num_functions_.load(); }

 private:
  const std::string place_;
  std::atomic<int64_t> cached_{0};
  std::atomic<int> num_functions_{0};
  // Of the tracings in the window: each with the calls up to the next.
  std::deque<int64_t> calls_;
  int64_t total_ = 0;
  int warnings_ = 0;
  ProcessMutex& mutex_ = ProcessMutex::Of(this);
};

}  // namespace gk

#endif  // GK_FUNCTION_RETRACING_DETECTOR_H_
