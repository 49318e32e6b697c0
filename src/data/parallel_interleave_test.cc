#include "data/parallel_interleave.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "data/live_iterators_for_test.h"
#include "data/task_pool.h"

namespace gk {
namespace {

using std::chrono::milliseconds;

struct Log {
  std::atomic<int> at_once{0}, most_at_once{0};
  LiveIterators live;  // the first to be destroyed
};

// first, first + 1, ...: n of them; an error in place of `bad`.
class Count final : public DatasetIterator {
 public:
  Count(Log& log, int first, int n, int bad = -1)
      : log_(log), next_(first), end_(first + n), bad_(bad) {
    ++log_.live.alive;
  }
  ~Count() override { --log_.live.alive; }
  Status GetNext(const CancellationToken*, TensorVector* element,
                 bool* end) override {
    EXPECT_FALSE(busy_.exchange(true)) << "two threads ask at once";
    const int now = ++log_.at_once;
    int most = log_.most_at_once;
    while (most < now && !log_.most_at_once.compare_exchange_weak(most, now)) {
    }
    if (pause > 0) std::this_thread::sleep_for(milliseconds(pause));
    Status status;
    if (next_ >= end_) {
      *end = true;
    } else if (const int value = next_++; value == bad_) {
      status = InvalidArgument("bad {}", value);
    } else {
      *element = {Tensor::Scalar<int32_t>(value)};
    }
    --log_.at_once;
    busy_ = false;
    return status;
  }

  int pause = 0;

 private:
  Log& log_;
  int next_, end_, bad_;
  std::atomic<bool> busy_{false};
};

// Element i stands for 100 i, 100 i + 1, ...: i of them.
OpenFn Parts(Log& log, int pause = 0) {
  return [&log, pause](int64_t, TensorVector element, const CancellationToken*,
                       IteratorPtr* sequence) {
    const int i = element[0].scalar<int32_t>();
    auto part = std::make_unique<Count>(log, 100 * i, i);
    part->pause = pause;
    *sequence = std::move(part);
    return OkStatus();
  };
}

// "0 1 bad 2 .": elements, errors, the end.
std::string DrainText(DatasetIterator& it) {
  std::string text;
  for (int i = 0; i < 10000; ++i) {
    TensorVector element;
    bool end = false;
    Status status = it.Next(nullptr, &element, &end);
    if (end) return text + ".";
    text += status.ok() ? std::to_string(element[0].scalar<int32_t>()) : "bad";
    text += " ";
  }
  return text + "never ends";
}

void WaitUntilGone(const Log& log) { EXPECT_TRUE(log.live.WaitUntilGone()); }

TEST(ParallelInterleave, KeepsTheOrderOfTurns) {
  for (int64_t parallel : {1, 2, 5}) {
    for (int64_t buffer : {1, 3}) {
      Log log;
      auto it =
          ParallelInterleave(std::make_unique<Count>(log, 0, 5), Parts(log),
                             {.cycle_length = 2,
                              .block_length = 2,
                              .buffer = buffer,
                              .prefetch = parallel,
                              .parallel = parallel});
      EXPECT_EQ(DrainText(*it), "100 200 201 300 301 302 400 401 402 403 .");
      it.reset();
      WaitUntilGone(log);
    }
  }
}

TEST(ParallelInterleave, WorksOnSeveralAtATime) {
  for (bool ordered : {true, false}) {
    Log log;
    auto it = ParallelInterleave(
        std::make_unique<Count>(log, 4, 4), Parts(log, 5),
        {.cycle_length = 4, .prefetch = 4, .parallel = 4, .ordered = ordered});
    const std::string all = DrainText(*it);
    EXPECT_EQ(std::count(all.begin(), all.end(), ' '), 4 + 5 + 6 + 7);
    EXPECT_GE(log.most_at_once, 2);
  }
}

TEST(ParallelInterleave, ErrorsOfTheInputAndOfOpeningComeInTheirPlace) {
  for (bool ordered : {true, false}) {
    Log log;
    OpenFn open = [&](int64_t n, TensorVector element,
                      const CancellationToken* c,
                      IteratorPtr* sequence) -> Status {
      if (element[0].scalar<int32_t>() == 2) return InvalidArgument("bad");
      return Parts(log)(n, std::move(element), c, sequence);
    };
    auto it = ParallelInterleave(
        std::make_unique<Count>(log, 0, 5, /*bad=*/3), open,
        {.cycle_length = 1, .parallel = 1, .ordered = ordered});
    EXPECT_EQ(DrainText(*it), "100 bad bad 400 401 402 403 .");
  }
}

TEST(ParallelInterleave, WaitingCanBeCancelledAndDroppingDoesNotWait) {
  Log log;
  std::atomic<bool> go{false};
  OpenFn open = [&](int64_t, TensorVector, const CancellationToken* c,
                    IteratorPtr*) -> Status {
    while (!go && !(c != nullptr && c->IsCancelled())) {
      std::this_thread::sleep_for(milliseconds(1));
    }
    return Cancelled("told to end");
  };
  auto it =
      ParallelInterleave(std::make_unique<Count>(log, 0, 50), open,
                         {.cycle_length = 3, .prefetch = 3, .parallel = 3});
  CancellationToken token;
  std::thread cancel([&] {
    std::this_thread::sleep_for(milliseconds(30));
    token.Cancel();
  });
  TensorVector element;
  bool end = false;
  EXPECT_EQ(it->Next(&token, &element, &end).code(), Code::kCancelled);
  cancel.join();
  it.reset();
  WaitUntilGone(log);
}

TEST(ParallelInterleave, EmptyPartsAndAnEmptyInput) {
  Log log;
  OpenFn empty = [&](int64_t, TensorVector, const CancellationToken*,
                     IteratorPtr* sequence) {
    *sequence = std::make_unique<Count>(log, 0, 0);
    return OkStatus();
  };
  for (bool ordered : {true, false}) {
    const InterleaveOptions options{
        .cycle_length = 7, .prefetch = 2, .parallel = 3, .ordered = ordered};
    auto it = ParallelInterleave(std::make_unique<Count>(log, 0, 100), empty,
                                 options);
    EXPECT_EQ(DrainText(*it), ".");
    EXPECT_EQ(DrainText(*it), ".");
    it = ParallelInterleave(std::make_unique<Count>(log, 0, 0), empty, options);
    EXPECT_EQ(DrainText(*it), ".");
  }
}

TEST(ParallelInterleave, ManyTimesInAnyOrder) {
  for (int round = 0; round < 200; ++round) {
    Log log;
    auto it = ParallelInterleave(std::make_unique<Count>(log, 0, 9), Parts(log),
                                 {.cycle_length = 1 + round % 5,
                                  .block_length = 1 + round % 3,
                                  .buffer = 1 + round % 4,
                                  .prefetch = 1 + round % 3,
                                  .parallel = 1 + round % 4,
                                  .ordered = round % 2 == 0});
    if (round % 7 == 0) {
      TensorVector element;
      bool end = false;
      EXPECT_TRUE(it->Next(nullptr, &element, &end).ok());
    } else {
      const std::string all = DrainText(*it);
      EXPECT_EQ(std::count(all.begin(), all.end(), ' '), 36);
    }
    it.reset();
    WaitUntilGone(log);
  }
}

}  // namespace
}  // namespace gk
