#include "grappler/example_check.h"

#include <gtest/gtest.h>

#include <functional>

#include "graph/function_for_test.h"
#include "grappler/check_passes.h"
#include "runtime/executor.h"
#include "runtime/plan_runner.h"

namespace gk {
namespace {

const AttrMap kFloat{{"dtype", DataType::kFloat}};

class ExampleTest : public testing::Test {
 protected:
  ExampleTest() { InitRuntime(); }

  // What the check says of a graph after `wrong`.
  static std::string After(const Ref<GraphFunction>& function,
                           const std::function<void(RewriteGraph&)>& wrong) {
    const RewriteGraph before = RewriteGraph::CloneOf(*function);
    RewriteGraph after = before.Clone();
    wrong(after);
    const Status s = CompareByExample("Pass wrong", before, after);
    return s.ok() ? "OK" : std::string(s.message());
  }
  static void Expect(const std::string& message, std::string_view what) {
    EXPECT_NE(message.find(what), std::string::npos) << message;
  }
};

Node* At(RewriteGraph& f, const char* name) { return f.graph->FindNode(name); }

void SetOp(RewriteGraph& f, const char* node, const char* op) {
  At(f, node)->set_op(ValueOrThrow(OpRegistry::Get().LookUp(op)));
}

TEST_F(ExampleTest, FindsWrongValues) {
  for (DataType type : {DataType::kFloat, DataType::kDouble, DataType::kInt32,
                        DataType::kInt64, DataType::kHalf}) {
    TestFunction b;
    const Output x = b.Arg(type, {-1, 2});
    const Output y = b.Arg(type, PartialTensorShape(TensorShape()));
    const auto f = b.Finish({x, b.Add("Mul", {x, y})});
    EXPECT_EQ(After(f, [](RewriteGraph&) {}), "OK");
    const std::string message =
        After(f, [](RewriteGraph& g) { SetOp(g, "Mul", "AddV2"); });
    Expect(message, "Pass wrong broke function f: by example 0, result 1 ");
    Expect(message, "(node Mul)");
  }
}

// Every other run ends with an error.
class FailingRunner final : public PlanRunner {
 public:
  explicit FailingRunner(Status error)
      : error_(std::move(error)), real_(FunctionRunner::Get()) {
    FunctionRunner::Set(this);
  }
  ~FailingRunner() override { FunctionRunner::Set(real_); }
  Status RunUnchanged(const GraphFunction& function,
                      std::span<const Tensor> inputs, TensorVector* outputs,
                      const CancellationToken* cancellation) override {
    if (++runs_ % 2 == 0) return error_;
    return PlanRunner::RunUnchanged(function, inputs, outputs, cancellation);
  }

 private:
  Status error_;
  FunctionRunner* real_;
  int runs_ = 0;
};

TEST_F(ExampleTest, LackOfMemoryProvesNothing) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {2});
  const auto f = b.Finish({b.Add("Neg", {x})});
  const auto same = [](RewriteGraph&) {};
  {
    FailingRunner runner(ResourceExhausted("OOM"));
    EXPECT_EQ(After(f, same), "OK");
  }
  FailingRunner runner(InvalidArgument("no"));
  Expect(After(f, same), "it fails: no");
}

TEST_F(ExampleTest, FindsWrongStringsAndTruths) {
  TestFunction b;
  const Output x = b.Arg(DataType::kString, {3});
  const Output y = b.Arg(DataType::kBool, {9});
  const Output z = b.Arg(DataType::kBool, {9});
  const Output w = b.Arg(DataType::kString, PartialTensorShape());
  const auto f =
      b.Finish({b.Add("Identity", {x}), b.Add("LogicalAnd", {y, z}), w});
  EXPECT_EQ(After(f, [](RewriteGraph&) {}), "OK");
  Expect(
      After(f, [](RewriteGraph& g) { SetOp(g, "LogicalAnd", "LogicalOr"); }),
      "result 1 ");
  Expect(After(f,
               [](RewriteGraph& g) {
                 At(g, "Identity")->set_input(0, {g.arguments[3], 0});
               }),
         "result 0 ");
}

