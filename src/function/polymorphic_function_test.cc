// Which trace serves a call, and what tracing may do, without a host.
#include "function/polymorphic_function.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "function/func_graph.h"
#include "function/retrace_advice.h"
#include "function/variable_creation.h"

namespace gk {
namespace {

constexpr HostWords kWords = {
    .function = "host.function",
    .cast = "host.cast",
    .variable = "host.Variable",
    .prefix = "host.",
    .tensor_of = "host.tensor({})",
    .as_tensor = "host.convert({})",
    .generalise = "Generalise",
    .max_traces = "most",
    .made_of = "",
    .parameters = "the same parameters",
    .comparable = "or an equal one",
    .language = "host",
    .call_site = [](const CallSite& site) { return site.file; },
    .retracing_causes = "causes.",
    .made_again = "made again",
    .made_late = "made late",
};

Ref<FunctionType> OfSize(int64_t n) {
  return MakeRef<FunctionType>(std::vector<FunctionParameter>{
      {"x", ParameterKind::kPositionalOrKeyword, false,
       TraceType::Tensor(DataType::kFloat, {n})}});
}

// One value, the same in all traces.
class FakeValues final : public BakedValues {
 public:
  StatusOr<std::vector<BakedChange>> ChangesOf(const Trace&) override {
    if (ignored || now == expected) return std::vector<BakedChange>();
    return std::vector<BakedChange>{{
        .name = "rate",
        .before = "1",
        .now = std::to_string(now),
        .read = {"net", "f", 7},
        .caches = between,
        .accept = [this] { expected = now; },
        .ignore = [this] { ignored = true; },
    }};
  }
  Status Warn(const std::string& text) override {
    warnings.push_back(text);
    return OkStatus();
  }

  int expected = 1, now = 1;
  bool ignored = false;
  std::vector<std::shared_ptr<TraceCache>> between;
  std::vector<std::string> warnings;
};

class FakeTracer final : public Tracer {
 public:
  StatusOr<Ref<Trace>> MakeTrace(const Ref<FunctionType>& type) override {
    types.push_back(type->Text());
    if (changes_value) values.now = 2;
    const auto graph = MakeRef<FuncGraph>("f");
    VariableCreation::EnterGraph(graph.get());
    const FuncGraph::Building building(graph.get());
    if (makes_variable) {
      VariableCreation* const creation = VariableCreation::Here();
      GK_RETURN_IF_ERROR(creation->Note(lifts));
      if (creation->lifts()) creation->AddMade(Tensor::Scalar<int32_t>(7));
      lifted.push_back(creation->lifts());
    }
    if (once) makes_variable = false;
    if (!fails.empty()) return ValueError("{}", fails);
    return Ref<Trace>(MakeRef<Trace>(type));
  }
  BakedValues* baked_values() override { return &values; }
  CallSite Site() override { return {"here", "f", 1}; }

  bool makes_variable = false, once = false, lifts = true;
  std::string fails;
  bool changes_value = false;
  FakeValues values;
  std::vector<std::string> types;
  std::vector<bool> lifted;
};

class PolymorphicFunctionTest : public testing::Test {
 protected:
  void SetUp() override { f_.Configure({.name = "f"}, detector_); }
  Status Call(int64_t n, bool* made = nullptr) {
    auto found = f_.FindOrTrace({OfSize(n), {}}, &tracer_);
    if (found.ok() && made != nullptr) *made = found->made;
    return found.status();
  }
  std::optional<std::string> Traced() {
    return f_.FinishCall(/*made=*/true, [] { return std::string("<f>"); });
  }

