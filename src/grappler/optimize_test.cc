#include "grappler/optimize.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/function_for_test.h"

namespace gk {
namespace {

int CountOf(const RewriteGraph& f, std::string_view type) {
  return std::count_if(f.graph->nodes().begin(), f.graph->nodes().end(),
                       [&](const auto& n) { return n->type() == type; });
}

RewriteGraph Optimized(const Ref<GraphFunction>& f) {
  return ValueOrThrow(Optimize(*f));
}

TEST(Optimize, PrunesWhatNobodyNeedsAndLeavesTheOriginal) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {});
  const Output unused = b.Arg(DataType::kFloat, {});
  b.Add("Neg", {unused});
  const auto f = b.Finish({b.Add("Mul", {x, x})});
  const int before = f->graph().num_nodes();
  const RewriteGraph g = Optimized(f);
  EXPECT_EQ(CountOf(g, "Neg"), 0);
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
  const RewriteGraph g = Optimized(f);
  SetGraphPasses(true);
  EXPECT_EQ(CountOf(g, "AddV2"), 1);
  EXPECT_EQ(CountOf(g, "Neg"), 0);
  EXPECT_EQ(CountOf(Optimized(f), "AddV2"), 0);
}

TEST(Optimize, FoldsConstants) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {});
  const Output c = b.Add(
      "AddV2", {b.Const(Tensor::Scalar(2.0f)), b.Const(Tensor::Scalar(3.0f))});
  const auto f = b.Finish({b.Add("Mul", {x, c})});
  const RewriteGraph g = Optimized(f);
  EXPECT_EQ(CountOf(g, "AddV2"), 0);
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
  const RewriteGraph g = Optimized(b.Finish({s, t}));
  EXPECT_EQ(CountOf(g, "Mul"), 1);
  EXPECT_EQ(CountOf(g, "Sub"), 4);
}

TEST(Optimize, IdentityElementsRespectSignedZeros) {
  const auto adds_left = [](auto zero) {
    TestFunction b;
    const Output x = b.Arg(kTypeOf<decltype(zero)>, {4});
    const auto f =
        b.Finish({b.Add("AddV2", {b.Const(Tensor::Scalar(zero)), x})});
    return CountOf(Optimized(f), "AddV2");
  };
  EXPECT_EQ(adds_left(0.0f), 1);  // -0 + 0 is 0
  EXPECT_EQ(adds_left(-0.0f), 0);
  EXPECT_EQ(adds_left(int32_t{0}), 0);
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {4});
  const Output one = b.Const(Tensor::Scalar(1.0f));
  const Output ones = b.Const(Tensor::OfValues<float>(
      std::vector<float>(8, 1.0f), TensorShape({2, 4})));
  const RewriteGraph g =
      Optimized(b.Finish({b.Add("Mul", {x, one}), b.Add("Mul", {x, ones})}));
  EXPECT_EQ(CountOf(g, "Mul"), 1);  // the other one broadcasts
}

TEST(Optimize, InvolutionsAndViewsVanish) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {-1});
  Output y = b.Add("Identity", {b.Add("Neg", {x})});
  y = b.Add("StopGradient", {b.Add("Neg", {y})});
  const RewriteGraph g = Optimized(b.Finish({y}));
  EXPECT_EQ(g.results[0].node, g.arguments[0]);
  EXPECT_EQ(g.graph->num_nodes(), 1);
}

TEST(Optimize, NodesThatWaitStay) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {});
  const Output first = b.Add("Neg", {x});
  const Output y = b.Add("Identity", {x}, {}, {first.node});
  const RewriteGraph g = Optimized(b.Finish({y}));
  EXPECT_EQ(CountOf(g, "Identity"), 1);
  EXPECT_EQ(CountOf(g, "Neg"), 1);
}

TEST(Optimize, NodesThatWaitAreNotMerged) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {});
  const Output first = b.Add("Exp", {x});
  const Output at_once = b.Add("Neg", {x});
  const Output later = b.Add("Neg", {x}, {}, {first.node});
  const RewriteGraph g = Optimized(b.Finish({at_once, later}));
  EXPECT_EQ(CountOf(g, "Neg"), 2);
  EXPECT_EQ(CountOf(g, "Exp"), 1);
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
  const Output z =
      b.Add("StatelessCase", {two, y},
            {{"Tout", types},
             {"branches", std::vector{branch("Sin"), branch("Cos")}}});
  const RewriteGraph g = Optimized(b.Finish({z}));
  EXPECT_EQ(CountOf(g, "StatelessIf") + CountOf(g, "StatelessCase"), 0);
  EXPECT_EQ(CountOf(g, "Neg") + CountOf(g, "Sin"), 0);
  EXPECT_EQ(CountOf(g, "Exp"), 1);
  EXPECT_EQ(CountOf(g, "Cos"), 1);
}

