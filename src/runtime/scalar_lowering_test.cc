// Which control flow becomes byte code. (What the code does:
// scalar_code_test.cc and scalar_code_builder_test.cc.)
#include "runtime/plan_draft_for_test.h"

namespace gk {
namespace {

constexpr DataType kBool = DataType::kBool;

FunctionAttr Branch(const std::string& op, const TensorShape& shape) {
  TestFunction b(op + "_branch");
  const Output x = b.Arg(kF, shape);
  return {op + "_branch", b.Finish({b.Add(op, {x}), x}), nullptr};
}

// If over a value of `shape`, of which output `result` is the function's.
PlanDraft If(const TensorShape& shape, const std::string& op, int result) {
  TestFunction b;
  const Output c = b.Arg(kBool, TensorShape()), x = b.Arg(kF, shape);
  const Output y = b.Add("StatelessIf", {c, x},
                         {{"Tout", std::vector<DataType>{kF, kF}},
                          {"then_branch", Branch(op, shape)},
                          {"else_branch", Branch("Exp", shape)}});
  return DraftAfter(LowerScalars, *b.Finish({{y.node, result}}));
}

TEST(ScalarLowering, BranchesOverScalars) {
  const PlanDraft draft = If({}, "Neg", 0);
  ASSERT_EQ(draft.lowered.size(), 1u);
  const auto& [id, node] = *draft.lowered.begin();
  EXPECT_EQ(id, NodeOf(draft, "StatelessIf")->id());
  ASSERT_NE(node.code, nullptr);
  ASSERT_EQ(node.inputs.size(), 2u);
  EXPECT_EQ(node.inputs[0].node, draft.function().arguments[0]);
}

TEST(ScalarLowering, WhatIsNoScalarIsLeft) {
  EXPECT_TRUE(If({2}, "Neg", 0).lowered.empty());
}

TEST(ScalarLowering, OpsWithoutElementwiseKernels) {
  EXPECT_FALSE(If({}, "Tanh", 0).lowered.empty());
  EXPECT_TRUE(If({}, "L2Loss", 1).lowered.empty());
}

TEST(ScalarLowering, NotIfItIsOff) {
  InitRuntime();
  SetControlFlowLowering(false);
  EXPECT_TRUE(If({}, "Neg", 0).lowered.empty());
  SetControlFlowLowering(true);
}

}  // namespace
}  // namespace gk
