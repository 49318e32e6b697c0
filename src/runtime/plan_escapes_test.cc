// What may be held by somebody after a run, and who keeps nothing.
#include "runtime/plan_draft_for_test.h"

namespace gk {
namespace {

const TensorShape kTall{4, 3};

bool Escapes(const PlanDraft& draft, const Output& o) {
  return draft.slots.Escapes(*NodeOf(draft, o.node->name()), o.index);
}

TEST(PlanEscapes, ResultsAndWhatTheyAreViewsOf) {
  TestFunction b;
  const Output x = b.Arg(kF, kTall);
  const Output inner = b.Add("Softmax", {x});
  const Output product = b.Add("Softmax", {inner});
  const Output shape = b.Const(Tensor::Vector<int32_t>(std::vector{12}));
  const Output flat = b.Add("Reshape", {product, shape});
  const PlanDraft draft = DraftAfter(FindEscapes, *b.Finish({flat}));
  EXPECT_TRUE(Escapes(draft, flat));
  EXPECT_TRUE(Escapes(draft, product)) << "the result is a view of it";
  EXPECT_FALSE(Escapes(draft, inner));
  EXPECT_FALSE(Escapes(draft, shape)) << "a view's shape is only read";
  EXPECT_FALSE(Escapes(draft, x));
}

TEST(PlanEscapes, ViewsThatNobodyHolds) {
  TestFunction b;
  const Output x = b.Arg(kF, kTall);
  const Output inner = b.Add("Softmax", {x});
  const Output flat = b.Add(
      "Reshape", {inner, b.Const(Tensor::Vector<int32_t>(std::vector{12}))});
  const PlanDraft draft =
      DraftAfter(FindEscapes, *b.Finish({b.Add("Softmax", {flat})}));
  EXPECT_FALSE(Escapes(draft, flat));
  EXPECT_FALSE(Escapes(draft, inner));
}

// A list keeps its elements, a variable its value.
TEST(PlanEscapes, WhatKernelsKeep) {
  TestFunction b;
  const Output x = b.Arg(kF, kTall), v = b.Arg(DataType::kResource, {});
  v.node->mutable_output(0).handle_data = {{kF, kTall}};
  const Output value = b.Add("Softmax", {x}), free = b.Add("Softmax", {x});
  const Output write = b.Add("AssignVariableOp", {v, value});
  const PlanDraft draft =
      DraftAfter(FindEscapes, *b.Finish({b.Add("Neg", {free})}, {write.node}));
  EXPECT_TRUE(Escapes(draft, value));
  EXPECT_FALSE(Escapes(draft, free));
  EXPECT_TRUE(draft.slots.KeepsNothing(*NodeOf(draft, free.node->name())));
  EXPECT_FALSE(draft.slots.KeepsNothing(*NodeOf(draft, write.node->name())));
}

// A call may keep what it is given; the same as byte code does not.
TEST(PlanEscapes, ByteCodeKeepsNothing) {
  const auto keeps = [](bool lowers) {
    TestFunction branch("branch");
    const Output a = branch.Arg(kI, TensorShape());
    const FunctionAttr callee{"branch", branch.Finish({branch.Add("Neg", {a})}),
                              nullptr};
    TestFunction b;
    const Output c = b.Arg(DataType::kBool, TensorShape()),
                 x = b.Arg(kI, TensorShape());
    const Output y = b.Add("StatelessIf", {c, x},
                           {{"Tout", std::vector<DataType>{kI}},
                            {"then_branch", callee},
                            {"else_branch", callee}});
    const auto f = b.Finish({y});
    InitRuntime();
    SetControlFlowLowering(lowers);
    const PlanDraft draft = DraftAfter(FindEscapes, *f);
    SetControlFlowLowering(true);
    EXPECT_EQ(Escapes(draft, x), !lowers);
    return !draft.slots.KeepsNothing(*NodeOf(draft, y.node->name()));
  };
  EXPECT_FALSE(keeps(true));
  EXPECT_TRUE(keeps(false));
}

}  // namespace
}  // namespace gk