// What is declared of a call is checked where it runs.
TEST(Optimize, CallsOfWronglyDeclaredShapesStay) {
  const auto calls = [](PartialTensorShape declared) {
    TestFunction body("body"), b;
    const FunctionAttr neg{
        "body",
        body.Finish({body.Add(
            "Neg", {body.Arg(DataType::kFloat, PartialTensorShape())})})};
    const Output x = b.Arg(DataType::kFloat, {2});
    const Output y =
        b.Add("StatelessIf", {b.Const(Tensor::Scalar(true)), x},
              {{"Tout", std::vector<DataType>{DataType::kFloat}},
               {"then_branch", neg},
               {"else_branch", neg},
               {"output_shapes", std::vector{std::move(declared)}}});
    return CountOf(Optimized(b.Finish({y})), "StatelessIf");
  };
  EXPECT_EQ(calls({2}), 0);
  EXPECT_EQ(calls(PartialTensorShape()), 0);
  EXPECT_EQ(calls({3}), 1);
}

TEST(Optimize, ViewsOfWronglyDeclaredShapesStay) {
  const auto views = [](PartialTensorShape declared) {
    TestFunction b;
    const Output x = b.Add("Exp", {b.Arg(DataType::kFloat, {2})});
    const Output y = b.Add("Identity", {x});
    y.node->mutable_output(0).shape = declared;
    return CountOf(Optimized(b.Finish({b.Add("Neg", {y})})), "Identity");
  };
  EXPECT_EQ(views({2}), 0);
  EXPECT_EQ(views({3}), 1);
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
  const Output loop =
      b.Add("StatelessWhile", {first(b), b.Add("Neg", {x})},
            {{"T", std::vector<DataType>{DataType::kInt32, DataType::kFloat}},
             {"cond", cond},
             {"body", body}});
  return b.Finish({b.Add("Sin", {{loop.node, 1}})});
}

TEST(Optimize, DropsLoopsWithoutTurns) {
  const RewriteGraph empty = Optimized(LoopFrom([](TestFunction& b) {
    const Output five = b.Const(Tensor::Scalar<int32_t>(5));
    return b.Add("AddV2", {five, five});
  }));
  EXPECT_EQ(CountOf(empty, "StatelessWhile"), 0);
  ASSERT_EQ(CountOf(empty, "Sin"), 1);
  EXPECT_EQ(empty.results[0].node->input(0).node->type(), "Neg");
  const RewriteGraph runs = Optimized(LoopFrom(
      [](TestFunction& b) { return b.Const(Tensor::Scalar<int32_t>(9)); }));
  EXPECT_EQ(CountOf(runs, "StatelessWhile"), 1);
  const RewriteGraph unknown = Optimized(
      LoopFrom([](TestFunction& b) { return b.Arg(DataType::kInt32, {}); }));
  EXPECT_EQ(CountOf(unknown, "StatelessWhile"), 1);
}

// What the condition prints it prints once, though the loop makes no turn.
TEST(Optimize, LoopsWhoseConditionsHaveEffectsStay) {
  TestFunction test("test"), step("step"), b;
  const Output i = test.Arg(DataType::kInt32, {});
  test.Add("PrintV2", {test.Const(Tensor::Scalar<std::string>("asked"))});
  const Output zero = test.Const(Tensor::Scalar<int32_t>(0));
  const FunctionAttr cond{"test", test.Finish({test.Add("Less", {i, zero})})};
  const FunctionAttr body{
      "step", step.Finish({step.Add("Neg", {step.Arg(DataType::kInt32, {})})})};
  const Output five = b.Const(Tensor::Scalar<int32_t>(5));
  const Output loop = b.Add("While", {five},
                            {{"T", std::vector<DataType>{DataType::kInt32}},
                             {"cond", cond},
                             {"body", body}});
  EXPECT_EQ(CountOf(Optimized(b.Finish({loop}, {loop.node})), "While"), 1);
}

