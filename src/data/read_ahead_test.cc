#include "data/read_ahead.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "data/live_iterators_for_test.h"
#include "data/task_pool.h"

namespace gk {
namespace {

using std::chrono::milliseconds;

// What the iterators of a test have seen.
struct ReadLog {
  std::atomic<int> read{0}, at_once{0}, most_at_once{0};
  std::atomic<bool> held{false};  // reading waits while it is set
  LiveIterators live;             // the first to be destroyed
};

// 0, 1, ... n-1; an error in place of `bad`.
class CountingIterator final : public DatasetIterator {
 public:
  CountingIterator(ReadLog& log, int n, int bad = -1)
      : log_(log), n_(n), bad_(bad) {
    ++log_.live.alive;
  }
  ~CountingIterator() override { --log_.live.alive; }
  Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                 bool* end) override {
    EXPECT_FALSE(busy_.exchange(true)) << "two threads read at once";
    Status status = Read(cancellation, element, end);
    busy_ = false;
    return status;
  }

 private:
  Status Read(const CancellationToken* cancellation, TensorVector* element,
              bool* end) {
    while (log_.held) {
      GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
      std::this_thread::sleep_for(milliseconds(1));
    }
    if (next_ >= n_) {
      *end = true;
      return OkStatus();
    }
    ++log_.read;
    const int now = next_++;
    if (now == bad_) return InvalidArgument("bad {}", now);
    *element = {Tensor::Scalar<int32_t>(now)};
    return OkStatus();
  }

  ReadLog& log_;
  const int n_, bad_;
  int next_ = 0;
  std::atomic<bool> busy_{false};
};

IteratorPtr Numbers(ReadLog& log, int n, int bad = -1) {
  return std::make_unique<CountingIterator>(log, n, bad);
}

ElementFn Squares(ReadLog& log, int sleep_us = 0) {
  return [&log, sleep_us](TensorVector element, const CancellationToken*,
                          TensorVector* result, bool*) -> Status {
    const int now = ++log.at_once;
    int most = log.most_at_once;
    while (now > most && !log.most_at_once.compare_exchange_weak(most, now)) {
    }
    const int32_t x = element[0].scalar<int32_t>();
    // Later ones are faster: order must not come of time.
    std::this_thread::sleep_for(std::chrono::microseconds(
        sleep_us > 0 ? sleep_us * (8 - x % 8) / 8 : 0));
    *result = {Tensor::Scalar<int32_t>(x * x)};
    --log.at_once;
    return OkStatus();
  };
}

// "0 1 2", errors by their text.
std::string Drain(DatasetIterator& it, int most = 1 << 20) {
  std::string text;
  for (int i = 0; i < most; ++i) {
    TensorVector element;
    bool end = false;
    const Status s = it.Next(nullptr, &element, &end);
    if (end) return text + "|";
    text += s.ok() ? std::to_string(element[0].scalar<int32_t>()) + " "
                   : "(" + s.message() + ") ";
  }
  return text;
}

std::string Upto(int n, bool squares) {
  std::string text;
  for (int i = 0; i < n; ++i) {
    text += std::to_string(squares ? i * i : i) + " ";
  }
  return text + "|";
}

TEST(ReadAhead, KeepsOrderAndEnds) {
  ReadLog log;
  for (int limit : {1, 2, 7, 1000}) {
    IteratorPtr it = Prefetch(Numbers(log, 100), limit);
    EXPECT_EQ(Drain(*it), Upto(100, false));
    EXPECT_EQ(Drain(*it), "|");
    it = ParallelMap(Numbers(log, 100), Squares(log, 50), limit);
    EXPECT_EQ(Drain(*it), Upto(100, true));
    EXPECT_EQ(Drain(*it), "|");
  }
  EXPECT_TRUE(log.live.WaitUntilGone());
}

TEST(ReadAhead, ReadsNoFurtherThanTheLimit) {
  ReadLog log;
  IteratorPtr it = Prefetch(Numbers(log, 1000), 5);
  EXPECT_EQ(log.read, 0) << "nothing is read before somebody asks";
  EXPECT_EQ(Drain(*it, 1), "0 ");
  TaskPool::Global().WaitUntilIdle(5000);
  EXPECT_EQ(log.read, 6);
  EXPECT_EQ(Drain(*it, 2), "1 2 ");
  TaskPool::Global().WaitUntilIdle(5000);
  EXPECT_EQ(log.read, 8);
}

TEST(ReadAhead, WorksOnSeveralElementsAtOnce) {
  ReadLog log;
  IteratorPtr it = ParallelMap(Numbers(log, 40), Squares(log, 4000), 4);
  EXPECT_EQ(Drain(*it), Upto(40, true));
  EXPECT_GT(log.most_at_once, 1);
  EXPECT_LE(log.most_at_once, 5);  // with the caller's own
}

TEST(ReadAhead, AnErrorKeepsItsPlace) {
  ReadLog log;
  EXPECT_EQ(Drain(*Prefetch(Numbers(log, 4, 2), 8)), "0 1 (bad 2) 3 |");
  EXPECT_EQ(Drain(*ParallelMap(Numbers(log, 4, 2), Squares(log), 8)),
            "0 1 (bad 2) 9 |");
  const ElementFn fails = [](TensorVector e, const CancellationToken*,
                             TensorVector* result, bool*) -> Status {
    if (e[0].scalar<int32_t>() == 1) return InvalidArgument("no");
    *result = std::move(e);
    return OkStatus();
  };
  EXPECT_EQ(Drain(*ParallelMap(Numbers(log, 4), fails, 3)), "0 (no) 2 3 |");
}

TEST(ReadAhead, WhatIsThrownIsAnError) {
  ReadLog log;
  const ElementFn throws = [](TensorVector e, const CancellationToken*,
                              TensorVector*, bool*) -> Status {
    if (e[0].scalar<int32_t>() == 0) throw std::bad_alloc();
    throw Error(InvalidArgument("thrown"));
  };
  EXPECT_EQ(Drain(*ParallelMap(Numbers(log, 2), throws, 3)),
            "(OOM: the system gave no more memory in the making of an element "
            "of a dataset) (thrown) |");
}

TEST(ReadAhead, AFunctionMayEndTheSequence) {
  ReadLog log;
  const ElementFn ends = [](TensorVector e, const CancellationToken*,
                            TensorVector* result, bool* end) -> Status {
    *end = e[0].scalar<int32_t>() >= 3;
    if (!*end) *result = std::move(e);
    return OkStatus();
  };
  IteratorPtr it = ParallelMap(Numbers(log, 100), ends, 8);
  EXPECT_EQ(Drain(*it), "0 1 2 |");
  EXPECT_EQ(Drain(*it), "|");
}

TEST(ReadAhead, DroppingDoesNotWait) {
  ReadLog log;
  for (int i = 0; i < 50; ++i) {
    IteratorPtr it =
        i % 2 == 0 ? Prefetch(Numbers(log, 1 << 20), 64)
                   : ParallelMap(Numbers(log, 1 << 20), Squares(log, 100), 8);
    Drain(*it, i % 5);
  }
  // One that is in the middle of reading something that does not come.
  IteratorPtr it = Prefetch(Numbers(log, 10), 4);
  Drain(*it, 1);
  TaskPool::Global().WaitUntilIdle(5000);
  log.held = true;
  Drain(*it, 1);  // of those that are ready; the next one is being read
  const auto before = std::chrono::steady_clock::now();
  it.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - before, milliseconds(5000));
  // What was reading is told to stop, and the last one drops the input.
  EXPECT_TRUE(log.live.WaitUntilGone());
}