// A read that comes too late, and a variable with another value at the end.
TEST_F(ExampleTest, FindsWrongEffects) {
  TestFunction b;
  const Output v = b.Arg(DataType::kResource, {});
  v.node->mutable_output(0).handle_data = {
      {DataType::kFloat, PartialTensorShape({3})}};
  const Output x = b.Arg(DataType::kFloat, {3});
  const Output read = b.Add("ReadVariableOp", {v}, kFloat);
  const Output add = b.Add("AssignAddVariableOp", {v, x}, kFloat, {read.node});
  const auto f = b.Finish({read}, {add.node});
  EXPECT_EQ(After(f, [](RewriteGraph&) {}), "OK");
  Expect(After(f,
               [](RewriteGraph& g) {
                 At(g, "AssignAddVariableOp")->ClearControlInputs();
                 At(g, "ReadVariableOp")
                     ->AddControlInput(At(g, "AssignAddVariableOp"));
               }),
         "result 0 ");
  Expect(After(f,
               [](RewriteGraph& g) {
                 SetOp(g, "AssignAddVariableOp", "AssignSubVariableOp");
               }),
         "variable 0 of those given has another value");
}

TEST_F(ExampleTest, FindsNewFailures) {
  TestFunction b;
  const Output x = b.Arg(DataType::kInt32, {3});
  const Output zero = b.Const(Tensor::Scalar<int32_t>(0));
  const auto f = b.Finish({b.Add("Mul", {x, zero})});
  Expect(After(f, [](RewriteGraph& g) { SetOp(g, "Mul", "FloorDiv"); }),
         "it fails: ");
  // What failed before and does not any more was not needed.
  EXPECT_EQ(After(b.Finish({b.Add("FloorDiv", {x, zero})}),
                  [](RewriteGraph& g) { SetOp(g, "FloorDiv", "Mul"); }),
            "OK");
}

TEST_F(ExampleTest, NaNsAreAlike) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {3});
  const Output nan =
      b.Add("Sub", {b.Add("Mul", {x, b.Const(Tensor::Scalar(1e38f * 1e5f))}),
                    b.Add("Mul", {x, b.Const(Tensor::Scalar(1e38f * 1e5f))})});
  const auto f = b.Finish({nan});
  EXPECT_EQ(After(f,
                  [](RewriteGraph& g) {
                    Node* sub = At(g, "Sub");
                    sub->set_op(ValueOrThrow(OpRegistry::Get().LookUp("Div")));
                  }),
            "OK");
}

TEST_F(ExampleTest, DoesNotRunWhatCannotBeRepeated) {
  const auto differs = [](const Ref<GraphFunction>& f) {
    return After(f, [](RewriteGraph& g) { SetOp(g, "Neg", "Exp"); });
  };
  {
    TestFunction b;
    const Output x = b.Arg(DataType::kFloat, {3});
    b.Add("PrintV2", {b.Const(Tensor::Scalar<std::string>("no"))});
    EXPECT_EQ(differs(b.Finish({b.Add("Neg", {x})})), "OK");
  }
  {
    TestFunction b;
    const Output x = b.Arg(DataType::kFloat, {1 << 10, 1 << 10});
    EXPECT_EQ(differs(b.Finish({b.Add("Neg", {x})})), "OK");
  }
  {
    TestFunction b;
    const Output x = b.Arg(DataType::kVariant, {});
    const Output y = b.Arg(DataType::kFloat, {});
    EXPECT_EQ(differs(b.Finish({x, b.Add("Neg", {y})})), "OK");
  }
  {
    TestFunction b;
    const Output shape = b.Const(Tensor::Vector<int32_t>(
        std::span<const int32_t>(std::vector<int32_t>{3})));
    const Output noise =
        b.Add("RandomUniform", {shape},
              {{"dtype", DataType::kFloat}, {"seed", int64_t{1}}});
    EXPECT_EQ(differs(b.Finish({b.Add("Neg", {noise})})), "OK");
  }
}

