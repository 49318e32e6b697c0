// Profiles for other processes: requests, answers, what they are refused for.
#include "profiler/service.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "base/event_log.h"
#include "io/files.h"
#include "profiler/busy_time.h"
#include "proto/profiler_service.gk.h"

namespace gk {
namespace {

constexpr auto kAlways = [] { return true; };

class ServiceTest : public ::testing::Test {
 protected:
  ServiceTest() { std::filesystem::remove_all(folder_); }
  ~ServiceTest() override { std::filesystem::remove_all(folder_); }

  static StatusOr<proto::ProfileResponse> Ask(const std::string& request) {
    GK_ASSIGN_OR_RETURN(const std::string bytes,
                        ProfilerService::Answer("Profile", request, kAlways));
    proto::ProfileResponse response;
    GK_RETURN_IF_ERROR(response.Parse(bytes));
    return response;
  }

  const std::string folder_ = ::testing::TempDir() + "gk_profile_service";
  const RemoteProfile remote_{folder_, 30, {}, "session"};
};

TEST_F(ServiceTest, WhatHappensMeanwhileIsWrittenAndSent) {
  std::atomic<bool> done{false};
  std::thread busy([&] {
    while (!done) {
      const EventSpan span(EventKind::kAnnotation, "some", "work");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  const auto answer =
      ProfilerService::Answer("Profile", remote_.RequestTo("here:12"), kAlways);
  done = true;
  busy.join();
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  const std::string path =
      folder_ + "/plugins/profile/session/here_12.xplane.pb";
  const std::string written = ValueOrThrow(io::ReadFile(path));
  proto::ProfileResponse response;
  ASSERT_TRUE(response.Parse(*answer).ok());
  EXPECT_FALSE(response.empty_trace);
  EXPECT_EQ(response.xspace->Serialize(), written);
  // What is there stays; elsewhere the answer becomes the file.
  EXPECT_TRUE(ValueOrThrow(remote_.Keep("here:12", *answer)));
  EXPECT_TRUE(ValueOrThrow(remote_.Keep("there:1", *answer)));
  EXPECT_EQ(ValueOrThrow(io::ReadFile(
                folder_ + "/plugins/profile/session/there_1.xplane.pb")),
            written);
}

TEST_F(ServiceTest, NothingHappened) {
  const auto response = ValueOrThrow(Ask(remote_.RequestTo("here")));
  EXPECT_TRUE(response.empty_trace);
  EXPECT_FALSE(std::filesystem::exists(folder_));
  EXPECT_FALSE(ValueOrThrow(remote_.Keep("here", response.Serialize())));
}

TEST_F(ServiceTest, NamesOfOthersStayWithinTheFolder) {
  std::atomic<bool> done{false};
  std::thread busy([&] {
    while (!done) const EventSpan span(EventKind::kAnnotation, "a", "b");
  });
  RemoteProfile odd = remote_;
  odd.session = "../../up";
  ASSERT_TRUE(Ask(odd.RequestTo("../x/y")).ok());
  done = true;
  busy.join();
  EXPECT_TRUE(std::filesystem::exists(
      folder_ + "/plugins/profile/.._.._up/.._x_y.xplane.pb"));
}

TEST_F(ServiceTest, Refusals) {
  const auto code = [](std::string_view method, std::string_view request) {
    return ProfilerService::Answer(method, request, kAlways).status().code();
  };
  EXPECT_EQ(code("Profile", ""), Code::kInvalidArgument);
  EXPECT_EQ(code("Monitor", ""), Code::kInvalidArgument);
  EXPECT_NE(code("Profile", "\xff"), Code::kOk);
  EXPECT_EQ(code("Terminate", ""), Code::kNotFound);
  EXPECT_EQ(code("GetSnapshot", ""), Code::kUnimplemented);
  ASSERT_TRUE(EventLog::Start(EventLog::kSteps).ok());
  EXPECT_EQ(code("Profile", remote_.RequestTo("here")), Code::kAlreadyExists);
  EXPECT_EQ(code("Monitor", MonitorRequestOf(5, 1)), Code::kAlreadyExists);
  EXPECT_TRUE(EventLog::Stop().ok());
  // Who has gone needs no answer.
  RemoteProfile long_one = remote_;
  long_one.duration_ms = 3'600'000;
  EXPECT_TRUE(
      ProfilerService::Answer("Profile", long_one.RequestTo("here"), [] {
        return false;
      }).ok());
}

TEST_F(ServiceTest, BusyTimes) {
  Recording recording;
  recording.start = 1000;
  recording.stop = 2000;
  const EventType& work = NamedEvents(EventKind::kFunction);
  const EventType& told = NamedEvents(EventKind::kAnnotation);
  NamedDetail step("train"), other("else");
  step.arguments.emplace_back("step_num", int64_t{1});
  const auto add = [](Recording::Thread* to, const EventType& type,
                      int64_t start, int64_t end,
                      const EventDetail* detail = nullptr) {
    Event& event = to->events.emplace_back();
    event.type = &type;
    event.detail = detail;
    event.start = start;
    event.end = end;
  };
  Recording::Thread a, b;
  add(&a, work, 900, 1100);  // from before on
  add(&a, work, 1050, 1200);
  add(&b, work, 1100, 1150);
  add(&b, work, 1900, 2500);
  add(&b, told, 1000, 1'001'000, &step);
  add(&b, told, 1000, 3'001'000, &step);
  add(&b, told, 1000, 9'001'000, &other);
  recording.threads = {a, b};
  const BusyTime busy = BusyTimeOf(recording);
  EXPECT_DOUBLE_EQ(busy.idle_percent, 70);
  EXPECT_EQ(busy.steps, 2);
  EXPECT_DOUBLE_EQ(busy.step_ms_mean, 2);
  EXPECT_DOUBLE_EQ(busy.step_ms_least, 1);
  EXPECT_DOUBLE_EQ(busy.step_ms_most, 3);
}

}  // namespace
}  // namespace gk
