#include "base/run_sampler.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gk {
namespace {

struct Sampled {
  int64_t recorded = 0, runs = 0;
  double ticks = 0, all_ticks = 0, cost = 0;  // estimated, true, of recording
};

// Runs that take what `ticks_of` says of their number, each `cost` more where
// it is recorded.
template <class F>
Sampled Sample(int64_t runs, int64_t cost, F ticks_of) {
  RunSampler sampler;
  Sampled made;
  // Of the run that was recorded last: its time, and what it stands for.
  int64_t last = 0, stands_for = 0;
  const auto settle = [&] {
    made.runs += stands_for;
    made.ticks += static_cast<double>(stands_for * last);
  };
  for (int64_t i = 0; i < runs; ++i) {
    const int64_t ticks = ticks_of(i);
    made.all_ticks += static_cast<double>(ticks);
    if (sampler.Begin(RunRecording::kAlways) == RunRecording::kCounted) {
      stands_for = sampler.count()->load();
      continue;
    }
    settle();
    stands_for = 1;
    last = ticks;
    ++made.recorded;
    made.cost += static_cast<double>(cost);
    sampler.End(ticks + cost, cost);
  }
  settle();
  return made;
}

class RunSamplerTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(EventLog::Start(EventLog::kOps, /*samples=*/true).ok());
  }
  void TearDown() override { EXPECT_TRUE(EventLog::Stop().ok()); }
};

TEST_F(RunSamplerTest, TakesAShareOfTheTimeAndCountsAll) {
  for (const int64_t length : {100, 1'000, 5'000}) {
    const Sampled made = Sample(50'000, 300, [=](int64_t) { return length; });
    EXPECT_EQ(made.runs, 50'000) << length;
    EXPECT_LT(made.recorded, 50'000) << length;
    EXPECT_LE(made.cost, 0.03 * made.all_ticks) << length;
    EXPECT_GE(made.cost, 0.005 * made.all_ticks) << length;
    EXPECT_EQ(made.ticks, made.all_ticks) << length;
  }
}

TEST_F(RunSamplerTest, RecordsAllLongRuns) {
  const Sampled made = Sample(5'000, 300, [](int64_t) { return 13'000; });
  EXPECT_EQ(made.recorded, 5'000);
  EXPECT_EQ(made.runs, 5'000);
}

// Neither what recurs nor how long a run takes decides what it stands for. The
// bound is five times the standard error of so many samples.
TEST_F(RunSamplerTest, EstimatesTimesThatVary) {
  const auto expect_near = [](const Sampled& made, double deviation) {
    const double error = 5 * deviation * std::sqrt(2.0 / double(made.recorded));
    EXPECT_NEAR(made.ticks / made.all_ticks, 1, error) << made.recorded;
    EXPECT_EQ(made.runs, 200'000);
  };
  expect_near(
      Sample(200'000, 300, [](int64_t i) { return i % 2 == 0 ? 500 : 1'500; }),
      0.5);
  expect_near(
      Sample(200'000, 300, [](int64_t i) { return i % 10 == 0 ? 9'000 : 400; }),
      2.1);
  expect_near(Sample(200'000, 300, [](int64_t i) { return 500 + i / 100; }),
              0.4);
}

TEST_F(RunSamplerTest, RunsInsideFollow) {
  RunSampler inner;
  EXPECT_EQ(inner.Begin(RunRecording::kCounted), RunRecording::kSampled)
      << "the first one, so that there is what stands for others";
  const std::shared_ptr<EventLog::RunCount> first = inner.count();
  ASSERT_NE(first, nullptr);
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(inner.Begin(RunRecording::kCounted), RunRecording::kCounted);
  }
  EXPECT_EQ(first->load(), 10);
  EXPECT_EQ(inner.Begin(RunRecording::kSampled), RunRecording::kSampled);
  EXPECT_NE(inner.count(), first);
  EXPECT_EQ(inner.count()->load(), 1);
  EXPECT_EQ(inner.Begin(RunRecording::kAlways), RunRecording::kAlways);
  EXPECT_EQ(inner.count(), nullptr);
}

TEST(RunSampler, LeavesNothingOutOfOtherRecordings) {
  RunSampler sampler;
  for (const bool samples : {true, false, true}) {
    ASSERT_TRUE(EventLog::Start(EventLog::kOps, samples).ok());
    int64_t recorded = 0;
    for (int i = 0; i < 1'000; ++i) {
      if (sampler.Begin(RunRecording::kAlways) == RunRecording::kCounted) {
        continue;
      }
      ++recorded;
      if (samples) sampler.End(1'000, 500);
    }
    EXPECT_TRUE(EventLog::Stop().ok());
    if (samples) {
      EXPECT_LT(recorded, 200);
    } else {
      EXPECT_EQ(recorded, 1'000);
    }
  }
}

}  // namespace
}  // namespace gk
