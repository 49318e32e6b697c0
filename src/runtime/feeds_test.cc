// Clusters that work on parts of what the kernel in front of them makes.
#include "runtime/feeds.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/checks.h"
#include "framework/part_listener.h"
#include "runtime/noted_parts.h"
#include "runtime/plan_draft_for_test.h"
#include "runtime/plan_verifier.h"
#include "runtime/run_plan.h"

namespace gk {
namespace {

const AttrMap kSame{{"strides", std::vector<int64_t>{1, 1, 1, 1}},
                    {"padding", std::string("SAME")}};

// softmax(relu(conv(softmax(x), filter) + bias)), of 1 MB a value.
struct Example {
  explicit Example(int64_t size = 128, int64_t n = 8) {
    TestFunction b;
    const TensorShape filter{3, 3, n, n}, shape{2, size, size, n};
    const Output x = b.Arg(kF, shape), f = b.Arg(kF, filter),
                 bias = b.Arg(kF, TensorShape{n});
    const Output soft = b.Add("Softmax", {x});
    const Output conv = b.Add("Conv2D", {soft, f}, kSame);
    // By the order of the program, this is between them.
    const Output other = b.Add("Softmax", {f});
    const Output relu = b.Add("Relu", {b.Add("AddV2", {conv, bias})});
    function = b.Finish({b.Add("Softmax", {relu}), other});
    arguments = {Ramp(shape, -3, 1e-4f), Ramp(filter, -1, 0.01f),
                 Ramp({n}, -1, 0.3f)};
  }

