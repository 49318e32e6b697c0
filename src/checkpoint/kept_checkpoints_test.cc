// Which checkpoints stay: numbers, hours, steps, clocks that go back.
#include "checkpoint/kept_checkpoints.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "checkpoint/bundle_files.h"
#include "checkpoint/bundle_writer.h"
#include "checkpoint/checkpoint_state.h"

namespace gk {
namespace {

class KeptCheckpointsTest : public ::testing::Test {
 protected:
  KeptCheckpointsTest() {
    char name[] = "/tmp/gk-kept-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~KeptCheckpointsTest() override { std::filesystem::remove_all(folder_); }

  std::string Path(int number) { return Format("{}/c-{}", folder_, number); }
  void Save(KeptCheckpoints* kept, int number, double now) {
    BundleWriter writer = ValueOrThrow(BundleWriter::Create(Path(number)));
    ThrowIfError(writer.Add("v", Tensor::Scalar<float>(1)));
    ThrowIfError(writer.Finish());
    ThrowIfError(kept->Add(Path(number), now));
  }
  KeptCheckpoints Open(const KeptCheckpoints::Limits& limits, double now) {
    return ValueOrThrow(KeptCheckpoints::Open(
        folder_, limits, ValueOrThrow(ReadCheckpointState(folder_)), now));
  }
  std::vector<bool> There(int count) {
    std::vector<bool> there;
    for (int i = 1; i <= count; ++i) there.push_back(BundleExists(Path(i)));
    return there;
  }

  std::string folder_;
};

TEST_F(KeptCheckpointsTest, OneInHoursStaysForEver) {
  KeptCheckpoints kept = Open({.most = 1, .hours = 1}, 1000);
  for (int i = 1; i <= 6; ++i) Save(&kept, i, 1000 + 1800.0 * i);
  EXPECT_EQ(There(6), (std::vector{false, true, false, true, false, true}));
  EXPECT_EQ(kept.paths(), std::vector{Path(6)});
  EXPECT_EQ(kept.latest(), Path(6));
}

TEST_F(KeptCheckpointsTest, OneOfThatNameIsThereOnce) {
  KeptCheckpoints kept = Open({.most = 2}, 10);
  for (const int i : {1, 2, 1, 3}) Save(&kept, i, 11);
  EXPECT_EQ(kept.paths(), (std::vector{Path(1), Path(3)}));
  EXPECT_EQ(There(3), (std::vector{true, false, true}));
}

TEST_F(KeptCheckpointsTest, GoesOnWhereTheClockWentBack) {
  KeptCheckpoints first = Open({}, 5000);
  Save(&first, 1, 5001);
  KeptCheckpoints on = Open({.most = 1}, 5002);
  EXPECT_EQ(on.paths(), std::vector{Path(1)});
  EXPECT_EQ(on.seconds_behind(), 0);
  const KeptCheckpoints back = Open({}, 4000);
  EXPECT_EQ(back.seconds_behind(), 999);
  EXPECT_EQ(back.latest(), Path(1));
  EXPECT_TRUE(back.paths().empty());
}

TEST_F(KeptCheckpointsTest, StepsAreApart) {
  KeptCheckpoints always = Open({}, 1);
  EXPECT_TRUE(always.IsDue(1, true) && always.IsDue(1, true));
  KeptCheckpoints kept = Open({.interval = 10, .last_step = 3}, 1);
  EXPECT_FALSE(kept.IsDue(12, true));
  EXPECT_TRUE(kept.IsDue(12, false));
  EXPECT_FALSE(kept.IsDue(12, false));
  EXPECT_TRUE(kept.IsDue(22, true));
  kept.RestoredAt(2);
  EXPECT_FALSE(kept.IsDue(11, true));
  EXPECT_TRUE(kept.IsDue(12, true));
  EXPECT_EQ(KeptCheckpoints::Open(folder_, {.most = 0}, {}, 1).status().code(),
            Code::kValueError);
}

}  // namespace
}  // namespace gk
