#include "profiler/function_profile.h"

#include <gtest/gtest.h>

#include "base/checks.h"
#include "eager/eager_context.h"
#include "graph/function_for_test.h"
#include "profiler/quantities.h"
#include "runtime/executor.h"

namespace gk {
namespace {

// The sum of the matrix's products with itself, `n` of them in a row.
Ref<GraphFunction> Products(int n) {
  InitEager();
  TestFunction b("products");
  Output x = b.Arg(kF, TensorShape{64, 64});
  for (int i = 0; i < n; ++i) x = b.Add("MatMul", {x, x});
  return b.Finish({b.Add("Tanh", {x})});
}

FunctionProfile ProfileOfRun(const GraphFunction& f, int runs = 1) {
  const ChecksScope once(false);  // checked plans run more often
  const Tensor x = Ramp({64, 64}, 0, 1e-5f);
  return ValueOrThrow(ProfileCall(f.name(), [&]() -> Status {
    for (int i = 0; i < runs; ++i) {
      TensorVector out;
      GK_RETURN_IF_ERROR(RunFunction(f, {&x, 1}, &out));
    }
    return OkStatus();
  }));
}

TEST(FunctionProfile, CountsCallsTimesAndOperations) {
  const Ref<GraphFunction> f = Products(2);
  const FunctionProfile p = ProfileOfRun(*f, 3);
  EXPECT_EQ(p.name, "products");
  ASSERT_EQ(p.rows.size(), 3u);
  double seconds = 0, flops = 0;
  for (const ProfileRow& row : p.rows) {
    EXPECT_EQ(row.calls, 3);
    EXPECT_EQ(row.function, "products");
    EXPECT_EQ(row.memory, 64 * 64 * 4);
    EXPECT_GT(row.seconds, 0);
    EXPECT_NEAR(row.share, row.seconds / p.seconds, 1e-9);
    EXPECT_GT(row.attained, 0);
    EXPECT_LE(row.attained, 1);
    seconds += row.seconds;
    if (row.name == "MatMul") flops += row.flops;
  }
  EXPECT_EQ(flops, 3 * 2 * 2.0 * 64 * 64 * 64);
  EXPECT_GE(p.rows[0].seconds, p.rows[1].seconds);
  EXPECT_NEAR(p.other_seconds, p.seconds - seconds, 1e-9);
  EXPECT_GT(p.planning_seconds, 0) << "the first run makes a plan";
  EXPECT_EQ(ProfileOfRun(*f).planning_seconds, 0);
  EXPECT_GT(p.peak.flops, 1e8);
  EXPECT_GT(p.peak.bandwidth, 1e8);
}

// A loop's time is that of its turns' instructions, and what is left its own.
TEST(FunctionProfile, TakesWhatRunsInsideOut) {
  Recording recording;
  recording.start = 0;
  recording.stop = 1000;
  static NamedDetail loop("loop"), body("body"), other("other");
  const EventType& kind = NamedEvents(EventKind::kInstruction);
  recording.threads.push_back({1,
                               "",
                               {{&kind, &body, 100, 300},
                                {&kind, &body, 300, 600},
                                {&kind, &loop, 100, 700},
                                {&kind, &other, 700, 900}}});
  recording.threads.push_back({2, "", {{&kind, &other, 0, 1000}}});
  const FunctionProfile p = ProfileOf("f", recording, 1);
  ASSERT_EQ(p.rows.size(), 3u);
  EXPECT_EQ(p.rows[0].name, "body");
  EXPECT_EQ(p.rows[0].calls, 2);
  EXPECT_NEAR(p.rows[0].seconds, 500e-9, 1e-12);
  EXPECT_NEAR(p.rows[0].share, 0.5, 1e-9);
  EXPECT_EQ(p.rows[1].name, "other");
  EXPECT_NEAR(p.rows[1].seconds, 200e-9, 1e-12);
  EXPECT_EQ(p.rows[2].name, "loop");
  EXPECT_NEAR(p.rows[2].seconds, 100e-9, 1e-12);
  EXPECT_NEAR(p.other_seconds, 200e-9, 1e-12);
}

TEST(FunctionProfile, WeighsWhatStandsForOthers) {
  Recording recording;
  recording.start = 0;
  recording.stop = 10'000;
  static NamedDetail loop("loop"), body("body");
  const EventType& kind = NamedEvents(EventKind::kInstruction);
  recording.threads.push_back({1,
                               "",
                               {{&kind, &body, 100, 300, 9},
                                {&kind, &body, 1'000, 1'100, 1},
                                {&kind, &loop, 100, 3'000, 1}}});
  const FunctionProfile p = ProfileOf("f", recording, 1);
  ASSERT_EQ(p.rows.size(), 2u);
  EXPECT_EQ(p.rows[0].name, "body");
  EXPECT_EQ(p.rows[0].calls, 10);
  EXPECT_NEAR(p.rows[0].seconds, 1900e-9, 1e-12);
  EXPECT_EQ(p.rows[1].calls, 1);
  EXPECT_NEAR(p.rows[1].seconds, 1000e-9, 1e-12);
}

TEST(FunctionProfile, IsTheMeanOfRunsThatNobodyNotices) {
  const Ref<GraphFunction> f = Products(1);
  EXPECT_TRUE(MayRunAgain(*f));
  TestFunction b("noise");
  b.Arg(kF, TensorShape{64, 64});
  const Output shape =
      b.Const(Tensor::Vector<int32_t>(std::vector<int32_t>{2}));
  EXPECT_FALSE(MayRunAgain(
      *b.Finish({b.Add("RandomUniform", {shape}, {{"dtype", kF}})})));

  const ChecksScope once(false);
  const Tensor x = Ramp({64, 64}, 0, 1e-5f);
  int runs = 0;
  const auto call = [&]() -> Status {
    ++runs;
    TensorVector out;
    return RunFunction(*f, {&x, 1}, &out);
  };
  const FunctionProfile p = ValueOrThrow(ProfileCall("f", call, true));
  EXPECT_GT(p.runs, 1);
  EXPECT_EQ(runs, p.runs + 1) << "the first one does not count";
  EXPECT_EQ(p.planning_seconds, 0);
  for (const ProfileRow& row : p.rows) {
    EXPECT_EQ(row.calls, 1);
    if (row.name == "MatMul") {
      EXPECT_EQ(row.flops, 2.0 * 64 * 64 * 64);
    }
  }
  EXPECT_LT(p.seconds, 0.05);
  EXPECT_NE(ProfileText(p).find("the mean of "), std::string::npos);
}

TEST(FunctionProfile, TellsPlanningApart) {
  Recording recording;
  recording.start = 0;
  recording.stop = 1000;
  static NamedDetail planning("plan f"), tried("tried"), run("run");
  const EventType& kind = NamedEvents(EventKind::kInstruction);
  recording.threads.push_back(
      {1,
       "",
       {{&kind, &tried, 100, 300},
        {&NamedEvents(EventKind::kPlanning), &planning, 0, 400},
        {&kind, &run, 400, 900}}});
  const FunctionProfile p = ProfileOf("f", recording, 1);
  ASSERT_EQ(p.rows.size(), 1u);
  EXPECT_EQ(p.rows[0].name, "run");
  EXPECT_NEAR(p.planning_seconds, 400e-9, 1e-12);
  EXPECT_NEAR(p.seconds, 600e-9, 1e-12);
  EXPECT_NEAR(p.rows[0].share, 5.0 / 6, 1e-9);
}

TEST(FunctionProfile, EndsWhenTheCallFails) {
  const StatusOr<FunctionProfile> failed =
      ProfileCall("f", [] { return InvalidArgument("no"); });
  EXPECT_EQ(failed.status().message(), "no");
  EXPECT_THROW(
      ProfileCall("f",
                  []() -> Status { throw Error(InvalidArgument("thrown")); })
          .ok(),
      Error);
  ASSERT_TRUE(EventLog::Start(EventLog::kOps).ok());
  EXPECT_EQ(ProfileCall("f", [] { return OkStatus(); }).status().code(),
            Code::kAlreadyExists);
  EXPECT_TRUE(EventLog::Stop().ok());
}

TEST(FunctionProfile, PrintsATable) {
  const FunctionProfile p = ProfileOfRun(*Products(1));
  const std::string text = ProfileText(p);
  EXPECT_EQ(text.substr(0, 10), "products: ");
  for (const char* word :
       {"op", "line", "calls", "time", "share", "attained", "FLOPs", "memory",
        "MatMul", "Tanh", "16.0 KiB", "524.3 k", "The machine's peak: "}) {
    EXPECT_NE(text.find(word), std::string::npos) << word << "\n" << text;
  }
  EXPECT_NE(ProfileText(p, 1).find("1 more: "), std::string::npos);
  const std::string html = ProfileHtml(p);
  EXPECT_NE(html.find("<table"), std::string::npos);
  EXPECT_NE(html.find("MatMul"), std::string::npos);
}

TEST(Quantities, HaveUnits) {
  EXPECT_EQ(SecondsText(12.34e-6), "12.3 us");
  EXPECT_EQ(SecondsText(0.5e-6), "0.50 us");
  EXPECT_EQ(SecondsText(1.5), "1.50 s");
  EXPECT_EQ(BytesText(512), "512 B");
  EXPECT_EQ(BytesText(1536), "1.50 KiB");
  EXPECT_EQ(CountText(2.1e9), "2.10 G");
  TextTable table({"a", "b"}, 1);
  table.AddRow({"xyz", "1"});
  EXPECT_EQ(table.Text(), "a    b\nxyz  1\n");
}

}  // namespace
}  // namespace gk
