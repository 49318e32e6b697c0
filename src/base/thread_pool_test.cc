#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "base/forked_child_for_test.h"

#if defined(__SANITIZE_THREAD__)
// Lets a forked child start threads. Hidden, the sanitizer would not find it.
extern "C" __attribute__((visibility("default"))) const char*
__tsan_default_options() {
  return "die_after_fork=0";
}
#endif

namespace gk {
namespace {

int64_t SumOnPool(ThreadPool& pool, int64_t n) {
  std::vector<int64_t> out(n, 0);
  pool.ParallelFor(n, [&](int64_t i) { out[i] += i + 1; });
  return std::accumulate(out.begin(), out.end(), int64_t{0});
}

TEST(ThreadPoolTest, EveryChunkRunsOnce) {
  for (int threads : {1, 2, 4, 9}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.num_threads(), threads);
    for (int64_t n : {0, 1, 2, 3, 100, 1000}) {
      EXPECT_EQ(SumOnPool(pool, n), n * (n + 1) / 2);
    }
  }
}

TEST(ThreadPoolTest, UsesAnotherThread) {
  ThreadPool pool(2);
  std::mutex mutex;
  std::set<std::thread::id> seen;
  // Two chunks that wait for each other need two threads.
  std::atomic<int> arrived{0};
  pool.ParallelFor(2, [&](int64_t) {
    {
      std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    }
    arrived.fetch_add(1);
    while (arrived.load() < 2) std::this_thread::yield();
  });
  EXPECT_EQ(seen.size(), 2u);
}

TEST(ThreadPoolTest, ParkedWorkersWakeUp) {
  ThreadPool pool(3);
  for (int round = 0; round < 5; ++round) {
    std::atomic<int> arrived{0};
    pool.ParallelFor(3, [&](int64_t) {
      arrived.fetch_add(1);
      while (arrived.load() < 3) std::this_thread::yield();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

TEST(ThreadPoolTest, ManyCallersAtOnce) {
  ThreadPool pool(3);
  std::vector<std::thread> callers;
  std::atomic<int> good{0};
  for (int c = 0; c < 8; ++c) {
    callers.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        if (SumOnPool(pool, 37) == 37 * 38 / 2) good.fetch_add(1);
      }
    });
  }
  for (auto& t : callers) t.join();
  EXPECT_EQ(good.load(), 8 * 200);
}

TEST(ThreadPoolTest, NestedCalls) {
  ThreadPool pool(4);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int64_t> total{0};
    pool.ParallelFor(6, [&](int64_t) {
      pool.ParallelFor(5, [&](int64_t) {
        pool.ParallelFor(3, [&](int64_t i) { total.fetch_add(i); });
      });
    });
    EXPECT_EQ(total.load(), 6 * 5 * 3);
  }
}

TEST(ThreadPoolTest, ResizesWhileInUse) {
  ThreadPool pool(2);
  std::atomic<bool> stop{false};
  std::thread changer([&] {
    for (int i = 0; i < 100; ++i) pool.SetNumThreads(1 + i % 5);
    stop.store(true);
  });
  while (!stop.load()) EXPECT_EQ(SumOnPool(pool, 50), 50 * 51 / 2);
  changer.join();
  EXPECT_EQ(pool.num_threads(), 5);
}

TEST(ThreadPoolTest, SliceBoundsIgnoreTheNumberOfThreads) {
  const auto bounds = [](int threads, int64_t n, int64_t cost) {
    ThreadPool pool(threads);
    std::mutex mutex;
    std::set<std::pair<int64_t, int64_t>> slices;
    pool.ParallelRange(n, cost, [&](int64_t begin, int64_t end) {
      std::lock_guard lock(mutex);
      slices.emplace(begin, end);
    });
    return slices;
  };
  for (int64_t n :
       {int64_t{1}, int64_t{7}, int64_t{100000}, int64_t{1} << 40}) {
    const auto one = bounds(1, n, 10);
    EXPECT_EQ(one, bounds(2, n, 10));
    EXPECT_EQ(one, bounds(5, n, 10));
    int64_t at = 0;
    for (const auto& [begin, end] : one) {
      EXPECT_EQ(begin, at);
      EXPECT_LT(begin, end);
      at = end;
    }
    EXPECT_EQ(at, n);
  }
  EXPECT_EQ(bounds(2, 100, 1).size(), 1u);
  EXPECT_TRUE(bounds(2, 0, 1).empty());
  EXPECT_GT(bounds(2, INT64_MAX, INT64_MAX).size(), 8u);
}

TEST(ThreadPoolTest, ForkedChildStartsItsOwnWorkers) {
  ThreadPool pool(2);
  EXPECT_EQ(SumOnPool(pool, 100), 5050);
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop.load()) SumOnPool(pool, 20);
  });
  for (int i = 0; i < 5; ++i) {
    const int status = StatusOfForkedChild([&] {
      std::atomic<int> arrived{0};
      pool.ParallelFor(2, [&](int64_t) {
        arrived.fetch_add(1);
        while (arrived.load() < 2) std::this_thread::yield();
      });
      return SumOnPool(pool, 100) == 5050;
    });
    EXPECT_EQ(status, 0);
  }
  stop.store(true);
  busy.join();
}

}  // namespace
}  // namespace gk