  Ref<RetracingDetector> detector_ = MakeRef<RetracingDetector>("place:1");
  PolymorphicFunction f_{kWords};
  FakeTracer tracer_;
};

TEST_F(PolymorphicFunctionTest, TracesOnceForEachType) {
  bool made = false;
  EXPECT_FALSE(f_.traced_once());
  ASSERT_TRUE(Call(1, &made).ok());
  EXPECT_TRUE(made);
  ASSERT_TRUE(Call(1, &made).ok());
  EXPECT_FALSE(made);
  ASSERT_TRUE(Call(2, &made).ok());
  EXPECT_TRUE(made);
  EXPECT_EQ(f_.tracing_count(), 2);
  const RetraceExplanation why = f_.Explain();
  ASSERT_EQ(why.retraces.size(), 1u);
  EXPECT_EQ(why.retraces[0].site.file, "here");
  EXPECT_EQ(why.retraces[0].reasons[0].advice,
            "Generalise, or an input_signature with "
            "host.TensorSpec(shape=(None,), dtype=tf.float32) for it.");
}

TEST_F(PolymorphicFunctionTest, AFirstTraceThatMakesVariablesIsMadeAgain) {
  tracer_.makes_variable = tracer_.once = true;
  ASSERT_TRUE(Call(1).ok());
  EXPECT_EQ(tracer_.types.size(), 2u);
  EXPECT_EQ(tracer_.lifted, std::vector<bool>{true});
  EXPECT_EQ(f_.tracing_count(), 2);
  EXPECT_EQ(f_.cache().size(), 1u);
  EXPECT_EQ(f_.Explain().notes.size(), 1u);
  // Variables of a later trace are refused where they are made.
  tracer_.makes_variable = true;
  EXPECT_EQ(Call(2).message(), "made again");
  EXPECT_EQ(f_.tracing_count(), 2);
}

TEST_F(PolymorphicFunctionTest, VariablesInEveryTraceAreRefused) {
  tracer_.makes_variable = true;
  EXPECT_EQ(Call(1).message(), "made again");
  EXPECT_FALSE(f_.traced_once());
  EXPECT_EQ(f_.tracing_count(), 0);
}

TEST_F(PolymorphicFunctionTest, VariablesOfALaterTraceAreLate) {
  ASSERT_TRUE(Call(1).ok());
  tracer_.makes_variable = true;
  EXPECT_EQ(Call(2).message(), "made late");
  EXPECT_EQ(tracer_.lifted, std::vector<bool>{false});
  EXPECT_EQ(f_.cache().size(), 1u);
}

TEST_F(PolymorphicFunctionTest, VariablesOfRunsAreRefusedBesideLiftedOnesOnly) {
  tracer_.makes_variable = true;
  tracer_.lifts = false;
  EXPECT_TRUE(Call(1).ok());
  EXPECT_TRUE(Call(2).ok());
  EXPECT_EQ(f_.tracing_count(), 2);
  tracer_.lifts = true;
  EXPECT_EQ(Call(3).message(), "made late");
}

TEST_F(PolymorphicFunctionTest, TellsTheVariablesOfAFirstTraceAlone) {
  tracer_.makes_variable = tracer_.once = true;
  const auto made = f_.MakeVariables({OfSize(1), {}}, &tracer_);
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_EQ(made->size(), 1u);
  EXPECT_EQ(f_.tracing_count(), 2);
  const auto again = f_.MakeVariables({OfSize(2), {}}, &tracer_);
  EXPECT_EQ(again.status().code(), Code::kRuntimeError);
  EXPECT_EQ(f_.tracing_count(), 2);
}

TEST_F(PolymorphicFunctionTest, NothingIsKeptOfATraceThatFails) {
  tracer_.fails = "no";
  EXPECT_EQ(Call(1).message(), "no");
  EXPECT_FALSE(f_.traced_once());
  tracer_.fails.clear();
  tracer_.makes_variable = tracer_.once = true;
  EXPECT_TRUE(Call(1).ok());
}

TEST_F(PolymorphicFunctionTest, ChangedValuesTraceAgain) {
  f_.Configure({.name = "f", .on_baked_change = OnBakedChange::kRetrace},
               detector_);
  // A function that is called on the way to the value loses its trace, too.
  const auto inner = std::make_shared<PolymorphicFunction>(kWords);
  inner->Configure({.name = "inner"}, nullptr);
  ASSERT_TRUE(inner->FindOrTrace({OfSize(1), {}}, &tracer_).ok());
  ASSERT_TRUE(Call(1).ok());
  tracer_.values.between = {{inner, &inner->cache()}};
  tracer_.values.now = 2;
  const auto known = f_.cache().traces();
  const auto why_not = f_.ReasonsToRetrace(*known[0], &tracer_.values);
  ASSERT_TRUE(why_not.ok());
  EXPECT_EQ(why_not->size(), 1u);
  EXPECT_TRUE(inner->cache().traces().empty());
  bool made = false;
  ASSERT_TRUE(Call(1, &made).ok());
  EXPECT_TRUE(made);
  EXPECT_EQ(f_.cache().info().hits, 0);
  const RetraceExplanation why = f_.Explain();
  ASSERT_EQ(why.retraces.size(), 1u);
  EXPECT_EQ(RetraceReasonText(why.retraces[0].reasons[0]),
            "`rate` was 1, is 2");
}

constexpr char kGoesOn[] =
    "rate was 1 when f was traced and is 2 now; the trace goes on with the "
    "earlier value. It is read at net. Make it a host.Variable or an argument "
    "to let it change.";

TEST_F(PolymorphicFunctionTest, WarnsOnceOfAChangedValue) {
  f_.Configure({.name = "f", .on_baked_change = OnBakedChange::kWarn},
               detector_);
  ASSERT_TRUE(Call(1).ok());
  tracer_.values.now = 2;
  bool made = true;
  ASSERT_TRUE(Call(1, &made).ok());
  EXPECT_FALSE(made);
  ASSERT_TRUE(Call(1).ok());
  EXPECT_EQ(tracer_.values.warnings, std::vector<std::string>{kGoesOn});
}

TEST_F(PolymorphicFunctionTest, RefusesCallsWhereAValueChanged) {
  f_.Configure({.name = "f", .on_baked_change = OnBakedChange::kError},
               detector_);
  ASSERT_TRUE(Call(1).ok());
  tracer_.values.now = 2;
  const Status failed = Call(1);
  EXPECT_EQ(failed.code(), Code::kFailedPrecondition);
  EXPECT_EQ(failed.message(), kGoesOn);
  tracer_.values.now = 1;
  EXPECT_TRUE(Call(1).ok());
}

TEST_F(PolymorphicFunctionTest, LooksAtNoValueUnlessAsked) {
  ASSERT_TRUE(Call(1).ok());
  tracer_.values.now = 2;
  bool made = true;
  ASSERT_TRUE(Call(1, &made).ok());
  EXPECT_FALSE(made);
  EXPECT_TRUE(tracer_.values.warnings.empty());
}

TEST_F(PolymorphicFunctionTest, WhatTracingChangesIsNotCompared) {
  f_.Configure({.name = "f", .on_baked_change = OnBakedChange::kError},
               detector_);
  tracer_.changes_value = true;
  ASSERT_TRUE(Call(1).ok());
  EXPECT_TRUE(tracer_.values.ignored);
  EXPECT_TRUE(Call(1).ok());
}

TEST(OnBakedChangeTest, HasAWordForEach) {
  EXPECT_EQ(OnBakedChangeNamed("warn"), OnBakedChange::kWarn);
  EXPECT_EQ(OnBakedChangeNamed("retrace"), OnBakedChange::kRetrace);
  EXPECT_EQ(OnBakedChangeNamed("error"), OnBakedChange::kError);
  EXPECT_EQ(OnBakedChangeNamed("always"), OnBakedChange::kIgnore);
}

TEST_F(PolymorphicFunctionTest, WarnsOfTheFifthTracingInTenCalls) {
  for (int n = 1; n <= 4; ++n) {
    ASSERT_TRUE(Call(n).ok());
    EXPECT_FALSE(Traced());
  }
  ASSERT_TRUE(Call(5).ok());
  const auto warning = Traced();
  ASSERT_TRUE(warning);
  EXPECT_TRUE(warning->starts_with(
      "5 out of the last 5 calls to <f> triggered host.function retracing. "))
      << *warning;
  EXPECT_NE(warning->find("causes.\nf was traced 5 times.\nThe last 3 "
                          "retraces:\nTrace 3 at here"),
            std::string::npos)
      << *warning;
}

TEST_F(PolymorphicFunctionTest, CallsInAGraphDoNotCountOthersDo) {
  const auto graph = MakeRef<FuncGraph>("around");
  const FuncGraph::Building building(graph.get());
  for (int n = 1; n <= 8; ++n) {
    ASSERT_TRUE(Call(n).ok());
    EXPECT_FALSE(Traced());
  }
  // What another thread does is in no graph.
  int warnings = 0;
  std::thread([&] {
    for (int i = 0; i < 5; ++i) warnings += Traced() ? 1 : 0;
  }).join();
  EXPECT_EQ(warnings, 1);
}

// Each trace calls for another.
class EndlessTracer final : public Tracer {
 public:
  explicit EndlessTracer(PolymorphicFunction* f) : f_(f) {}
  StatusOr<Ref<Trace>> MakeTrace(const Ref<FunctionType>&) override {
    GK_ASSIGN_OR_RETURN(PolymorphicFunction::Found found,
                        f_->FindOrTrace({OfSize(++depth), {}}, this));
    return std::move(found.trace);
  }
  int64_t depth = 0;

