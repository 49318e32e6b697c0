#include "function/trace_latch.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <vector>

#include "base/interrupt.h"
#include "function/blocking_wait.h"

namespace gk {
namespace {

constexpr std::chrono::milliseconds kPoll(50);

// Tracing is rare: one lock for all of it. Types with host objects count as
// equal by hash here, so that no host code runs under the lock; the worst
// that comes of it is a wait that was not needed.
struct Tracing {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<const TraceLatch::Entry*> active;
  std::map<std::thread::id, std::thread::id> waiting;  // for whom
};
Tracing& State() {
  static auto* state = new Tracing();
  return *state;
}

const TraceLatch::Entry* Conflict(const Tracing& state,
                                  const TraceLatch::Entry& mine) {
  for (const TraceLatch::Entry* e : state.active) {
    if (e->owner == mine.owner && e->thread != mine.thread &&
        (e->alone || mine.alone || e->hash == mine.hash)) {
      return e;
    }
  }
  return nullptr;
}

// Would waiting for `other` make the thread `self` wait for itself?
bool ClosesCycle(const Tracing& state, std::thread::id other,
                 std::thread::id self) {
  for (size_t steps = 0; steps <= state.waiting.size(); ++steps) {
    if (other == self) return true;
    auto it = state.waiting.find(other);
    if (it == state.waiting.end()) return false;
    other = it->second;
  }
  return true;
}

// Waits for a change, or until it is time to look around. An error if the
// host language interrupts; the lock is given up meanwhile.
Status WaitForChange(Tracing& state, std::unique_lock<std::mutex>& lock,
                     std::thread::id self, std::thread::id other) {
  state.waiting[self] = other;
  const bool changed =
      state.changed.wait_for(lock, kPoll) == std::cv_status::no_timeout;
  state.waiting.erase(self);
  if (changed) return OkStatus();
  lock.unlock();
  Status status = CheckInterrupt();
  lock.lock();
  return status;
}

}  // namespace

TraceLatch::TraceLatch(const void* owner, Ref<FunctionType> type, bool alone)
    : entry_{owner, std::move(type), 0, alone, std::this_thread::get_id()} {
  entry_.hash = entry_.type->hash();
  Tracing& state = State();
  {
    std::lock_guard<std::mutex> lock(state.mutex);
    const Entry* other = Conflict(state, entry_);
    if (other == nullptr || ClosesCycle(state, other->thread, entry_.thread)) {
      state.active.push_back(&entry_);
      return;
    }
  }
  waited_ = true;
  WaitBlocking([&] {
    std::unique_lock<std::mutex> lock(state.mutex);
    for (;;) {
      const Entry* other = Conflict(state, entry_);
      if (other == nullptr ||
          ClosesCycle(state, other->thread, entry_.thread)) {
        break;
      }
      status_ = WaitForChange(state, lock, entry_.thread, other->thread);
      if (!status_.ok()) break;
    }
  });
}

TraceLatch::~TraceLatch() {
  if (waited_) return;
  Tracing& state = State();
  {
    std::lock_guard<std::mutex> lock(state.mutex);
    state.active.erase(
        std::find(state.active.begin(), state.active.end(), &entry_));
  }
  state.changed.notify_all();
}

StatusOr<bool> WaitForThread(std::thread::id holder, FunctionRef<bool()> done) {
  Tracing& state = State();
  const std::thread::id self = std::this_thread::get_id();
  bool closes_cycle = false;
  Status status;
  WaitBlocking([&] {
    std::unique_lock<std::mutex> lock(state.mutex);
    while (!done()) {
      closes_cycle = ClosesCycle(state, holder, self);
      if (closes_cycle) return;
      status = WaitForChange(state, lock, self, holder);
      if (!status.ok()) return;
    }
  });
  if (!status.ok()) return status;
  return !closes_cycle;
}

void WakeWaiters() {
  Tracing& state = State();
  // Whoever asked and was told to wait waits by now.
  { std::lock_guard<std::mutex> lock(state.mutex); }
  state.changed.notify_all();
}

}  // namespace gk
