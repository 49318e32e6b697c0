#include "runtime/plan_events.h"

#include <gtest/gtest.h>

#include <map>

#include "base/checks.h"
#include "graph/function_for_test.h"
#include "runtime/executor.h"

namespace gk {
namespace {

struct Told {
  EventKind kind;
  EventFacts facts;
  int64_t start, end;
};

// What a run of the function on `x` records.
std::vector<Told> Recorded(const GraphFunction& f, const Tensor& x,
                           EventLog::Level level = EventLog::kOps) {
  const ChecksScope once(false);  // checked plans run more often
  TensorVector out;
  // The second call with a shape makes a plan for it.
  for (int i = 0; i < 2; ++i) ThrowIfError(RunFunction(f, {&x, 1}, &out));
  ThrowIfError(EventLog::Start(level));
  const Status ran = RunFunction(f, {&x, 1}, &out);
  const Recording recording = ValueOrThrow(EventLog::Stop());
  ThrowIfError(ran);
  std::vector<Told> all;
  for (const Event& event : recording.threads.at(0).events) {
    all.push_back({event.type->kind(), {}, event.start, event.end});
    event.type->Tell(event.detail, &all.back().facts);
  }
  return all;
}

Ref<GraphFunction> Layer(const PartialTensorShape& shape) {
  InitRuntime();
  TestFunction b("layer");
  const Output x = b.Arg(kF, shape);
  const Output product = b.Add("MatMul", {x, x});
  product.node->set_source(7);
  const Output tanh = b.Add("Tanh", {b.Add("AddV2", {product, product})});
  tanh.node->set_source(9);
  return b.Finish({b.Add("Softmax", {tanh})});
}

TEST(PlanEvents, TellsInstructionsOfKnownShapes) {
  const std::vector<Told> all =
      Recorded(*Layer(TensorShape{16, 16}), Ramp({16, 16}));
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].facts.name, "MatMul:MatMul");
  EXPECT_EQ(all[0].facts.display, "MatMul");
  EXPECT_EQ(all[0].facts.function, "layer");
  EXPECT_EQ(all[0].facts.sources, std::vector<uint32_t>{7});
  EXPECT_EQ(all[0].facts.shapes,
            "(float32[16,16], float32[16,16]) -> float32[16,16]");
  EXPECT_EQ(all[0].facts.flops, 2 * 16 * 16 * 16);
  EXPECT_EQ(all[0].facts.bytes, 3 * 16 * 16 * 4);
  EXPECT_EQ(all[1].facts.name, "Tanh:Fused");
  EXPECT_EQ(all[1].facts.display, "AddV2+Tanh");
  EXPECT_EQ(all[1].facts.sources, std::vector<uint32_t>{9});
  EXPECT_EQ(all[1].facts.flops, 2 * 16 * 16);
  EXPECT_EQ(all[2].facts.name, "Softmax:Softmax");
  EXPECT_EQ(all[3].kind, EventKind::kFunction);
  EXPECT_EQ(all[3].facts.name, "layer");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(all[i].kind, EventKind::kInstruction);
    EXPECT_LE(all[3].start, all[i].start);
    EXPECT_LE(all[i].start, all[i].end);
    EXPECT_LE(all[i].end, i < 2 ? all[i + 1].start : all[3].end);
  }
}

TEST(PlanEvents, TellsShapesThatEachRunHas) {
  const Ref<GraphFunction> f = Layer(PartialTensorShape{-1, -1});
  for (const int64_t n : {3, 5}) {
    const std::vector<Told> all = Recorded(*f, Ramp({n, n}));
    ASSERT_EQ(all[0].facts.display, "MatMul");
    const std::string shape = Format("float32[{},{}]", n, n);
    EXPECT_EQ(all[0].facts.shapes,
              Format("({}, {}) -> {}", shape, shape, shape));
    EXPECT_EQ(all[0].facts.flops, 2.0 * n * n * n);
  }
}

TEST(PlanEvents, StepsAlone) {
  const std::vector<Told> all =
      Recorded(*Layer(TensorShape{4, 4}), Ramp({4, 4}), EventLog::kSteps);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].facts.name, "layer");
}

struct Totals {
  int64_t events = 0, runs = 0;
  double flops = 0, bytes = 0;
};

// Of `runs` runs of the function, of each kind of event by its name.
std::map<std::string, Totals> TotalsOf(const GraphFunction& f, const Tensor& x,
                                       int runs, bool samples) {
  const ChecksScope once(false);
  TensorVector out;
  for (int i = 0; i < 2; ++i) ThrowIfError(RunFunction(f, {&x, 1}, &out));
  ThrowIfError(EventLog::Start(EventLog::kOps, samples));
  Status ran;
  for (int i = 0; i < runs && ran.ok(); ++i) {
    ran = RunFunction(f, {&x, 1}, &out);
  }
  const Recording recording = ValueOrThrow(EventLog::Stop());
  ThrowIfError(ran);
  std::map<std::string, Totals> all;
  for (const Event& event : recording.threads.at(0).events) {
    EventFacts facts;
    event.type->Tell(event.detail, &facts);
    Totals& totals = all[facts.name];
    const auto stands_for = static_cast<double>(event.runs);
    ++totals.events;
    totals.runs += event.runs;
    totals.flops += stands_for * facts.flops;
    totals.bytes += stands_for * facts.bytes;
  }
  return all;
}

TEST(PlanEvents, RunsThatAreSampledHaveTheTotalsOfAll) {
  constexpr int kRuns = 5000;
  for (const PartialTensorShape& shape :
       {PartialTensorShape({2, 2}), PartialTensorShape({-1, -1})}) {
    const Ref<GraphFunction> f = Layer(shape);
    const Tensor x = Ramp({2, 2});
    const auto whole = TotalsOf(*f, x, kRuns, false);
    const auto sampled = TotalsOf(*f, x, kRuns, true);
    ASSERT_EQ(whole.size(), sampled.size());
    for (const auto& [name, totals] : whole) {
      EXPECT_EQ(totals.events, kRuns) << name;
      EXPECT_EQ(totals.runs, kRuns) << name;
      const Totals& other = sampled.at(name);
      EXPECT_LT(other.events, kRuns / 2) << name;
      EXPECT_EQ(other.runs, kRuns) << name;
      EXPECT_EQ(other.flops, totals.flops) << name;
      EXPECT_EQ(other.bytes, totals.bytes) << name;
    }
  }
}

TEST(PlanEvents, LongRunsAreNotSampled) {
  const auto totals = TotalsOf(*Layer(TensorShape{256, 256}),
                               Ramp({256, 256}, 0, 1e-6f), 20, true);
  for (const auto& [name, all] : totals) EXPECT_EQ(all.events, 20) << name;
}

TEST(PlanEvents, OutliveTheFunction) {
  const ChecksScope once(false);
  ASSERT_TRUE(EventLog::Start(EventLog::kOps).ok());
  {
    const Ref<GraphFunction> f = Layer(TensorShape{4, 4});
    const Tensor x = Ramp({4, 4});
    TensorVector out;
    ASSERT_TRUE(RunFunction(*f, {&x, 1}, &out).ok());
  }
  const Recording recording = ValueOrThrow(EventLog::Stop());
  std::vector<std::string> names;
  for (const Event& event : recording.threads.at(0).events) {
    EventFacts facts;
    event.type->Tell(event.detail, &facts);
    names.push_back(facts.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"optimize layer", "plan layer",
                                             "MatMul:MatMul", "Tanh:Fused",
                                             "Softmax:Softmax", "layer"}));
}

}  // namespace
}  // namespace gk
