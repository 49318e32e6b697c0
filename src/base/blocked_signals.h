// BlockedSignals: this thread, and those that it starts meanwhile, get no
// signals.
//
// A signal to a process goes to any of its threads. Those of our own have
// nothing to do with the program's handlers, which would run in the midst of
// a kernel; and one that waits in a system call wakes at once only if it is
// itself the one that gets it.
#ifndef GK_BASE_BLOCKED_SIGNALS_H_
#define GK_BASE_BLOCKED_SIGNALS_H_

#include <signal.h>

namespace gk {

class BlockedSignals {
 public:
  // `samples`: those that profilers take of a thread's work still come.
  explicit BlockedSignals(bool samples = true) {
    sigset_t set;
    sigfillset(&set);
    // What a thread does itself.
    for (int own :
         {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) {
      sigdelset(&set, own);
    }
    if (samples) sigdelset(&set, SIGPROF);
    pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace gk

#endif  // GK_BASE_BLOCKED_SIGNALS_H_
