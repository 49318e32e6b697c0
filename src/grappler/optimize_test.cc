#include "grappler/optimize.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/function_for_test.h"

namespace gk {
namespace {

int Count(const FunctionGraph& f, std::string_view type) {
  return std::count_if(f.graph->nodes().begin(), f.graph->nodes().end(),
                       [&](const auto& n) { return n->type() == type; });
}

FunctionGraph Optimized(const Ref<GraphFunction>& f) {
  return ValueOrThrow(Optimize(*f));
}

TEST(Optimize, PrunesWhatNobodyNeedsAndLeavesTheOriginal) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {});
  const Output unused = b.Arg(DataType::kFloat, {});
  b.Add("Neg", {unused});
  const auto f = b.Finish({b.Add("Mul", {x, x})});
  const int before = f->graph().num_nodes();
  const FunctionGraph g = Optimized(f);
  EXPECT_EQ(Count(g, "Neg"), 0);
  EXPECT_EQ(g.arguments.size(), 2u);
  EXPECT_EQ(f->graph().num_nodes(), before);
}

TEST(Optimize, WithoutPassesOnlyWhatNobodyNeedsGoes) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {});
  b.Add("Neg", {x});
  const Output c = b.Add(
      "AddV2", {b.Const(Tensor::Scalar(2.0f)), b.Const(Tensor::Scalar(3.0f))});
  const auto f = b.Finish({b.Add("Mul", {x, c})});
  SetGraphPasses(false);
  const FunctionGraph g = Optimized(f);
  SetGraphPasses(true);
  EXPECT_EQ(Count(g, "AddV2"), 1);
  EXPECT_EQ(Count(g, "Neg"), 0);
  EXPECT_EQ(Count(Optimized(f), "AddV2"), 0);
}

TEST(Optimize, FoldsConstants) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {});
  const Output c = b.Add(
      "AddV2", {b.Const(Tensor::Scalar(2.0f)), b.Const(Tensor::Scalar(3.0f))});
  const auto f = b.Finish({b.Add("Mul", {x, c})});
  const FunctionGraph g = Optimized(f);
  EXPECT_EQ(Count(g, "AddV2"), 0);
  const Node* product = g.results[0].node;
  ASSERT_EQ(product->input(1).node->type(), "Const");
  EXPECT_EQ(product->input(1).node->attr<Tensor>("value").scalar<float>(), 5);
}

TEST(Optimize, MergesCommonSubexpressionsAndSwappedOperands) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {3});
  const Output y = b.Arg(DataType::kFloat, {3});
  const Output s = b.Add("Sub", {b.Add("Mul", {x, y}), b.Add("Mul", {y, x})});
  const Output t = b.Add("Sub", {b.Add("Sub", {x, y}), b.Add("Sub", {y, x})});
  const FunctionGraph g = Optimized(b.Finish({s, t}));
  EXPECT_EQ(Count(g, "Mul"), 1);
  EXPECT_EQ(Count(g, "Sub"), 4);
}

TEST(Optimize, IdentityElementsRespectSignedZeros) {
  const auto adds_left = [](auto zero) {
    TestFunction b;
    const Output x = b.Arg(kTypeOf<decltype(zero)>, {4});
    const auto f =
        b.Finish({b.Add("AddV2", {b.Const(Tensor::Scalar(zero)), x})});
    return Count(Optimized(f), "AddV2");
  };
  EXPECT_EQ(adds_left(0.0f), 1);  // -0 + 0 is 0
  EXPECT_EQ(adds_left(-0.0f), 0);
  EXPECT_EQ(adds_left(int32_t{0}), 0);
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {4});
  const Output one = b.Const(Tensor::Scalar(1.0f));
  const Output ones = b.Const(Tensor::OfValues<float>(
      std::vector<float>(8, 1.0f), TensorShape({2, 4})));
  const FunctionGraph g =
      Optimized(b.Finish({b.Add("Mul", {x, one}), b.Add("Mul", {x, ones})}));
  EXPECT_EQ(Count(g, "Mul"), 1);  // the other one broadcasts
}

TEST(Optimize, InvolutionsAndViewsVanish) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {-1});
  Output y = b.Add("Identity", {b.Add("Neg", {x})});
  y = b.Add("StopGradient", {b.Add("Neg", {y})});
  const FunctionGraph g = Optimized(b.Finish({y}));
  EXPECT_EQ(g.results[0].node, g.arguments[0]);
  EXPECT_EQ(g.graph->num_nodes(), 1);
}

TEST(Optimize, NodesThatWaitStay) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {});
  const Output first = b.Add("Neg", {x});
  const Output y = b.Add("Identity", {x}, {}, {first.node});
  const FunctionGraph g = Optimized(b.Finish({y}));
  EXPECT_EQ(Count(g, "Identity"), 1);
  EXPECT_EQ(Count(g, "Neg"), 1);
}