// y = neg(x) if the first dimension of x is less than 3, else exp(x); known
// once the shape is.
TEST(Optimize, TakesBranchesThatShapesDecide) {
  const auto branch = [](const char* op) {
    TestFunction g(op);
    return FunctionAttr{op,
                        g.Finish({g.Add(op, {g.Arg(DataType::kFloat, {-1})})})};
  };
  for (const bool is_case : {false, true}) {
    TestFunction b;
    const Output x = b.Arg(DataType::kFloat, {-1});
    const Output size = b.Add("Size", {x}, {{"out_type", DataType::kInt32}});
    const Output three = b.Const(Tensor::Scalar<int32_t>(3));
    const std::vector<DataType> types{DataType::kFloat};
    const Output y =
        is_case ? b.Add("StatelessCase", {b.Add("Sub", {size, three}), x},
                        {{"Tout", types},
                         {"branches", std::vector{branch("Exp"), branch("Sin"),
                                                  branch("Neg")}}})
                : b.Add("StatelessIf", {b.Add("Less", {size, three}), x},
                        {{"Tout", types},
                         {"then_branch", branch("Neg")},
                         {"else_branch", branch("Exp")}});
    const RewriteGraph general = Optimized(b.Finish({y}));
    EXPECT_EQ(CountOf(general, "Neg") + CountOf(general, "Exp"), 0);
    const auto of_size = [&](int64_t n) {
      RewriteGraph f = general.Clone();
      f.arguments[0]->mutable_output(0).shape = PartialTensorShape({n});
      ThrowIfError(OptimizeForShapes(&f));
      return std::string(f.results[0].node->type());
    };
    EXPECT_EQ(of_size(2), "Neg");
    EXPECT_EQ(of_size(3), "Exp");
    EXPECT_EQ(of_size(4), is_case ? "Sin" : "Exp");
    EXPECT_EQ(of_size(9), is_case ? "Neg" : "Exp");
    // Without passes the graph has shapes, and is what it was.
    SetGraphPasses(false);
    EXPECT_EQ(of_size(2), is_case ? "StatelessCase" : "StatelessIf");
    SetGraphPasses(true);
  }
}

// Conditions that fail do so when, and if, they run; numbers of branches, too.
TEST(Optimize, ConditionsThatFailStay) {
  const auto stays = [](const char* op, Tensor condition) {
    TestFunction g("g");
    const FunctionAttr same{
        "g", g.Finish({g.Add("Neg", {g.Arg(DataType::kFloat, {})})})};
    TestFunction b;
    const Output x = b.Arg(DataType::kFloat, {});
    AttrMap attrs{{"Tout", std::vector<DataType>{DataType::kFloat}}};
    if (std::string_view(op).ends_with("If")) {
      attrs.Set("then_branch", same);
      attrs.Set("else_branch", same);
    } else {
      attrs.Set("branches", std::vector{same});
    }
    const Output c = b.Const(std::move(condition));
    const Output y = b.Add(op, {c, x}, attrs);
    return CountOf(Optimized(b.Finish({y})), op) == 1;
  };
  const std::vector<int32_t> two{1, 1};
  EXPECT_FALSE(stays("StatelessIf", Tensor::Scalar(true)));
  EXPECT_FALSE(stays("If", Tensor::Scalar(2.5f)));
  EXPECT_FALSE(stays("If", Tensor::Vector<int32_t>(two)));
  EXPECT_FALSE(stays("Case", Tensor::Scalar<int32_t>(-3)));
}

// Each call of a function that calls itself is inlined once.
TEST(Optimize, RecursionEnds) {
  TestFunction b("again");
  const Output x = b.Arg(DataType::kFloat, {});
  TestFunction other("other");
  const FunctionAttr none{
      "other",
      other.Finish({other.Add("Neg", {other.Arg(DataType::kFloat, {})})})};
  const Output call =
      b.Add("PartitionedCall", {b.Add("Exp", {x})},
            {{"Tout", std::vector<DataType>{DataType::kFloat}}, {"f", none}});
  const auto f = b.Finish({call});
  call.node->mutable_attrs().Set("f", FunctionAttr{"again", f});
  TestFunction main("main");
  const auto g =
      main.Finish({main.Add("PartitionedCall", {main.Arg(DataType::kFloat, {})},
                            {{"Tout", std::vector<DataType>{DataType::kFloat}},
                             {"f", FunctionAttr{"again", f}}})});
  const RewriteGraph once = Optimized(g), itself = Optimized(f);
  EXPECT_EQ(CountOf(once, "Exp"), 1);
  EXPECT_EQ(CountOf(once, "PartitionedCall"), 1);
  EXPECT_EQ(CountOf(itself, "Exp"), 1);
  EXPECT_EQ(CountOf(itself, "PartitionedCall"), 1);
  call.node->mutable_attrs().Set("f", none);  // breaks the circle
}

