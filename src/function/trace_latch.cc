#include "function/trace_latch.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <vector>

#include "base/fork.h"
#include "base/interrupt.h"
#include "base/process_mutex.h"
#include "base/thread_number.h"
#include "framework/host_language.h"

namespace gk {
namespace {

constexpr std::chrono::milliseconds kPoll(50);

// Tracing is rare: one lock for all of it. Types with host objects count as
// equal by hash here, so that no host code runs under the lock; the worst
// that comes of it is a wait that was not needed.
struct Tracing {
  std::mutex mutex;
  // Another one in a forked child: threads that are not there wait at it.
  std::condition_variable* changed = new std::condition_variable;
  std::vector<const TraceLatch::Entry*> active;
  std::map<uint64_t, uint64_t> waiting;  // for whom
};

Tracing& State() {
  static Tracing* const state = [] {
    OnFork(
        ForkStage::kTraces, [] { State().mutex.lock(); },
        [] { State().mutex.unlock(); },
        [] {
          Tracing& s = State();
          std::erase_if(s.active, [](const TraceLatch::Entry* e) {
            return IsLeftBehind(e->thread);
          });
          s.waiting.clear();
          s.changed = new std::condition_variable;
          s.mutex.unlock();
        });
    return new Tracing();
  }();
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
bool ClosesCycle(const Tracing& state, uint64_t other, uint64_t self) {
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
                     uint64_t self, uint64_t other) {
  state.waiting[self] = other;
  const bool changed =
      state.changed->wait_for(lock, kPoll) == std::cv_status::no_timeout;
  state.waiting.erase(self);
  if (changed) return OkStatus();
  lock.unlock();
  Status status = CheckInterrupt();
  lock.lock();
  return status;
}

}  // namespace

TraceLatch::TraceLatch(const void* owner, Ref<FunctionType> type, bool alone)
    : entry_{owner, std::move(type), 0, alone, ThreadNumber()} {
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
  HostLanguage::Get().WaitBlocking([&] {
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
  state.changed->notify_all();
}

StatusOr<bool> WaitForThread(uint64_t holder, FunctionRef<bool()> done) {
  Tracing& state = State();
  const uint64_t self = ThreadNumber();
  bool closes_cycle = false;
  Status status;
  HostLanguage::Get().WaitBlocking([&] {
    std::unique_lock<std::mutex> lock(state.mutex);
    while (!done() && !IsLeftBehind(holder)) {
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
  state.changed->notify_all();
}

Status ThreadLatch::Hold::Take(ThreadLatch& latch, std::string_view broken) {
  const uint64_t self = ThreadNumber();
  while (true) {
    uint64_t other = latch.holder_.load();
    if (other == self) {
      ++latch.times_;
      latch_ = &latch;
      return OkStatus();
    }
    if (other == 0 || IsLeftBehind(other)) {
      if (other != 0 && !broken.empty()) {
        return FailedPrecondition("{}", broken);
      }
      if (!latch.holder_.compare_exchange_strong(other, self)) continue;
      latch.times_ = 1;
      latch_ = &latch;
      return OkStatus();
    }
    GK_ASSIGN_OR_RETURN(const bool waited, WaitForThread(other, [&] {
                          return latch.holder_.load() != other;
                        }));
    if (!waited) {
      return Status(Code::kAborted,
                    "Two threads wait for what the other one makes");
    }
  }
}

void ThreadLatch::Release() {
  if (--times_ > 0) return;
  holder_.store(0);
  WakeWaiters();
}

}  // namespace gk