TEST(Optimize, NodesThatWaitAreNotMerged) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {});
  const Output first = b.Add("Exp", {x});
  const Output at_once = b.Add("Neg", {x});
  const Output later = b.Add("Neg", {x}, {}, {first.node});
  const FunctionGraph g = Optimized(b.Finish({at_once, later}));
  EXPECT_EQ(Count(g, "Neg"), 2);
  EXPECT_EQ(Count(g, "Exp"), 1);
}

// The branch not taken is dropped with all that only it needs.
TEST(Optimize, TakesKnownBranches) {
  const auto branch = [](const char* op) {
    TestFunction b(op);
    const Output x = b.Arg(DataType::kFloat, {});
    return FunctionAttr{op, b.Finish({b.Add(op, {x})})};
  };
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {});
  const Output two = b.Const(Tensor::Scalar<int32_t>(2));
  const Output less = b.Add("Less", {two, b.Const(Tensor::Scalar<int32_t>(1))});
  const std::vector<DataType> types{DataType::kFloat};
  const Output y = b.Add("StatelessIf", {less, x},
                         {{"Tout", types},
                          {"then_branch", branch("Neg")},
                          {"else_branch", branch("Exp")}});
  const Output z = b.Add(
      "StatelessCase", {two, y},
      {{"Tout", types},
       {"branches", std::vector{branch("Sin"), branch("Cos")}}});
  const FunctionGraph g = Optimized(b.Finish({z}));
  EXPECT_EQ(Count(g, "StatelessIf") + Count(g, "StatelessCase"), 0);
  EXPECT_EQ(Count(g, "Neg") + Count(g, "Sin"), 0);
  EXPECT_EQ(Count(g, "Exp"), 1);
  EXPECT_EQ(Count(g, "Cos"), 1);
}

// A loop over (i, x) while i < limit.
Ref<GraphFunction> LoopFrom(Output (*first)(TestFunction&)) {
  TestFunction test("test"), step("step"), b;
  const Output limit = test.Const(Tensor::Scalar<int32_t>(10));
  const Output i = test.Arg(DataType::kInt32, {});
  test.Arg(DataType::kFloat, {});
  const FunctionAttr cond{"test", test.Finish({test.Add("Less", {i, limit})})};
  const Output j = step.Arg(DataType::kInt32, {});
  const Output y = step.Arg(DataType::kFloat, {});
  const Output one = step.Const(Tensor::Scalar<int32_t>(1));
  const FunctionAttr body{
      "step", step.Finish({step.Add("AddV2", {j, one}), step.Add("Exp", {y})})};
  const Output x = b.Arg(DataType::kFloat, {});
  const Output loop = b.Add(
      "StatelessWhile", {first(b), b.Add("Neg", {x})},
      {{"T", std::vector<DataType>{DataType::kInt32, DataType::kFloat}},
       {"cond", cond},
       {"body", body}});
  return b.Finish({b.Add("Sin", {{loop.node, 1}})});
}

TEST(Optimize, DropsLoopsWithoutTurns) {
  const FunctionGraph empty = Optimized(LoopFrom([](TestFunction& b) {
    const Output five = b.Const(Tensor::Scalar<int32_t>(5));
    return b.Add("AddV2", {five, five});
  }));
  EXPECT_EQ(Count(empty, "StatelessWhile"), 0);
  ASSERT_EQ(Count(empty, "Sin"), 1);
  EXPECT_EQ(empty.results[0].node->input(0).node->type(), "Neg");
  const FunctionGraph runs = Optimized(LoopFrom([](TestFunction& b) {
    return b.Const(Tensor::Scalar<int32_t>(9));
  }));
  EXPECT_EQ(Count(runs, "StatelessWhile"), 1);
  const FunctionGraph unknown = Optimized(
      LoopFrom([](TestFunction& b) { return b.Arg(DataType::kInt32, {}); }));
  EXPECT_EQ(Count(unknown, "StatelessWhile"), 1);
}

// What the condition prints it prints once, though the loop makes no turn.
TEST(Optimize, LoopsWhoseConditionsHaveEffectsStay) {
  TestFunction test("test"), step("step"), b;
  const Output i = test.Arg(DataType::kInt32, {});
  test.Add("PrintV2", {test.Const(Tensor::Scalar<std::string>("asked"))});
  const Output zero = test.Const(Tensor::Scalar<int32_t>(0));
  const FunctionAttr cond{"test", test.Finish({test.Add("Less", {i, zero})})};
  const FunctionAttr body{
      "step", step.Finish({step.Add(
                  "Neg", {step.Arg(DataType::kInt32, {})})})};
  const Output five = b.Const(Tensor::Scalar<int32_t>(5));
  const Output loop =
      b.Add("While", {five},
            {{"T", std::vector<DataType>{DataType::kInt32}},
             {"cond", cond},
             {"body", body}});
  EXPECT_EQ(Count(Optimized(b.Finish({loop}, {loop.node})), "While"), 1);
}

}  // namespace
}  // namespace gk
