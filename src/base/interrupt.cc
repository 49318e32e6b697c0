#include "base/interrupt.h"

#include <atomic>
#include <chrono>
#include <utility>

#include "base/run_limit.h"

namespace gk {
namespace {

// Ticks between two questions: 20 to 130 ms at the rates that counters have.
#if defined(__x86_64__)
constexpr uint64_t kTicks = uint64_t{1} << 27;
uint64_t Ticks() { return __builtin_ia32_rdtsc(); }
#else
constexpr uint64_t kTicks = 50'000'000;
uint64_t Ticks() {
  return std::chrono::steady_clock::now().time_since_epoch() /
         std::chrono::nanoseconds(1);
}
#endif

std::atomic<InterruptCheck> interrupt_check{nullptr};
thread_local int masks = 0;
thread_local uint64_t last_question = 0;
thread_local const std::atomic<bool>* other_ended = nullptr;

}  // namespace

void SetInterruptCheck(InterruptCheck check) {
  interrupt_check.store(check, std::memory_order_release);
}

Status CheckInterrupt() {
  if (masks > 0) return OkStatus();
  const InterruptCheck check = interrupt_check.load(std::memory_order_acquire);
  if (check == nullptr) return OkStatus();
  // What handlers do is no part of what ends with another thread's work.
  const RunLimit::Apart unlimited;
  struct Apart {
    const std::atomic<bool>* const ended = std::exchange(other_ended, nullptr);
    ~Apart() { other_ended = ended; }
  } apart;
  return check();
}

NoInterrupts::NoInterrupts() { ++masks; }
NoInterrupts::~NoInterrupts() { --masks; }

EndsWith::EndsWith(const std::atomic<bool>& ended)
    : outer_(std::exchange(other_ended, &ended)) {}
EndsWith::~EndsWith() { other_ended = outer_; }

void PollInterrupt() {
  const uint64_t now = Ticks();
  if (now - last_question < kTicks) [[likely]]
    return;
  last_question = now;
  if (other_ended != nullptr && masks == 0 &&
      other_ended->load(std::memory_order_relaxed)) {
    throw Error(Cancelled("what this was done for has ended"));
  }
  if (masks == 0 && RunLimit::ThreadHasEnded()) {
    throw Error(Cancelled("the call has ended"));
  }
  ThrowIfError(CheckInterrupt());
}

}  // namespace gk
