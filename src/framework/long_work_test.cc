#include "framework/long_work.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "framework/host_language.h"

namespace gk {
namespace {

class Watching final : public HostLanguage {
 public:
  bool ShowProgress(std::string_view text) override {
    shown += text;
    return watched;
  }
  std::string shown;
  bool watched = true;
};

class LongWorkTest : public testing::Test {
 protected:
  LongWorkTest() {
    setenv("GK_PROGRESS", "0", 1);
    HostLanguage::Set(&face);
  }
  ~LongWorkTest() override {
    HostLanguage::Set(nullptr);
    unsetenv("GK_PROGRESS");
  }
  Watching face;
};

TEST_F(LongWorkTest, NodesAreCountedAndSummedUp) {
  LongWork work(WorkUnit::kNodes, "Tracing", "Traced", "f");
  for (int i = 0; i < 1234; ++i) LongWork::Advance(WorkUnit::kNodes, 1);
  EXPECT_EQ(face.shown, "\rTracing f: 16 nodes, 0 s");
  face.shown.clear();
  work.Done();
  // Wiped as far as the other line went, then what stays.
  EXPECT_EQ(face.shown.substr(0, 26), "\rTraced f: 1,234 nodes in ");
  EXPECT_EQ(face.shown.back(), '\n');
}

TEST_F(LongWorkTest, BytesHaveABar) {
  LongWork work(WorkUnit::kBytes, "Saving", "Saved", "m", 40'000'000);
  LongWork::Advance(WorkUnit::kBytes, 20'000'000);
  EXPECT_EQ(face.shown, "\rSaving m: [" + std::string(15, '=') +
                            std::string(15, ' ') + "] 20 of 40 MB, 0 s");
}

TEST_F(LongWorkTest, WorkWithinWorkOfTheUnitIsAPartOfIt) {
  LongWork load(WorkUnit::kBytes, "Loading", "Loaded", "m");
  {
    LongWork restore(WorkUnit::kBytes, "Restoring", "Restored", "v", 8'000'000);
    LongWork trace(WorkUnit::kNodes, "Tracing", "Traced", "f");
    LongWork::Advance(WorkUnit::kBytes, 2'000'000);
    EXPECT_EQ(face.shown, "\rLoading m: [" + std::string(7, '=') +
                              std::string(23, ' ') + "] 2.0 of 8.0 MB, 0 s");
    restore.Done();
  }
  face.shown.clear();
  load.Done();
  EXPECT_EQ(face.shown.substr(0, 22), "\rLoaded m: 2.0 MB in 0");
}

TEST_F(LongWorkTest, WhatFailsIsWipedAway) {
  {
    LongWork work(WorkUnit::kBytes, "Saving", "Saved", "m");
    LongWork::Advance(WorkUnit::kBytes, 2'000'000);
    face.shown.clear();
  }
  EXPECT_EQ(face.shown, "\r" + std::string(21, ' ') + "\r");
}

TEST_F(LongWorkTest, NobodyIsToldTwiceWhereNobodyWatches) {
  face.watched = false;
  LongWork work(WorkUnit::kBytes, "Saving", "Saved", "m");
  LongWork::Advance(WorkUnit::kBytes, 2'000'000);
  face.shown.clear();
  LongWork::Advance(WorkUnit::kBytes, 2'000'000);
  work.Done();
  EXPECT_EQ(face.shown, "");
}

TEST_F(LongWorkTest, ShortWorkOtherThreadsAndOffSayNothing) {
  const auto save = [] {
    LongWork work(WorkUnit::kBytes, "Saving", "Saved", "m");
    LongWork::Advance(WorkUnit::kBytes, 2'000'000);
    work.Done();
  };
  std::thread(save).join();
  for (const char* wish : {"", "2", "off"}) {
    setenv("GK_PROGRESS", wish, 1);
    save();
  }
  EXPECT_EQ(face.shown, "");
}

TEST(LongWork, UnitsOfNoWorkCountForNothing) {
  LongWork::Advance(WorkUnit::kNodes, 1);
}

}  // namespace
}  // namespace gk
