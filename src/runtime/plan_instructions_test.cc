// Which instruction a unit becomes. (What they compute: plan_builder_test.cc.)
#include "runtime/plan_draft_for_test.h"

namespace gk {
namespace {

using Kind = Instruction::Kind;

std::vector<Kind> Kinds(const PlanDraft& draft) {
  std::vector<Kind> kinds;
  for (const Instruction& i : draft.plan->instructions) {
    kinds.push_back(i.kind);
  }
  return kinds;
}
std::vector<Kind> Kinds(TestFunction& b, std::vector<Output> results) {
  return Kinds(DraftAfter(ChooseInstructions, *b.Finish(std::move(results))));
}

TEST(PlanInstructions, ElementwiseBySize) {
  const auto one = [](TensorShape shape) {
    TestFunction b;
    const Output x = b.Arg(kF, std::move(shape));
    return Kinds(b, {b.Add("Tanh", {x})});
  };
  EXPECT_EQ(one({4096}), std::vector{Kind::kTile});
  EXPECT_EQ(one({4097}), std::vector{Kind::kCluster});
  const auto two = [](TensorShape shape) {
    TestFunction b;
    const Output x = b.Arg(kF, std::move(shape));
    return Kinds(b, {b.Add("Tanh", {b.Add("Neg", {x})})});
  };
  EXPECT_EQ(two({}), std::vector{Kind::kCode});
  EXPECT_EQ(two({2}), std::vector{Kind::kCluster});
}

TEST(PlanInstructions, OperandsThatAreSpreadNeedACluster) {
  TestFunction b;
  const Output x = b.Arg(kF, {8}), y = b.Arg(kF, TensorShape());
  EXPECT_EQ(Kinds(b, {b.Add("AddV2", {x, y})}), std::vector{Kind::kCluster});
}

TEST(PlanInstructions, UnknownShapesAreKernels) {
  TestFunction b;
  const Output x = b.Arg(kF, PartialTensorShape({-1}));
  EXPECT_EQ(Kinds(b, {b.Add("Neg", {x})}), std::vector{Kind::kKernel});
}

TEST(PlanInstructions, ConstantsAndViewsNeedNone) {
  TestFunction b;
  const Output x = b.Arg(kF, {8});
  const Output made = b.Add("Softmax", {x});
  const Output shape = b.Const(Tensor::Vector<int32_t>(std::vector{2, 4}));
  const Output view = b.Add("Reshape", {made, shape});
  const PlanDraft draft =
      DraftAfter(ChooseInstructions, *b.Finish({b.Add("Softmax", {view})}));
  EXPECT_EQ(Kinds(draft), (std::vector{Kind::kKernel, Kind::kKernel}));
  const SlotId from = SlotOf(draft, made.node->name());
  EXPECT_EQ(draft.plan->RootOf(SlotOf(draft, view.node->name())), from);
  EXPECT_EQ(draft.plan->slots[from].home, Home::kArena);
  const SlotId constant = SlotOf(draft, shape.node->name());
  EXPECT_EQ(draft.plan->slots[constant].home, Home::kConstant);
  EXPECT_EQ(draft.plan->constants[constant].num_elements(), 2);
}

TEST(PlanInstructions, CallsAreNestedPlansOrKernels) {
  TestFunction branch("branch");
  const Output a = branch.Arg(kF, {8});
  const FunctionAttr callee{"branch", branch.Finish({branch.Add("Neg", {a})}),
                            nullptr};
  TestFunction b;
  const Output c = b.Arg(DataType::kBool, TensorShape()), x = b.Arg(kF, {8});
  const Output y = b.Add("StatelessIf", {c, x},
                         {{"Tout", std::vector<DataType>{kF}},
                          {"then_branch", callee},
                          {"else_branch", callee}});
  const auto f = b.Finish({y});
  EXPECT_EQ(Kinds(DraftAfter(ChooseInstructions, *f)),
            std::vector{Kind::kBranch});
  SetControlFlowLowering(false);
  EXPECT_EQ(Kinds(DraftAfter(ChooseInstructions, *f)),
            std::vector{Kind::kKernel});
  SetControlFlowLowering(true);
}

TEST(PlanInstructions, ConstantsThatAreNotWhatTheySay) {
  TestFunction b;
  const Output c = b.Const(Tensor::Scalar<int32_t>(1));
  c.node->mutable_output(0).dtype = kF;
  const auto f = b.Finish({b.Add("Neg", {c})});
  try {
    DraftAfter(ChooseInstructions, *f);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.status().code(), Code::kInvalidArgument);
    EXPECT_NE(e.status().message().find("is int32 [], but float"),
              std::string::npos)
        << e.status().message();
  }
}

TEST(PlanInstructions, ArgumentsAndResultsHaveSlots) {
  TestFunction b;
  const Output x = b.Arg(kF, {8}), unused = b.Arg(kI, {8});
  const PlanDraft draft =
      DraftAfter(ChooseInstructions, *b.Finish({x, b.Add("Softmax", {x}), x}));
  const Plan& plan = *draft.plan;
  ASSERT_EQ(plan.arguments.size(), 2u);
  EXPECT_EQ(plan.arguments[1], SlotOf(draft, unused.node->name()));
  ASSERT_EQ(plan.results.size(), 3u);
  EXPECT_EQ(plan.results[0], plan.arguments[0]);
  EXPECT_EQ(plan.results[2], plan.arguments[0]);
  EXPECT_EQ(plan.slots[plan.results[1]].home, Home::kOwn);
}

}  // namespace
}  // namespace gk