TEST(ReadAhead, WaitingCanBeCancelled) {
  ReadLog log;
  IteratorPtr it = Prefetch(Numbers(log, 100), 2);
  EXPECT_EQ(Drain(*it, 1), "0 ");
  TaskPool::Global().WaitUntilIdle(5000);
  log.held = true;
  EXPECT_EQ(Drain(*it, 2), "1 2 ");
  CancellationToken token;
  std::thread canceller([&] {
    std::this_thread::sleep_for(milliseconds(20));
    token.Cancel();
  });
  TensorVector element;
  bool end = false;
  EXPECT_EQ(it->Next(&token, &element, &end).code(), Code::kCancelled);
  canceller.join();
  log.held = false;
  EXPECT_EQ(Drain(*it, 1), "3 ");
}

TEST(ReadAhead, DeepPipelinesDoNotBlock) {
  ReadLog log;
  IteratorPtr it = Numbers(log, 200);
  // More stages than the pool has threads.
  for (int i = 0; i < 150; ++i) {
    it = i % 3 == 2 ? ParallelMap(
                          std::move(it),
                          [](TensorVector e, const CancellationToken*,
                             TensorVector* result, bool*) -> Status {
                            *result = std::move(e);
                            return OkStatus();
                          },
                          2)
                    : Prefetch(std::move(it), 2);
  }
  EXPECT_EQ(Drain(*it), Upto(200, false));
  it.reset();
  EXPECT_TRUE(log.live.WaitUntilGone());
}

TEST(ReadAhead, OneIteratorASideOfManyThreads) {
  // Eight iterators at work at the same time, each asked by its own thread.
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&right] {
      ReadLog log;
      IteratorPtr it = Prefetch(
          ParallelMap(Prefetch(Numbers(log, 300), 3), Squares(log), 4), 2);
      if (Drain(*it) == Upto(300, true)) ++right;
      it.reset();
      log.live.WaitUntilGone();
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, 8);
}

TEST(TaskPool, RunsAllTasks) {
  std::atomic<int> done{0};
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(TaskPool::Global().Schedule([&done] { ++done; }));
  }
  EXPECT_TRUE(TaskPool::Global().WaitUntilIdle(10000));
  EXPECT_EQ(done, 1000);
}

}  // namespace
}  // namespace gk