  Ref<GraphFunction> function;
  TensorVector arguments;
};

Ref<Plan> PlanOf(const Example& e) {
  InitRuntime();
  return ValueOrThrow(Plan::Make(RewriteGraph::CloneOf(*e.function)));
}

int FindType(const Plan& plan, std::string_view type) {
  for (size_t i = 0; i < plan.instructions.size(); ++i) {
    if (plan.instructions[i].node->type() == type) return i;
  }
  ADD_FAILURE() << "no " << type << " in\n" << plan.DebugString();
  return 0;
}

std::vector<float> FloatsOfRun(const Plan& plan, const Example& e) {
  TensorVector out;
  const Status s = RunPlan(plan, e.arguments, &out, nullptr);
  EXPECT_EQ(s.ToString(), "OK");
  return s.ok() ? FloatsOf(out[0]) : std::vector<float>();
}

TEST(Feeds, TheSameBitsPartByPart) {
  const ChecksScope off(false);
  for (const int64_t channels : {8, 16}) {  // 16 by minimal filtering
    const Example e(128, channels);
    const Ref<Plan> plan = PlanOf(e);
    Instruction& conv = plan->instructions[FindType(*plan, "Conv2D")];
    ASSERT_TRUE(conv.feeds_next) << plan->DebugString();
    EXPECT_NE(plan->DebugString().find("part by part"), std::string::npos);
    const std::vector<float> parts = FloatsOfRun(*plan, e);
    EXPECT_EQ(parts, FloatsOfRun(*plan, e));
    conv.feeds_next = false;
    EXPECT_EQ(parts, FloatsOfRun(*plan, e));
  }
}

TEST(Feeds, CheckedRunsHoldPartsAgainstTheResult) {
  const ChecksScope on(true);
  const Example e;
  const Ref<Plan> plan = PlanOf(e);
  ASSERT_TRUE(plan->instructions[FindType(*plan, "Conv2D")].feeds_next);
  const std::vector<float> checked = FloatsOfRun(*plan, e);
  const ChecksScope off(false);
  EXPECT_EQ(checked, FloatsOfRun(*PlanOf(e), e));
}

TEST(Feeds, SmallResultsStayInTheCache) {
  const Ref<Plan> plan = PlanOf(Example(16));
  EXPECT_FALSE(plan->instructions[FindType(*plan, "Conv2D")].feeds_next);
}

// The kernel stays where it is if somebody wants its result before.
TEST(Feeds, OthersThatReadTheResult) {
  TestFunction b;
  const TensorShape filter{3, 3, 8, 8}, shape{2, 128, 128, 8};
  const Output x = b.Arg(kF, shape), f = b.Arg(kF, filter);
  const Output conv = b.Add("Conv2D", {x, f}, kSame);
  const Output pool = b.Add("MaxPool", {conv},
                            {{"ksize", std::vector<int64_t>{1, 128, 128, 1}},
                             {"strides", std::vector<int64_t>{1, 1, 1, 1}},
                             {"padding", std::string("VALID")}});
  const Output sum = b.Add("AddV2", {conv, pool});
  const Ref<GraphFunction> g = b.Finish({b.Add("Softmax", {sum})});
  const PlanDraft draft = DraftAfter(FindFeeds, *g);
  const Plan& plan = *draft.plan;
  EXPECT_LT(FindType(plan, "Conv2D"), FindType(plan, "MaxPool"));
  EXPECT_LT(FindType(plan, "MaxPool"), FindType(plan, "AddV2"));
  EXPECT_FALSE(plan.instructions[FindType(plan, "Conv2D")].feeds_next);
}

TEST(Feeds, ResultsThatLeaveTheRunAreNotFed) {
  TestFunction b;
  const TensorShape filter{3, 3, 8, 8}, shape{2, 128, 128, 8};
  const Output x = b.Arg(kF, shape), f = b.Arg(kF, filter);
  const Output conv = b.Add("Conv2D", {x, f}, kSame);
  const Ref<GraphFunction> g = b.Finish({b.Add("Relu", {conv}), conv});
  const PlanDraft draft = DraftAfter(FindFeeds, *g);
  EXPECT_FALSE(
      draft.plan->instructions[FindType(*draft.plan, "Conv2D")].feeds_next);
}

TEST(Feeds, TheVerifierKnowsWhatCannotBe) {
  const ChecksScope on(true);
  const auto broken = [](const Example& e, std::string_view type, auto change) {
    const Ref<Plan> plan = PlanOf(e);
    EXPECT_EQ(PlanVerifier(*plan).Verify().ToString(), "OK");
    const int pc = FindType(*plan, type);
    change(*plan, pc);
    plan->instructions[pc].feeds_next = true;
    return std::string(PlanVerifier(*plan).Verify().message());
  };
  const auto nothing = [](Plan&, int) {};
  EXPECT_NE(broken(Example(), "Softmax", nothing).find("rule 'parts'"),
            std::string::npos);
  EXPECT_NE(broken(Example(16), "Conv2D", nothing).find("rule 'parts'"),
            std::string::npos);
  // What the convolution reads dies there, but not before it has ended.
  const std::string text = broken(Example(), "Conv2D", [](Plan& plan, int pc) {
    const SlotId in = plan.inputs[plan.instructions[pc].first_input];
    const Instruction& next = plan.instructions[pc + 1];
    plan.slots[next.first_output].offset = plan.slots[in].offset;
  });
  EXPECT_NE(text.find("writes over what the kernel reads"), std::string::npos)
      << text;
}

TEST(Feeds, NotedPartsAreHeldAgainstTheResult) {
  std::vector<float> result{1, 2, 3, 4, 5, 6};
  const auto wrong = [&](auto tell) {
    NotedParts parts(result.data(), 24, 4);
    tell(parts);
    const char* text = parts.WhatIsWrong();
    return std::string(text != nullptr ? text : "");
  };
  EXPECT_EQ(wrong([](NotedParts& p) { p.Note(4, 2), p.Note(0, 4); }), "");
  EXPECT_EQ(wrong([](NotedParts& p) { p.Note(0, 4), p.Note(3, 3); }),
            "its parts overlap, or leave elements out");
  EXPECT_EQ(wrong([](NotedParts& p) { p.Note(1, 5); }),
            "its parts overlap, or leave elements out");
  EXPECT_EQ(wrong([](NotedParts& p) { p.Note(0, 5); }),
            "its parts are not all of it");
  EXPECT_EQ(wrong([](NotedParts& p) { p.Note(0, 7); }),
            "its parts are not all of it");
  EXPECT_EQ(wrong([&](NotedParts& p) {
              p.Note(0, 6);
              result[2] = 0;
            }),
            "a part changed after it was done");
}

TEST(Feeds, ListenersHearOfTheirResultAlone) {
  float here[4] = {}, there[4] = {};
  int64_t heard = 0;
  const auto hear = [&](int64_t, int64_t count) { heard += count; };
  EXPECT_EQ(PartListener::Of(here, 16), nullptr);
  {
    const PartListener::Scope scope(here, 16, hear);
    EXPECT_EQ(PartListener::Of(there, 16), nullptr);
    EXPECT_EQ(PartListener::Of(here, 8), nullptr);
    ASSERT_NE(PartListener::Of(here, 16), nullptr);
    (*PartListener::Of(here, 16))(0, 4);
    const PartListener::Scope inner(there, 16, hear);
    EXPECT_EQ(PartListener::Of(here, 16), nullptr);
  }
  EXPECT_EQ(PartListener::Of(here, 16), nullptr);
  EXPECT_EQ(heard, 4);
}

}  // namespace
}  // namespace gk
