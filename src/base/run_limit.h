// RunLimit: until when what runs on this thread may last, and who may end it
// before.
#ifndef GK_BASE_RUN_LIMIT_H_
#define GK_BASE_RUN_LIMIT_H_

#include <chrono>

#include "base/cancellation.h"

namespace gk {

// Holds while it lives, within the limits around it; destroyed on the thread
// that made it, the last one first. Asked by runs, which are given its token,
// and by PollInterrupt for what knows of none.
class RunLimit {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::time_point kNever = Clock::time_point::max();

  // `token`: null if nobody ends it.
  explicit RunLimit(const CancellationToken* token,
                    Clock::time_point deadline = kNever);
  ~RunLimit();
  RunLimit(const RunLimit&) = delete;
  RunLimit& operator=(const RunLimit&) = delete;

  // For runs that take one; never null.
  const CancellationToken* token() const { return token_ ? token_ : &none_; }
  bool IsLate() const {
    return deadline_ != kNever && Clock::now() >= deadline_;
  }
  bool HasEnded() const {
    return token()->IsCancelled() || IsLate() ||
           (outer_ != nullptr && outer_->HasEnded());
  }
  // Has what runs on this thread to end?
  static bool ThreadHasEnded();

  // While one lives, none holds on its thread.
  class Apart {
   public:
    Apart();
    ~Apart();
    Apart(const Apart&) = delete;

   private:
    const RunLimit* const outer_;
  };

 private:
  const CancellationToken* const token_;
  const Clock::time_point deadline_;
  const RunLimit* const outer_;
  CancellationToken none_;
};

// Has a run with this token, which may be null, to end?
inline bool HasRunEnded(const CancellationToken* token) {
  return token != nullptr &&
         (token->IsCancelled() || RunLimit::ThreadHasEnded());
}

}  // namespace gk

#endif  // GK_BASE_RUN_LIMIT_H_
