#include "base/process_mutex.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

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
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      std::lock_guard lock(*mutex);
      _exit(first == second ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0) << "fork " << i;
  }
  stop = true;
  busy.join();
}

}  // namespace
}  // namespace gk
