// Processes that fork while other threads call functions: what those threads
// hold is free in the child, and whole.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "graphkiln/graphkiln.h"

namespace {

// `child` says whether all is well; `busy` is run by two threads again and
// again.
void ForkWhile(const std::function<void(int)>& busy,
               const std::function<bool()>& child) {
  // What is made at the first use of all is made: a thread that makes a static
  // variable while another forks never ends that in the child.
  for (int i = 0; i < 4; ++i) busy(i);
  EXPECT_TRUE(child());
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (int i = t; !stop; ++i) busy(i);
    });
  }
  for (int i = 0; i < 200 && !testing::Test::HasFailure(); ++i) {
    const pid_t pid = fork();
    if (pid == 0) {
      alarm(20);
      _exit(child() ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0) << "fork " << i;
  }
  stop = true;
  for (std::thread& t : threads) t.join();
}

TEST(Fork, ChildrenCallFunctionsThatOthersTrace) {
  const gk::Variable captured(1.0f), given(2.0f);
  auto f = gk::function([&](const gk::Variable& v,
                            const gk::Tensor& x) { return captured + v + x; },
                        {.max_traces = 2});
  f(given, gk::zeros({1}));
  ForkWhile([&](int i) { f(given, gk::zeros({i % 4 + 1})); },
            [&] {
              return gk::reduce_sum(f(given, gk::zeros({5}))).item<float>() ==
                     15;
            });
}

TEST(Fork, ChildrenDifferentiateWhatOthersDifferentiate) {
  const auto cube = [](const gk::Tensor& x) { return x * x * x; };
  const auto slope = [&](const gk::Tensor& x) {
    auto f = gk::function(cube);
    gk::GradientTape tape;
    tape.watch(x);
    return tape.gradient(f(x), x);
  };
  ForkWhile([&](int) { slope(2.0f); },
            [&] { return slope(2.0f).item<float>() == 12; });
}

}  // namespace