 private:
  PolymorphicFunction* const f_;
};

TEST_F(PolymorphicFunctionTest, TracesInTracesEndWithTheStack) {
  EndlessTracer tracer(&f_);
  const Status deep = f_.FindOrTrace({OfSize(0), {}}, &tracer).status();
  EXPECT_EQ(deep.code(), Code::kRuntimeError);
  EXPECT_EQ(deep.message(),
            "maximum recursion depth exceeded: a host.function is called from "
            "inside of its trace more deeply than the stack of this thread "
            "allows");
  EXPECT_GT(tracer.depth, 64);
  EXPECT_EQ(f_.tracing_count(), 0);
  EXPECT_TRUE(Call(1).ok());
}

TEST(RetracingDetectorTest, CachedCallsFillTheWindow) {
  auto detector = MakeRef<RetracingDetector>("");
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(detector->NoteTracedCall());
    detector->CountCalls(3);
  }
  // Two warnings, then silence.
  int warnings = 0;
  for (int i = 0; i < 20; ++i) warnings += detector->NoteTracedCall() ? 1 : 0;
  EXPECT_EQ(warnings, 2);
}

TEST(RetraceAdviceTest, NamesWhatToWrite) {
  const auto advice = [](RetraceCause cause, std::string before,
                         std::string after, std::string common = "") {
    return RetraceAdvice({"x", cause, before, after, common}, 7, kWords);
  };
  EXPECT_EQ(advice(RetraceCause::kNumber, "Literal[1]", "Literal[2]"),
            "Pass a tensor, as host.tensor(2), unless the function needs the "
            "number while it is traced.");
  EXPECT_EQ(advice(RetraceCause::kKind, "Literal[1]", "TensorSpec(...)"),
            "Pass a tensor always: host.convert(x).");
  EXPECT_EQ(advice(RetraceCause::kKind, "List[a]", "Tuple[a]"),
            "Pass the same structure for x every time.");
  EXPECT_EQ(advice(RetraceCause::kEvicted, "", ""),
            "Allow more traces than most=7.");
  EXPECT_EQ(advice(RetraceCause::kShape, "", "",
                   "RaggedTensorSpec(TensorShape([2, None]), x.TensorSpec("
                   "shape=<unknown>, name=None))"),
            "Generalise, or an input_signature with host.RaggedTensorSpec("
            "host.TensorShape([2, None]), x.TensorSpec(shape=None)) for it.");
}

}  // namespace
}  // namespace gk
