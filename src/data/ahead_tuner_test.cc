#include "data/ahead_tuner.h"

#include <gtest/gtest.h>

#include <thread>

namespace gk {
namespace {

using std::chrono::milliseconds;

AheadOptions Tuned(int64_t most, int64_t ram_budget = 0) {
  AheadOptions options(most);
  options.tuned = true;
  options.ram_budget = ram_budget;
  return options;
}

void Give(AheadTuner& tuner, bool waits, int n = 1) {
  const TensorVector element{Tensor::Scalar<int64_t>(1)};
  for (int i = 0; i < n; ++i) {
    tuner.Asked();
    if (waits) tuner.Waits();
    tuner.Gives(element);
  }
}

TEST(AheadTunerTest, WhatIsNotTunedIsWhatWasSaid) {
  AheadTuner tuner(AheadOptions(7));
  Give(tuner, true, 50);
  EXPECT_EQ(tuner.limit(), 7);
  Give(tuner, false, 500);
  EXPECT_EQ(tuner.limit(), 7);
}

TEST(AheadTunerTest, GrowsWhileTheConsumerWaits) {
  AheadTuner tuner(Tuned(16));
  EXPECT_EQ(tuner.limit(), 2);
  Give(tuner, true);
  EXPECT_EQ(tuner.limit(), 4);
  Give(tuner, true, 10);
  EXPECT_EQ(tuner.limit(), 16);
}

TEST(AheadTunerTest, GoesBackToWhatTheModelNeeds) {
  AheadTuner tuner(Tuned(16));
  Give(tuner, true, 10);
  // An element takes about as long as the consumer is busy with one: two.
  for (int i = 0; i < 5; ++i) {
    const AheadTuner::Watch watch(&tuner);
    std::this_thread::sleep_for(milliseconds(2));
    watch.Stop();
  }
  for (int i = 0; i < 600; ++i) {
    std::this_thread::sleep_for(milliseconds(3));
    Give(tuner, false);
  }
  EXPECT_LE(tuner.limit(), 4);
  EXPECT_GE(tuner.limit(), 2);
}

TEST(AheadTunerTest, BytesAreBounded) {
  AheadTuner tuner(Tuned(16, 3 * sizeof(int64_t)));
  Give(tuner, true, 10);
  EXPECT_EQ(tuner.limit(), 3);
}

TEST(AheadTunerTest, SmallElementsArePrefetchedSeveralAtATime) {
  AheadTuner tuner(Tuned(16), /*prefetches=*/true);
  EXPECT_TRUE(tuner.Wants(1));
  Give(tuner, false, 200);
  EXPECT_EQ(tuner.limit(), 4);
  EXPECT_TRUE(tuner.Wants(2));
  EXPECT_FALSE(tuner.Wants(3));
  AheadTuner small(Tuned(2), /*prefetches=*/true);
  Give(small, false, 200);
  EXPECT_EQ(small.limit(), 2);
  EXPECT_TRUE(small.Wants(1));
}

TEST(AheadTunerTest, WhatIsReadyLeavesRoomForWhatIsMade) {
  AheadTuner tuner(Tuned(2));
  Give(tuner, true);
  EXPECT_EQ(tuner.limit(), 2);
  EXPECT_EQ(tuner.room(), 4);
  AheadTuner told(AheadOptions(2));
  Give(told, true);
  EXPECT_EQ(told.room(), 2);
}

TEST(AheadTunerTest, OneIsAlwaysMade) {
  AheadTuner tuner(Tuned(16, 1));
  Give(tuner, true, 10);
  EXPECT_EQ(tuner.limit(), 1);
}

}  // namespace
}  // namespace gk
