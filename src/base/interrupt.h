// Whether what runs shall end because the host language wants to interrupt
// the program (Ctrl-C): asked by everything that may take long.
//
// The thread pool asks between two chunks, so work that is spread over threads
// has nothing to do; loops of one thread that may last call PollInterrupt()
// now and then. Asking costs a few nanoseconds; the host language is bothered
// every few dozen milliseconds.
#ifndef GK_BASE_INTERRUPT_H_
#define GK_BASE_INTERRUPT_H_

#include <atomic>
#include <cstdint>

#include "base/status.h"

namespace gk {

// Called on the thread that asks. An error ends what runs and is what the
// caller gets. It may wait for the host language's lock, so nobody asks while
// holding a lock that others want. HostLanguage alone sets it: it knows
// tensors, which this layer does not.
using InterruptCheck = Status (*)();
void SetInterruptCheck(InterruptCheck check);

// Asks now; OK where there is nobody to ask.
Status CheckInterrupt();

// While one lives, its thread is not interrupted: for writes that must not
// end half-way, and under locks.
class NoInterrupts {
 public:
  NoInterrupts();
  ~NoInterrupts();
  NoInterrupts(const NoInterrupts&) = delete;
  NoInterrupts& operator=(const NoInterrupts&) = delete;
};

// While one lives, what runs on its thread ends too once `ended` is set: work
// that one thread does for another.
class EndsWith {
 public:
  explicit EndsWith(const std::atomic<bool>& ended);
  ~EndsWith();
  EndsWith(const EndsWith&) = delete;
  EndsWith& operator=(const EndsWith&) = delete;

 private:
  const std::atomic<bool>* outer_;
};

// Throws Error if what runs on this thread shall end.
void PollInterrupt();

// For loops whose turns are short: asks every so many of them.
class TurnPoll {
 public:
  void operator()() {
    if ((++turns_ & (kTurns - 1)) == 0) [[unlikely]]
      PollInterrupt();
  }

 private:
  static constexpr uint32_t kTurns = 1 << 14;
  uint32_t turns_ = 0;
};

}  // namespace gk

#endif  // GK_BASE_INTERRUPT_H_
