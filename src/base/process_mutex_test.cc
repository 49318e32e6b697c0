#include "base/process_mutex.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "base/forked_child_for_test.h"

namespace gk {
namespace {

TEST(ProcessMutexTest, ChildrenFindItFreeAndWhatItGuardsWhole) {
  static auto* const mutex = new ProcessMutex;
  int first = 0, second = 0;
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) {
      std::lock_guard lock(*mutex);
      ++first;
      std::this_thread::yield();
      ++second;
    }
  });
  for (int i = 0; i < 100; ++i) {
    const int status = StatusOfForkedChild([&] {
      std::lock_guard lock(*mutex);
      return first == second;
    });
    ASSERT_EQ(status, 0) << "fork " << i;
  }
  stop = true;
  busy.join();
}

}  // namespace
}  // namespace gk
