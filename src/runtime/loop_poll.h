// LoopPoll: asks every few milliseconds of a loop whether it should end:
// because its run was cancelled, or because the host language wants to
// interrupt the program (Ctrl-C).
//
// One per run of a loop, on its thread. Counting turns is all that it costs;
// how many go between two questions follows the time they take.
#ifndef GK_RUNTIME_LOOP_POLL_H_
#define GK_RUNTIME_LOOP_POLL_H_

#include <chrono>
#include <cstdint>
#include <string_view>

#include "base/interrupt.h"
#include "framework/function_runner.h"

namespace gk {

class LoopPoll {
 public:
  constexpr explicit LoopPoll(const CancellationToken* cancellation)
      : cancellation_(cancellation) {}

  // Once a turn; the error says why the loop must end. `function` is what
  // runs, for the message.
  Status Turn(std::string_view function) {
    if (--left_ > 0) [[likely]]
      return OkStatus();
    return Ask(function);
  }

  // For loops that count themselves: turns until Ask() is due, then Ask().
  int64_t turns_left() const { return left_; }
  void set_turns_left(int64_t n) { left_ = n; }
  Status Ask(std::string_view function);

  const CancellationToken* cancellation() const { return cancellation_; }

 private:
  using Clock = std::chrono::steady_clock;

  const CancellationToken* cancellation_;
  int64_t left_ = 1, interval_ = 1;
  Clock::time_point last_ = {}, last_check_ = {};
};

}  // namespace gk

#endif  // GK_RUNTIME_LOOP_POLL_H_
