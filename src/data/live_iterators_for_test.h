// The iterators of a test that live. A dropped one is let go by whoever is
// still reading from it, on another thread: a test's log waits for that.
#ifndef GK_DATA_LIVE_ITERATORS_FOR_TEST_H_
#define GK_DATA_LIVE_ITERATORS_FOR_TEST_H_

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace gk {

struct LiveIterators {
  std::atomic<int> alive{0};

  bool WaitUntilGone() const {
    for (int i = 0; i < 5000 && alive > 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return alive == 0;
  }
  ~LiveIterators() { EXPECT_TRUE(WaitUntilGone()) << alive << " are left"; }
};

}  // namespace gk

#endif  // GK_DATA_LIVE_ITERATORS_FOR_TEST_H_