TEST_F(ExampleTest, StopsWhatDoesNotEnd) {
  TestFunction test("test"), step("step"), b;
  const Output i = test.Arg(DataType::kFloat, {});
  const FunctionAttr cond{
      "test",
      test.Finish({test.Add("Less", {i, test.Const(Tensor::Scalar(1e30f))})})};
  const Output j = step.Arg(DataType::kFloat, {});
  const FunctionAttr body{"step", step.Finish({step.Add("Sin", {j})})};
  const Output x = b.Arg(DataType::kFloat, {});
  const Output loop = b.Add("StatelessWhile", {x},
                            {{"T", std::vector<DataType>{DataType::kFloat}},
                             {"cond", cond},
                             {"body", body}});
  EXPECT_EQ(After(b.Finish({loop}), [](RewriteGraph&) {}), "OK");
}

// A pass may drop a loop only if it makes no turn.
TEST_F(ExampleTest, FindsDroppedLoops) {
  TestFunction test("test"), step("step"), b;
  const Output i = test.Arg(DataType::kInt32, {});
  const FunctionAttr cond{
      "test", test.Finish({test.Add(
                  "Less", {i, test.Const(Tensor::Scalar<int32_t>(5))})})};
  const Output j = step.Arg(DataType::kInt32, {});
  const FunctionAttr body{"step", step.Finish({step.Add("AddV2", {j, j})})};
  const Output loop =
      b.Add("StatelessWhile", {b.Const(Tensor::Scalar<int32_t>(1))},
            {{"T", std::vector<DataType>{DataType::kInt32}},
             {"cond", cond},
             {"body", body}});
  const auto function = b.Finish({loop});
  EXPECT_TRUE(RunsByExample(*loop.node));
  RewriteGraph f = RewriteGraph::CloneOf(*function);
  const PassCheck check("wrong", &f);
  f.results[0] = At(f, "StatelessWhile")->input(0);
  std::vector<bool> keep(f.graph->num_nodes(), true);
  keep[At(f, "StatelessWhile")->id()] = false;
  f.graph->RemoveNodes(keep);
  f.spliced.push_back({"StatelessWhile"});
  Expect(std::string(check.Verify(f).message()),
         "the loop is dropped and makes a turn");
}

// The same for what is too large, too deep, of the host or of other resources.
TEST_F(ExampleTest, DoesNotRunWhatIsTooLargeOrNotItsOwn) {
  const auto differs = [](const Ref<GraphFunction>& f) {
    return After(f, [](RewriteGraph& g) { SetOp(g, "Neg", "Exp"); });
  };
  const auto chain = [&](int n) {
    TestFunction b;
    Output x = b.Arg(DataType::kFloat, {3});
    for (int i = 0; i < n; ++i) x = b.Add("Sin", {x});
    return differs(b.Finish({b.Add("Neg", {x})}));
  };
  Expect(chain(5), "with other bits");
  EXPECT_EQ(chain(20000), "OK");
  const auto calls = [&](int depth) {
    TestFunction inner("inner");
    FunctionAttr f{
        "inner",
        inner.Finish({inner.Add("Sin", {inner.Arg(DataType::kFloat, {3})})})};
    for (int i = 1; i < depth; ++i) {
      TestFunction outer("outer");
      const Output x = outer.Arg(DataType::kFloat, {3});
      f = {"outer", outer.Finish({outer.Add(
                        "PartitionedCall", {x},
                        {{"Tout", std::vector{DataType::kFloat}}, {"f", f}})})};
    }
    TestFunction b;
    const Output x = b.Arg(DataType::kFloat, {3});
    const Output y = b.Add("PartitionedCall", {x},
                           {{"Tout", std::vector{DataType::kFloat}}, {"f", f}});
    return differs(b.Finish({b.Add("Neg", {y})}));
  };
  Expect(calls(2), "with other bits");
  EXPECT_EQ(calls(60), "OK");
  const auto sizes = [&](std::vector<PartialTensorShape> shapes) {
    TestFunction b;
    std::vector<Output> x;
    for (PartialTensorShape& s : shapes) {
      x.push_back(b.Arg(DataType::kFloat, std::move(s)));
    }
    return differs(b.Finish({b.Add("Neg", {x[0]})}));
  };
  Expect(sizes({{4}, {1 << 17}}), "with other bits");
  EXPECT_EQ(sizes({{4}, {1 << 19}}), "OK");
  EXPECT_EQ(sizes({{4}, {1 << 17}, {1 << 17}, {1 << 17}}), "OK");
  {
    TestFunction b;  // a variable that is nobody's argument
    const Output v = b.Add(
        "VarHandleOp", {},
        {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({3})}});
    const Output x = b.Arg(DataType::kFloat, {3});
    const Output read = b.Add("ReadVariableOp", {v}, kFloat);
    EXPECT_EQ(differs(b.Finish({read, b.Add("Neg", {x})})), "OK");
  }
  for (const bool known : {true, false}) {
    TestFunction b;  // a resource that may be anything
    const Output v = b.Arg(DataType::kResource, {});
    if (known) {
      v.node->mutable_output(0).handle_data = {
          {DataType::kFloat, PartialTensorShape({3})}};
    }
    const Output x = b.Arg(DataType::kFloat, {3});
    const std::string message = differs(b.Finish({v, b.Add("Neg", {x})}));
    EXPECT_EQ(message == "OK", !known) << message;
  }
  {
    TestFunction b;  // a function of the host language
    const Output x = b.Arg(DataType::kFloat, {3});
    const Output y = b.Add("Neg", {x});
    y.node->mutable_attrs().Set("token", std::string("pyfunc_0"));
    EXPECT_EQ(differs(b.Finish({y})), "OK");
  }
}

