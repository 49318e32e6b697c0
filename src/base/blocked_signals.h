// BlockedSignals: threads that are started meanwhile get no signals.
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
  BlockedSignals() {
    sigset_t set;
    sigfillset(&set);
    // What a thread does itself, and profilers' samples of what it does.
    for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS,
                    SIGPROF}) {
      sigdelset(&set, own);
    }
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
