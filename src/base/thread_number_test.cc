#include "base/thread_number.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

namespace gk {
namespace {

uint64_t NumberOfAnother() {
  uint64_t number = 0;
  std::thread([&] { number = ThreadNumber(); }).join();
  return number;
}

TEST(ThreadNumber, IsOneThreadsOwn) {
  const uint64_t mine = ThreadNumber();
  EXPECT_NE(mine, 0u);
  EXPECT_EQ(mine, ThreadNumber());
  const uint64_t a = NumberOfAnother(), b = NumberOfAnother();
  EXPECT_NE(a, mine);
  EXPECT_NE(a, b);
  EXPECT_FALSE(IsLeftBehind(mine));
  EXPECT_FALSE(IsLeftBehind(a));
}

// What the child returns, with the numbers of this thread and of another.
template <class F>
int InChild(F check) {
  const pid_t pid = fork();
  if (pid == 0) _exit(check());
  int status = -1;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ThreadNumber, AForkLeavesTheOthersBehind) {
  const uint64_t mine = ThreadNumber(), other = NumberOfAnother();
  EXPECT_EQ(InChild([=] {
              if (IsLeftBehind(mine) || !IsLeftBehind(other)) return 1;
              const uint64_t fresh = NumberOfAnother();
              if (IsLeftBehind(fresh) || fresh == other) return 2;
              // A child of the child: both are behind it.
              return InChild([=] {
                if (IsLeftBehind(mine)) return 3;
                return IsLeftBehind(other) && IsLeftBehind(fresh) ? 0 : 4;
              });
            }),
            0);
  EXPECT_FALSE(IsLeftBehind(other));
}

}  // namespace
}  // namespace gk
