// TraceLatch: one thread traces a type while others wait for it.
//
// Waiting is refused where it would close a cycle of threads that wait for
// each other: that thread traces as well. Waiting happens with the host
// language's lock given up.
#ifndef GK_FUNCTION_TRACE_LATCH_H_
#define GK_FUNCTION_TRACE_LATCH_H_

#include <atomic>
#include <cstdint>
#include <string_view>

#include "base/function_ref.h"
#include "base/status.h"
#include "function/function_type.h"

namespace gk {

class TraceLatch {
 public:
  // Waits if another thread traces a type for `owner` that is equal to
  // `type`, or any if either of them traces alone. Else takes the latch,
  // which is held until destruction.
  TraceLatch(const void* owner, Ref<FunctionType> type, bool alone);
  ~TraceLatch();
  TraceLatch(const TraceLatch&) = delete;

  // Somebody else's tracing was waited for; nothing is held.
  bool waited() const { return waited_; }
  // Why waiting was given up, if it was.
  const Status& status() const { return status_; }

  struct Entry {
    const void* owner;
    Ref<FunctionType> type;
    size_t hash;
    bool alone;
    uint64_t thread;  // ThreadNumber()
  };

 private:
  Entry entry_;
  bool waited_ = false;
  Status status_;
};

// Waits for what the thread of number `holder` works on, until `done`, which is
// asked again whenever somebody calls WakeWaiters, or until a fork has left
// that thread behind. False, at once, where that would close a cycle of threads
// that wait for each other. An error if the host language interrupts.
StatusOr<bool> WaitForThread(uint64_t holder, FunctionRef<bool()> done);
void WakeWaiters();

// What one thread at a time may hold, as often as it likes. Held by a thread
// that a fork left behind it is free.
class ThreadLatch {
 public:
  class Hold {
   public:
    Hold() = default;
    Hold(const Hold&) = delete;
    ~Hold() {
      if (latch_ != nullptr) latch_->Release();
    }
    // Waits; Aborted where two threads would wait for each other for ever.
    // `broken`: what to say, FailedPrecondition, where a fork left a holder
    // behind in the midst of something that cannot be taken up.
    Status Take(ThreadLatch& latch, std::string_view broken = {});

   private:
    ThreadLatch* latch_ = nullptr;
  };

 private:
  void Release();

  std::atomic<uint64_t> holder_{0};
  int times_ = 0;  // the holder's
};

}  // namespace gk

#endif  // GK_FUNCTION_TRACE_LATCH_H_
