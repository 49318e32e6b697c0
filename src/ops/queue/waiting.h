// How a kernel waits for what another thread does: it gives the host language's
// lock up, and ends when the program is interrupted or the run is cancelled.
#ifndef GK_OPS_QUEUE_WAITING_H_
#define GK_OPS_QUEUE_WAITING_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "base/cancellation.h"
#include "base/interrupt.h"
#include "base/process_mutex.h"
#include "base/run_limit.h"
#include "framework/large_work.h"

namespace gk {

class Waiting {
 public:
  using Lock = std::unique_lock<ProcessMutex>;

  explicit Waiting(const CancellationToken* cancellation)
      : cancellation_(cancellation) {}

  // Gives `lock` up until `changed` is notified, or for a while. An error: wait
  // no more. Whoever calls looks again at what is waited for.
  Status Once(Lock& lock, std::condition_variable_any& changed) {
    if (!began_) {
      // What the first call did was to give up the host language's lock.
      lock.unlock();
      LargeWorkListener::Note(DataType::kInt64, int64_t{1} << 40);
      began_ = true;
      lock.lock();
      return OkStatus();
    }
    changed.wait_for(lock, std::chrono::milliseconds(20));
    if (HasRunEnded(cancellation_)) {
      return Cancelled("The run was cancelled");
    }
    lock.unlock();
    const Status status = CheckInterrupt();
    lock.lock();
    return status;
  }

 private:
  const CancellationToken* cancellation_;
  bool began_ = false;
};

}  // namespace gk

#endif  // GK_OPS_QUEUE_WAITING_H_
