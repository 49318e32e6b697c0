#include "io/event_writer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <thread>
#include <vector>

#include "base/wall_time.h"
#include "io/record_io.h"

namespace gk::io {
namespace {

class EventWriterTest : public testing::Test {
 protected:
  EventWriterTest()
      : folder_(testing::TempDir() + "event_writer_test/" +
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(folder_);
  }
  ~EventWriterTest() override { std::filesystem::remove_all(folder_); }

  static proto::Event EventOf(int64_t step) {
    proto::Event event;
    event.step = step;
    event.wall_time = WallTime();
    event.mutable_summary().value.emplace_back().tag = "x";
    return event;
  }
  static std::vector<proto::Event> Read(const std::string& path) {
    RecordReader reader = ValueOrThrow(RecordReader::Open(path));
    std::vector<proto::Event> events;
    std::string record;
    while (reader.Read(&record).ok()) {
      EXPECT_TRUE(events.emplace_back().Parse(record).ok());
    }
    return events;
  }

  const std::string folder_;
};

TEST_F(EventWriterTest, TellsItsVersionFirst) {
  const auto writer = ValueOrThrow(EventWriter::Open(folder_));
  const auto events = Read(writer->path());
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].file_version, "brain.Event:2");
  EXPECT_NEAR(events[0].wall_time, WallTime(), 100);
  EXPECT_TRUE(writer->path().ends_with(".v2"));
}

TEST_F(EventWriterTest, EventsWaitInAQueue) {
  const auto writer =
      ValueOrThrow(EventWriter::Open(folder_, {.max_queue = 2}));
  for (int64_t i = 0; i < 2; ++i) {
    ASSERT_TRUE(writer->Write(EventOf(i)).ok());
    EXPECT_EQ(Read(writer->path()).size(), 1u);
  }
  ASSERT_TRUE(writer->Write(EventOf(2)).ok());
  EXPECT_EQ(Read(writer->path()).size(), 4u);
  ASSERT_TRUE(writer->Write(EventOf(3)).ok());
  ASSERT_TRUE(EventWriter::FlushAll().ok());
  EXPECT_EQ(Read(writer->path()).size(), 5u);
}

TEST_F(EventWriterTest, WhatWaitsLongIsWritten) {
  const auto writer =
      ValueOrThrow(EventWriter::Open(folder_, {.flush_millis = 20}));
  ASSERT_TRUE(writer->Write(EventOf(0)).ok());
  for (int i = 0; i < 500 && Read(writer->path()).size() < 2; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(Read(writer->path()).size(), 2u);
}

TEST_F(EventWriterTest, ThreadsWriteWholeRecords) {
  constexpr int kThreads = 8, kEvents = 200;
  auto writer = ValueOrThrow(
      EventWriter::Open(folder_, {.max_queue = 5, .flush_millis = 1}));
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEvents; ++i) {
        EXPECT_TRUE(writer->Write(EventOf(t * kEvents + i)).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string path = writer->path();
  writer.reset();
  std::set<int64_t> steps;
  for (const proto::Event& event : Read(path)) steps.insert(event.step);
  EXPECT_EQ(steps.size(), size_t{kThreads * kEvents});
}

TEST_F(EventWriterTest, NothingIsWrittenOnceItIsClosed) {
  const auto writer = ValueOrThrow(EventWriter::Open(folder_));
  ASSERT_TRUE(writer->Write(EventOf(0)).ok());
  EXPECT_TRUE(writer->Close().ok());
  EXPECT_TRUE(writer->Close().ok());
  EXPECT_TRUE(writer->Flush().ok());
  EXPECT_EQ(writer->Write(EventOf(1)).code(), Code::kFailedPrecondition);
  EXPECT_EQ(Read(writer->path()).size(), 2u);
}

}  // namespace
}  // namespace gk::io