// Calls in calls are inlined to a depth, and to a size of the whole.
TEST(Optimize, InlinesWithinBounds) {
  const auto call = [](TestFunction& b, const FunctionAttr& f, Output x) {
    return b.Add("PartitionedCall", {x},
                 {{"Tout", std::vector<DataType>{DataType::kFloat}}, {"f", f}});
  };
  const auto nested = [&](FunctionAttr f, int times, int depth) {
    for (int i = 0; i < depth; ++i) {
      TestFunction b("calls");
      Output x = b.Arg(DataType::kFloat, {});
      for (int k = 0; k < times; ++k) x = call(b, f, x);
      f = {"calls", b.Finish({x})};
    }
    TestFunction main("main");
    return main.Finish({call(main, f, main.Arg(DataType::kFloat, {}))});
  };
  const auto chain = [](int n) {
    TestFunction b("chain");
    Output x = b.Arg(DataType::kFloat, {});
    for (int i = 0; i < n; ++i) x = b.Add("Exp", {x});
    return FunctionAttr{"chain", b.Finish({x})};
  };
  EXPECT_EQ(CountOf(Optimized(nested(chain(1), 1, 20)), "PartitionedCall"), 0);
  EXPECT_EQ(CountOf(Optimized(nested(chain(1), 1, 40)), "PartitionedCall"), 1);
  const RewriteGraph large = Optimized(nested(chain(4000), 20, 1));
  EXPECT_GT(CountOf(large, "PartitionedCall"), 0);
  EXPECT_GT(CountOf(large, "Exp"), 40000);
  EXPECT_LT(CountOf(large, "Exp"), 50000);
}

// Loops that do not begin, by number and by flag, and ones of which it is not
// known, or which would fail.
TEST(Optimize, LoopsOfKnownConditions) {
  const auto loops = [](bool known, auto first,
                        Output (*cond)(TestFunction&, Output)) {
    TestFunction test("test"), step("step"), b;
    constexpr DataType kT = kTypeOf<decltype(first)>;
    const FunctionAttr condition{"test",
                                 test.Finish({cond(test, test.Arg(kT, {}))})};
    const Output y = step.Arg(kT, {});
    const FunctionAttr body{"step", step.Finish({step.Add("Identity", {y})})};
    const Output x = known ? b.Const(Tensor::Scalar(first)) : b.Arg(kT, {});
    const Output loop = b.Add("StatelessWhile", {x},
                              {{"T", std::vector<DataType>{kT}},
                               {"cond", condition},
                               {"body", body}});
    return CountOf(Optimized(b.Finish({loop})), "StatelessWhile");
  };
  const auto itself = [](TestFunction&, Output x) { return x; };
  EXPECT_EQ(loops(true, false, itself), 0);
  EXPECT_EQ(loops(true, true, itself), 1);
  EXPECT_EQ(loops(false, true, itself), 1);
  EXPECT_EQ(loops(true, 0.0f, itself), 0);
  EXPECT_EQ(loops(true, 0.5f, itself), 1);
  // Twice the same value, and what does not depend on the state.
  EXPECT_EQ(loops(true, int32_t{3},
                  [](TestFunction& c, Output x) {
                    return c.Add("Sub", {c.Add("Neg", {x}), c.Add("Neg", {x})});
                  }),
            0);
  EXPECT_EQ(loops(false, int32_t{3},
                  [](TestFunction& c, Output) {
                    return c.Const(Tensor::Scalar(false));
                  }),
            0);
  // It fails, and so does the loop.
  EXPECT_EQ(
      loops(
          true, int32_t{3},
          [](TestFunction& c, Output x) {
            return c.Add("FloorDiv", {x, c.Const(Tensor::Scalar<int32_t>(0))});
          }),
      1);
}

}  // namespace
}  // namespace gk
