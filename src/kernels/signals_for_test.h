// OftenSignalled: meanwhile this process gets a signal every 200 microseconds,
// whose handler needs room on the stack.
#ifndef GK_KERNELS_SIGNALS_FOR_TEST_H_
#define GK_KERNELS_SIGNALS_FOR_TEST_H_

#include <signal.h>
#include <sys/time.h>

namespace gk {

class OftenSignalled {
 public:
  OftenSignalled() {
    handled = 0;
    struct sigaction action = {};
    action.sa_handler = [](int) {
      volatile char frame[4096];
      for (char volatile& c : frame) c = 0x55;
      handled = handled + 1;
    };
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, &before_);
    const itimerval often{{0, 200}, {0, 200}};
    setitimer(ITIMER_REAL, &often, nullptr);
  }
  ~OftenSignalled() {
    const itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
    sigaction(SIGALRM, &before_, nullptr);
  }
  OftenSignalled(const OftenSignalled&) = delete;
  OftenSignalled& operator=(const OftenSignalled&) = delete;

  // Since the last one was made.
  static inline volatile int handled = 0;

 private:
  struct sigaction before_;
};

}  // namespace gk

#endif  // GK_KERNELS_SIGNALS_FOR_TEST_H_