TEST_F(ExampleTest, FindsOtherShapesAndLostResults) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {-1});
  const Output minus_one = b.Arg(DataType::kInt32, {});
  const auto f = b.Finish({b.Add("Squeeze", {x}), minus_one});
  Expect(After(f,
               [](RewriteGraph& g) {
                 Node* squeeze = At(g, "Squeeze");
                 squeeze->set_op(
                     ValueOrThrow(OpRegistry::Get().LookUp("Reshape")));
                 const Output shape{
                     ValueOrThrow(g.graph->AddNode(
                         *ValueOrThrow(OpRegistry::Get().LookUp("Const")),
                         "shape", {},
                         {{"value", Tensor::Vector<int32_t>(
                                        std::vector<int32_t>{-1, 1})},
                          {"dtype", DataType::kInt32}})),
                     0};
                 squeeze->add_input(shape);
               }),
         "of shape [3,1] with other bits than float of shape [3]");
}

// What a branch leaves open may be anything after a pass, and what follows
// from it; what it gives may not.
TEST_F(ExampleTest, WhatIsLeftOpenMayChange) {
  const auto branch = [](bool first) {
    TestFunction g(first ? "yes" : "no");
    const Output x = g.Arg(DataType::kFloat, {3});
    const Output made = g.Add("Sin", {x});
    const Output open = g.Add(
        "FakeParam", {},
        {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({3})}});
    return FunctionAttr{"branch", g.Finish({made, first ? made : open})};
  };
  for (const bool cases : {false, true}) {
    TestFunction b;
    const Output x = b.Arg(DataType::kFloat, {3});
    const Output flag = b.Arg(DataType::kBool, {});
    AttrMap attrs{{"Tout", std::vector{DataType::kFloat, DataType::kFloat}}};
    if (cases) {
      attrs.Set("branches", std::vector{branch(true), branch(false)});
    } else {
      attrs.Set("then_branch", branch(true));
      attrs.Set("else_branch", branch(false));
    }
    const Output which = b.Add("Cast", {flag}, {{"DstT", DataType::kInt32}});
    const Output y = b.Add(cases ? "StatelessCase" : "StatelessIf",
                           {cases ? which : flag, x}, std::move(attrs));
    const auto f = b.Finish({b.Add("Neg", {y}), b.Add("Neg", {{y.node, 1}})});
    EXPECT_EQ(After(f, [](RewriteGraph& g) { SetOp(g, "Neg_1", "Exp"); }),
              "OK");
    Expect(After(f, [](RewriteGraph& g) { SetOp(g, "Neg", "Exp"); }),
           "result 0 ");
  }
}

