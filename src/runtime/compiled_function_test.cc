#include "runtime/compiled_function.h"

#include <gtest/gtest.h>

#include "graph/function_for_test.h"
#include "grappler/optimize.h"
#include "runtime/executor.h"

namespace gk {
namespace {


TensorVector RunOrThrow(const GraphFunction& f, TensorVector in) {
  InitRuntime();
  TensorVector out;
  ThrowIfError(RunFunction(f, in, &out));
  return out;
}
CompiledFunction& Of(const GraphFunction& f) {
  InitRuntime();
  return *ValueOrThrow(CompiledFunction::Of(f));
}

// Two numbers of a seeded stream, beside something of any shape.
Ref<GraphFunction> Draws(PartialTensorShape shape, bool constants = false) {
  TestFunction b;
  const Output x = b.Arg(kF, std::move(shape));
  const Output dims = b.Const(Tensor::Vector<int32_t>(std::vector{2}));
  const Output drawn =
      b.Add("RandomUniform", {dims}, {{"dtype", kF}, {"seed", int64_t{11}}});
  Output y = b.Add("Neg", {x});
  if (constants) {
    const Output c = b.Const(Ramp({200, 200}));
    y = b.Add("AddV2", {y, b.Add("Max", {b.Add("MatMul", {c, c}),
                                         b.Const(Tensor::Vector<int32_t>(
                                             std::vector{0, 1}))})});
  }
  return b.Finish({drawn, y});
}

// What one plan draws, run after run.
std::vector<std::vector<float>> Stream(int n) {
  InitRuntime();
  const auto f = Draws(TensorShape{1});
  const Ref<Plan> plan = ValueOrThrow(Plan::Make(RewriteGraph::CloneOf(*f)));
  std::vector<std::vector<float>> all;
  for (int i = 0; i < n; ++i) {
    TensorVector out;
    const Tensor x = Ramp({1});
    ThrowIfError(RunPlan(*plan, {&x, 1}, &out, nullptr));
    all.push_back(FloatsOf(out[0]));
  }
  return all;
}

// A function draws from one stream, whichever plan of it runs.
TEST(CompiledFunction, PlansOfShapesDrawFromOneStream) {
  const auto f = Draws({-1});
  const auto want = Stream(12);
  for (int i = 0; i < 12; ++i) {
    const TensorVector out = RunOrThrow(*f, {Ramp({1 + i % 3})});
    EXPECT_EQ(FloatsOf(out[0]), want[i]) << "call " << i;
    EXPECT_EQ(out[1].num_elements(), 1 + i % 3);
  }
}

TEST(CompiledFunction, PlansWithFoldedConstantsDrawFromOneStream) {
  const auto f = Draws(TensorShape{1}, /*constants=*/true);
  const auto want = Stream(4);
  const auto text = [&] {
    return ValueOrThrow(Of(*f).DeclaredPlan())->DebugString();
  };
  EXPECT_EQ(FloatsOf(RunOrThrow(*f, {Ramp({1})})[0]), want[0]);
  const std::vector<float> first = FloatsOf(RunOrThrow(*f, {Ramp({1})})[1]);
  EXPECT_EQ(text().find("MatMul"), std::string::npos) << text();
  for (int i = 2; i < 4; ++i) {
    const TensorVector out = RunOrThrow(*f, {Ramp({1})});
    EXPECT_EQ(FloatsOf(out[0]), want[i]) << "call " << i;
    EXPECT_EQ(FloatsOf(out[1]), first);
  }
}

// The body of a loop that is called as well.
TEST(CompiledFunction, BodiesOfLoopsDrawFromOneStream) {
  for (bool loop_first : {true, false}) {
    const auto f = Draws(TensorShape{1});
    const Tensor x = Ramp({1});
    std::vector<Ref<Plan>> plans;
    for (bool loop : {loop_first, !loop_first}) {
      plans.push_back(
          ValueOrThrow(loop ? Of(*f).LoopBodyPlan() : Of(*f).DeclaredPlan()));
    }
    const auto want = Stream(6);
    for (int i = 0; i < 6; ++i) {
      TensorVector out;
      ThrowIfError(RunPlan(*plans[i % 2], {&x, 1}, &out, nullptr));
      EXPECT_EQ(FloatsOf(out[0]), want[i]) << "run " << i;
    }
  }
}

TEST(CompiledFunction, GraphsForShapes) {
  TestFunction b;
  const Output x = b.Arg(kF, {-1, 4});
  const auto f = b.Finish({b.Add("Neg", {x})});
  CompiledFunction& compiled = Of(*f);
  const auto shape_for = [&](std::vector<PartialTensorShape> shapes) {
    const StatusOr<RewriteGraph> g = compiled.GraphFor(shapes);
    if (!g.ok()) return std::string(CodeName(g.status().code()));
    return g->results[0].node->output(0).shape.DebugString();
  };
  EXPECT_EQ(shape_for({{-1, 4}}), "[?,4]");
  EXPECT_EQ(shape_for({{7, 4}}), "[7,4]");
  EXPECT_EQ(shape_for({{7, 5}}), shape_for({}));
  EXPECT_EQ(shape_for({{4}}), shape_for({{4, 4}, {4}}));
}

// Many shapes, each met several times: only the last few have plans, and all
// give the right results.
TEST(CompiledFunction, ManyShapes) {
  TestFunction b;
  const Output x = b.Arg(kF, {-1});
  const auto f = b.Finish({b.Add("Square", {b.Add("Neg", {x})})});
  for (int round = 0; round < 3; ++round) {
    for (int n = 1; n < 100; ++n) {
      for (int again = 0; again < 2; ++again) {
        const TensorVector out = RunOrThrow(*f, {Ramp({n}, 1)});
        ASSERT_EQ(out[0].num_elements(), n);
        const float last = 1 + 0.25f * (n - 1);
        ASSERT_EQ(out[0].data<float>()[n - 1], last * last);
      }
    }
  }
}

// Bodies of loops over shapes that are not declared.
TEST(CompiledFunction, LoopBodiesOfManyShapes) {
  TestFunction b;
  const Output x = b.Arg(kF, {-1});
  const auto f = b.Finish({b.Add("Neg", {x})});
  const Tensor text = Tensor::Scalar<std::string>("no float");
  CompiledFunction& compiled = Of(*f);
  EXPECT_FALSE(compiled.LoopBodyPlanFor({&text, 1}, true));
  EXPECT_FALSE(ValueOrThrow(compiled.LoopBodyPlan()));
  for (int round = 0; round < 2; ++round) {
    for (int n = 1; n < 40; ++n) {
      const Tensor in = Ramp({n});
      EXPECT_FALSE(compiled.LoopBodyPlanFor({&in, 1}, false) && round == 0);
      const Ref<Plan> plan = compiled.LoopBodyPlanFor({&in, 1}, true);
      ASSERT_TRUE(plan);
      EXPECT_TRUE(plan->is_closed);
      EXPECT_EQ(plan->slots[plan->arguments[0]].shape, TensorShape({n}));
      EXPECT_EQ(compiled.LoopBodyPlanFor({&in, 1}, false).get(), plan.get());
    }
  }
}

// A body that gives other shapes than it takes has no plan of that kind, and
// is not asked for one again.
TEST(CompiledFunction, LoopBodiesThatGrow) {
  TestFunction b;
  const Output x = b.Arg(kF, {-1});
  const Output axis = b.Const(Tensor::Scalar<int32_t>(0));
  const auto f =
      b.Finish({b.Add("ConcatV2", {x, x, axis}, {{"N", int64_t{2}}})});
  const Tensor in = Ramp({3});
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(Of(*f).LoopBodyPlanFor({&in, 1}, true));
  }
}

TEST(CompiledFunction, WithoutPassesNothingIsFolded) {
  const auto f = Draws(TensorShape{1}, /*constants=*/true);
  SetGraphPasses(false);
  for (int i = 0; i < 3; ++i) RunOrThrow(*f, {Ramp({1})});
  const std::string text = ValueOrThrow(Of(*f).DeclaredPlan())->DebugString();
  SetGraphPasses(true);
  EXPECT_NE(text.find("MatMul"), std::string::npos) << text;
}

}  // namespace
}  // namespace gk
