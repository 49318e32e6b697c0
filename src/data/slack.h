// Slack: how long a prefetch waits before it makes an element, so that the
// consumer has the processor when a step begins: a fifth of the time that
// elements lay ready before they were taken, with what was waited for them, as
// TensorFlow has it. Whoever calls holds the lock of the prefetch.
#ifndef GK_DATA_SLACK_H_
#define GK_DATA_SLACK_H_

#include <chrono>
#include <cstdint>

namespace gk {

class Slack {
 public:
  using Clock = std::chrono::steady_clock;

  // Before each `period`-th element; 0: before none.
  explicit Slack(int64_t period) : period_(period) {}

  // Whether to wait before the next element is made, and how long; once for
  // each.
  bool Due() const {
    return period_ > 0 && waited_ != made_ && made_ % period_ == 0 &&
           lay_ > Clock::duration::zero();
  }
  Clock::duration Takes() {
    waited_ = made_;
    return lay_ / kShare;
  }
  // An element was made: when.
  Clock::time_point Makes() {
    if (period_ == 0) return {};
    ++made_;
    return Clock::now();
  }
  // One that was made then is taken.
  void Gives(Clock::time_point ready) {
    if (period_ == 0 || ++given_ % period_ != 0) return;
    lay_ = lay_ / kShare + (Clock::now() - ready);
  }

 private:
  static constexpr int kShare = 5;

  const int64_t period_;
  int64_t made_ = 0, given_ = 0;
  int64_t waited_ = -1;  // before which
  Clock::duration lay_{};
};

}  // namespace gk

#endif  // GK_DATA_SLACK_H_
