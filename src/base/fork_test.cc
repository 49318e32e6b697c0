#include "base/fork.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "base/forked_child_for_test.h"

namespace gk {
namespace {

// Of what the handlers below say.
std::string& Said() {
  static auto& said = *new std::string;
  return said;
}

TEST(ForkTest, HandlersRunInTheOrderOfTheirStages) {
  OnFork(
      ForkStage::kHost, [] { Said() += "c"; }, [] { Said() += "C"; },
      [] { Said() += "3"; });
  OnFork(
      ForkStage::kThreads, [] { Said() += "a"; }, [] { Said() += "A"; },
      [] { Said() += "1"; });
  OnFork(
      ForkStage::kHost, [] { Said() += "d"; }, nullptr, nullptr);
  OnFork(
      ForkStage::kMutexes, [] { Said() += "b"; }, [] { Said() += "B"; },
      [] { Said() += "2"; });
  Said().clear();
  EXPECT_EQ(StatusOfForkedChild([] { return Said() == "abcd321"; }), 0);
  EXPECT_EQ(Said(), "abcdCBA");
}

TEST(ForkTest, TheGenerationIsTheChildsOwn) {
  const uint32_t parent = ProcessGeneration();
  EXPECT_EQ(
      StatusOfForkedChild([&] { return ProcessGeneration() == parent + 1; }),
      0);
  EXPECT_EQ(ProcessGeneration(), parent);
}

TEST(ForkTest, ChildrenFindWorkWhole) {
  std::atomic<int> first{0}, second{0};
  std::atomic<bool> stop{false};
  std::vector<std::thread> busy;
  for (int t = 0; t < 2; ++t) {
    busy.emplace_back([&] {
      while (!stop) {
        const WholeWork whole;
        ++first;
        std::this_thread::yield();
        ++second;
      }
    });
  }
  for (int i = 0; i < 200; ++i) {
    const int status = StatusOfForkedChild([&] {
      const WholeWork whole;
      return first == second;
    });
    ASSERT_EQ(status, 0) << "fork " << i;
  }
  stop = true;
  for (std::thread& t : busy) t.join();
}

TEST(ForkTest, ThreadsForkAtTheSameTime) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 30; ++i) {
        { const WholeWork whole; }
        const int status = StatusOfForkedChild([] {
          const WholeWork whole;
          return true;
        });
        ASSERT_EQ(status, 0);
      }
    });
  }
  for (std::thread& t : threads) t.join();
}

}  // namespace
}  // namespace gk
