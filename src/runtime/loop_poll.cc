#include "runtime/loop_poll.h"

#include <algorithm>

#include "base/run_limit.h"

namespace gk {
namespace {

using std::chrono::milliseconds;

// How long a loop may go on after it was cancelled or interrupted, and how
// often the host language is asked.
constexpr milliseconds kInterval{5}, kCheckInterval{50};
constexpr int64_t kMaxTurns = int64_t{1} << 20;

}  // namespace

Status LoopPoll::Ask(std::string_view function) {
  const Clock::time_point now = Clock::now();
  if (last_ == Clock::time_point()) {
    last_check_ = now;
  } else if (now - last_ < kInterval / 2) {
    interval_ = std::min(2 * interval_, kMaxTurns);
  } else if (now - last_ > 2 * kInterval) {
    const int64_t times = (now - last_) / kInterval;
    interval_ = std::max<int64_t>(1, interval_ / times);
  }
  last_ = now;
  left_ = interval_;
  if (HasRunEnded(cancellation_)) {
    return Cancelled("The loop {} was cancelled", function);
  }
  if (now - last_check_ >= kCheckInterval) {
    last_check_ = now;
    return CheckInterrupt();
  }
  return OkStatus();
}

}  // namespace gk
