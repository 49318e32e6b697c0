#include "profiler/xspace.h"

#include <gtest/gtest.h>

#include <memory>

#include "proto/xplane.gk.h"

namespace gk {
namespace {

// An annotation and a function around it, of a thread called "main".
Recording Recorded() {
  Recording recording;
  recording.start = 1000;
  recording.stop = 9000;
  recording.start_nanoseconds = 1'700'000'000'000'000'000;
  static NamedDetail train("train"), f("f\"g\n");
  train.arguments = {
      {"step_num", int64_t{3}}, {"rate", 0.5}, {"mode", std::string("fast")}};
  recording.threads.push_back(
      {17,
       "main",
       {{&NamedEvents(EventKind::kFunction), &f, 3000, 4000},
        {&NamedEvents(EventKind::kAnnotation), &train, 2000, 5000}}});
  return recording;
}

std::string Name(const proto::XPlane& plane, const proto::XEvent& event) {
  return plane.event_metadata.at(event.metadata_id).name;
}

TEST(XSpace, SaysWhatWasSampled) {
  Recording recording = Recorded();
  recording.threads[0].events[0].runs = 12;
  proto::XSpace space;
  ASSERT_TRUE(space.Parse(XSpaceOf(recording, "host")).ok());
  const proto::XPlane& plane = space.planes[0];
  const proto::XEvent& f = plane.lines[0].events[0];
  ASSERT_EQ(f.stats.size(), 1u);
  EXPECT_EQ(plane.stat_metadata.at(f.stats[0].metadata_id).name, "runs");
  EXPECT_EQ(f.stats[0].int64_value, 12);
  ASSERT_EQ(space.warnings.size(), 1u);
  EXPECT_EQ(space.warnings[0].find("f\"g\n: 1 of 12 runs are recorded"), 0u);
  EXPECT_NE(TraceJsonOf(recording).find("\"runs\":12"), std::string::npos);
  EXPECT_NE(TraceJsonOf(recording).find("1 of 12 runs"), std::string::npos);
}

TEST(XSpace, HasPlanesLinesAndEvents) {
  proto::XSpace space;
  ASSERT_TRUE(space.Parse(XSpaceOf(Recorded(), "host")).ok());
  ASSERT_EQ(space.hostnames, std::vector<std::string>{"host"});
  ASSERT_EQ(space.planes.size(), 2u);
  const proto::XPlane& plane = space.planes[0];
  EXPECT_EQ(plane.name, "/host:CPU");
  ASSERT_EQ(plane.lines.size(), 1u);
  const proto::XLine& line = plane.lines[0];
  EXPECT_EQ(line.id, 17);
  EXPECT_EQ(line.name, "main/17");
  EXPECT_EQ(line.timestamp_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(line.duration_ps, 8'000'000);
  ASSERT_EQ(line.events.size(), 2u);
  EXPECT_EQ(Name(plane, line.events[0]), "f\"g\n");
  EXPECT_EQ(line.events[0].offset_ps, 2'000'000);
  EXPECT_EQ(line.events[0].duration_ps, 1'000'000);
  const proto::XEvent& train = line.events[1];
  EXPECT_EQ(Name(plane, train), "train");
  ASSERT_EQ(train.stats.size(), 3u);
  const auto stat = [&](int i) {
    return plane.stat_metadata.at(train.stats[i].metadata_id).name;
  };
  EXPECT_EQ(stat(0), "step_num");
  EXPECT_EQ(train.stats[0].int64_value, 3);
  EXPECT_EQ(stat(1), "rate");
  EXPECT_EQ(train.stats[1].double_value, 0.5);
  EXPECT_EQ(stat(2), "mode");
  EXPECT_EQ(
      plane.stat_metadata.at(static_cast<int64_t>(train.stats[2].ref_value))
          .name,
      "fast");
  const proto::XPlane& task = space.planes[1];
  EXPECT_EQ(task.name, "Task Environment");
  ASSERT_EQ(task.stats.size(), 2u);
  EXPECT_EQ(task.stats[1].uint64_value - task.stats[0].uint64_value, 8000u);
}

TEST(XSpace, SaysWhatIsMissing) {
  Recording recording = Recorded();
  recording.dropped = 12;
  proto::XSpace space;
  ASSERT_TRUE(space.Parse(XSpaceOf(recording, "host")).ok());
  ASSERT_EQ(space.warnings.size(), 1u);
  EXPECT_EQ(space.warnings[0].substr(0, 10), "12 events ");
}

TEST(TraceJson, HoldsTheSameEvents) {
  const std::string text = TraceJsonOf(Recorded());
  EXPECT_NE(
      text.find("\"name\":\"train\",\"args\":{\"step_num\":3,\"rate\":0.5,"
                "\"mode\":\"fast\"}"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("\"ts\":1.000,\"dur\":3.000"), std::string::npos) << text;
  EXPECT_NE(text.find("\"f\\\"g\\n\""), std::string::npos) << text;
}

TEST(TraceJson, OfNothing) {
  const Recording recording;
  EXPECT_TRUE(TraceJsonOf(recording).ends_with("{}]}\n"));
  proto::XSpace space;
  ASSERT_TRUE(space.Parse(XSpaceOf(recording, "host")).ok());
  EXPECT_TRUE(space.planes[0].lines.empty());
}

}  // namespace
}  // namespace gk