TEST_F(ExampleTest, ListsAreNotCompared) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {3});
  const Output list =
      b.Add("EmptyTensorList",
            {b.Const(Tensor::Vector<int32_t>(std::vector<int32_t>{3})),
             b.Const(Tensor::Scalar<int32_t>(-1))},
            {{"element_dtype", DataType::kFloat}});
  const auto f =
      b.Finish({b.Add("TensorListPushBack", {list, b.Add("Neg", {x})},
                      {{"element_dtype", DataType::kFloat}}),
                b.Add("Sin", {x})});
  EXPECT_EQ(After(f, [](RewriteGraph& g) { SetOp(g, "Neg", "Exp"); }), "OK");
  Expect(After(f, [](RewriteGraph& g) { SetOp(g, "Sin", "Exp"); }),
         "result 1 ");
}

// A pass that makes an end come later is not this check's to judge.
TEST_F(ExampleTest, WhatTakesTooLongAfterAPassIsLeftOpen) {
  const auto loop = [](const char* op) {
    TestFunction test("test"), step("step"), b;
    const Output i = test.Arg(DataType::kFloat, {});
    const FunctionAttr cond{
        "test",
        test.Finish({test.Add(op, {i, test.Const(Tensor::Scalar(1e30f))})})};
    const Output j = step.Arg(DataType::kFloat, {});
    const FunctionAttr body{"step", step.Finish({step.Add("Sin", {j})})};
    const Output x = b.Arg(DataType::kFloat, {});
    return b.Finish({b.Add("StatelessWhile", {x},
                           {{"T", std::vector<DataType>{DataType::kFloat}},
                            {"cond", cond},
                            {"body", body}})});
  };
  const auto ends = loop("Greater"), goes_on = loop("Less");
  EXPECT_EQ(CompareByExample("Pass wrong", RewriteGraph::CloneOf(*ends),
                             RewriteGraph::CloneOf(*goes_on))
                .ToString(),
            "OK");
}

// Whether a loop goes on, as far as an example can tell.
TEST_F(ExampleTest, LoopsThatGoOn) {
  const auto runs = [](DataType dtype, auto make_cond, const Tensor& known) {
    TestFunction test("test"), step("step"), b;
    const Output i = test.Arg(dtype, {});
    const FunctionAttr cond{"test", test.Finish({make_cond(test, i)})};
    const FunctionAttr body{"step", step.Finish({step.Arg(dtype, {})})};
    const Output x = known ? b.Const(known) : b.Arg(dtype, {});
    const Output loop =
        b.Add("While", {x},
              {{"T", std::vector{dtype}}, {"cond", cond}, {"body", body}});
    return RunsByExample(*loop.node);
  };
  const DataType kF = DataType::kFloat, kI = DataType::kInt32;
  const auto is_positive = [](TestFunction& c, Output x) {
    return c.Add("Greater", {x, c.Const(Tensor::Scalar<int32_t>(0))});
  };
  EXPECT_TRUE(runs(kI, is_positive, Tensor::Scalar<int32_t>(3)));
  EXPECT_FALSE(runs(kI, is_positive, Tensor::Scalar<int32_t>(-3)));
  // Nothing can be said of what prints, fails or has no example.
  EXPECT_FALSE(runs(
      kI,
      [&](TestFunction& c, Output x) {
        c.Add("PrintV2", {c.Const(Tensor::Scalar<std::string>("no"))});
        return is_positive(c, x);
      },
      Tensor::Scalar<int32_t>(3)));
  EXPECT_FALSE(runs(
      kI,
      [&](TestFunction& c, Output x) {
        return c.Add("FloorDiv", {x, c.Const(Tensor::Scalar<int32_t>(0))});
      },
      Tensor::Scalar<int32_t>(3)));
  const auto yes = [](TestFunction& c, Output) {
    return c.Const(Tensor::Scalar(true));
  };
  EXPECT_TRUE(runs(kF, yes, Tensor()));
  EXPECT_FALSE(runs(DataType::kVariant, yes, Tensor()));
  TestFunction b;
  EXPECT_FALSE(RunsByExample(*b.Add("Neg", {b.Arg(kF, {})}).node));
}

}  // namespace
}  // namespace gk
