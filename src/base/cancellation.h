// CancellationToken: how a run is told to stop.
#ifndef GK_BASE_CANCELLATION_H_
#define GK_BASE_CANCELLATION_H_

#include <atomic>

namespace gk {

// Polled by long runs; set from any thread or a signal handler.
class CancellationToken {
 public:
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool IsCancelled() const {
    return cancelled_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<bool> cancelled_{false};
};

}  // namespace gk

#endif  // GK_BASE_CANCELLATION_H_
