#include <gtest/gtest.h>

#include "eager/eager_context.h"
#include "eager/gradient_tape.h"
#include "framework/op_registry.h"
#include "framework/variable.h"
#include "function/concrete_function.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/AssignVariableOp.h"
#include "ops/fn/Mul.h"
#include "ops/fn/ReadVariableOp.h"
#include "runtime/executor.h"

namespace gk {
namespace {

Tensor F(float v) { return Tensor::Scalar<float>(v); }
Tensor Mul(const Tensor& a, const Tensor& b) {
  return ops::Mul(OpName("mul"), a, b);
}
Tensor Add(const Tensor& a, const Tensor& b) {
  return ops::AddV2(OpName("add"), a, b);
}
Tensor Read(const Tensor& handle) {
  return ops::ReadVariableOp(handle, DataType::kFloat);
}

using Body = std::function<TensorVector(std::span<const Tensor>)>;

Ref<ConcreteFunction> TraceOf(const char* name, int n, const Body& body) {
  auto graph = MakeRef<FuncGraph>(name);
  TensorVector arguments, results;
  for (int i = 0; i < n; ++i) {
    arguments.push_back(ValueOrThrow(graph->inputs().AddArgument(
        i == 0 ? "x" : "y", DataType::kFloat, TensorShape())));
  }
  FuncGraph::Building building(graph.get());
  results = body(arguments);
  return ValueOrThrow(ConcreteFunction::FromFuncGraph(*graph, results));
}

class FunctionTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    InitEager();
    InitRuntime();
  }
  static float Call1(const ConcreteFunction& f, const Tensor& x) {
    TensorVector out;
    const Status s = f.Call({&x, 1}, &out);
    EXPECT_TRUE(s.ok()) << s.ToString();
    return s.ok() ? out[0].scalar<float>() : -1;
  }
};

TEST_F(FunctionTest, NamesNodesAsTensorFlow) {
  Ref<ConcreteFunction> f = TraceOf("f", 1, [](auto x) -> TensorVector {
    Tensor two = ValueOrThrow(OpBuilder::Current()->Constant(F(2), "mul/y"));
    return {Add(Mul(x[0], two), x[0]), x[0]};
  });
  const Graph& g = f->function()->graph();
  std::vector<std::string> names;
  for (const auto& node : g.nodes()) names.push_back(node->name());
  EXPECT_EQ(names, (std::vector<std::string>{"x", "mul/y", "mul", "add",
                                             "Identity", "Identity_1"}));
  EXPECT_EQ(f->name().substr(0, 14), "__inference_f_");
  EXPECT_EQ(Call1(*f, F(3)), 9);
}

TEST_F(FunctionTest, UniqueNamesIgnoreCase) {
  auto g = MakeRef<Graph>();
  EXPECT_EQ(g->UniqueName("a"), "a");
  EXPECT_EQ(g->UniqueName("A"), "A_1");
  EXPECT_EQ(g->UniqueName("a_1"), "a_1_1");
  EXPECT_EQ(g->UniqueName("a"), "a_2");
}

TEST_F(FunctionTest, CapturesEagerTensorsOnce) {
  const Tensor c = F(5);
  Ref<ConcreteFunction> f = TraceOf(
      "f", 1, [&](auto x) -> TensorVector { return {Add(Mul(x[0], c), c)}; });
  ASSERT_EQ(f->captures().size(), 1u);
  EXPECT_TRUE(f->captures()[0].external.Is(c));
  EXPECT_EQ(f->captures()[0].placeholder->name(), "mul/y");
  EXPECT_EQ(Call1(*f, F(2)), 15);
}

TEST_F(FunctionTest, RefusesTensorsOfFinishedGraphs) {
  Tensor leaked;
  TraceOf("f", 1, [&](auto x) -> TensorVector {
    leaked = Mul(x[0], x[0]);
    return {};
  });
  try {
    TraceOf("g", 1,
            [&](auto x) -> TensorVector { return {Add(x[0], leaked)}; });
    FAIL() << "the tensor is out of scope";
  } catch (const Error& e) {
    EXPECT_EQ(e.status().code(), Code::kTypeError);
    EXPECT_NE(e.status().message().find("is out of scope and cannot be used"),
              std::string::npos);
  }
}

TEST_F(FunctionTest, ChecksArguments) {
  Ref<ConcreteFunction> f =
      TraceOf("f", 1, [](auto x) -> TensorVector { return {Mul(x[0], x[0])}; });
  const Tensor bad = Tensor::Scalar<int32_t>(1);
  TensorVector out;
  EXPECT_NE(f->Call({&bad, 1}, &out)
                .message()
                .find("was expected to be a float tensor but is a int32"),
            std::string::npos);
}

TEST_F(FunctionTest, OrdersReadsAndWritesOfAVariable) {
  Tensor v = NewVariableHandle("v", DataType::kFloat, TensorShape(), true);
  ASSERT_TRUE(ValueOrThrow(VariableOf(v))->Assign(F(1)).ok());
  Ref<ConcreteFunction> f = TraceOf("f", 1, [&](auto x) -> TensorVector {
    Tensor before = Read(v);
    ops::AssignVariableOp(v, x[0]);
    Tensor after = Read(v);
    return {before, after};
  });
  ASSERT_EQ(f->function()->control_outputs().size(), 1u);
  const Tensor x = F(7);
  TensorVector out;
  ASSERT_TRUE(f->Call({&x, 1}, &out).ok());
  EXPECT_EQ(out[0].scalar<float>(), 1);
  EXPECT_EQ(out[1].scalar<float>(), 7);
}

TEST_F(FunctionTest, DifferentiatesThroughNestedCallsTwice) {
  Ref<ConcreteFunction> cube = TraceOf("cube", 1, [](auto x) -> TensorVector {
    return {Mul(Mul(x[0], x[0]), x[0])};
  });
  Ref<ConcreteFunction> outer =
      TraceOf("outer", 1, [&](auto x) -> TensorVector {
        TensorVector y;
        ThrowIfError(cube->Call(x, &y));
        return {Add(y[0], x[0])};
      });
  const Tensor x = F(3);
  GradientTape first(false), second(false);
  second.Push();
  second.Watch(x);
  first.Push();
  first.Watch(x);
  TensorVector y;
  Status s = outer->Call({&x, 1}, &y);
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(y[0].scalar<float>(), 30);
  first.Pop();
  auto dy = first.ComputeGradient(y, {&x, 1}, {});
  ASSERT_TRUE(dy.ok()) << dy.status().ToString();
  EXPECT_EQ((*dy)[0].dense.scalar<float>(), 28);
  second.Pop();
  auto d2 = second.ComputeGradient({&(*dy)[0].dense, 1}, {&x, 1}, {});
  ASSERT_TRUE(d2.ok()) << d2.status().ToString();
  EXPECT_EQ((*d2)[0].dense.scalar<float>(), 18);
}

TEST_F(FunctionTest, GivesGradientsOfCapturedVariables) {
  Tensor v = NewVariableHandle("v", DataType::kFloat, TensorShape(), true);
  ASSERT_TRUE(ValueOrThrow(VariableOf(v))->Assign(F(4)).ok());
  Ref<ConcreteFunction> f = TraceOf(
      "f", 1, [&](auto x) -> TensorVector { return {Mul(Read(v), x[0])}; });
  GradientTape tape;
  tape.Push();
  const Tensor x = F(6);
  TensorVector y;
  ASSERT_TRUE(f->Call({&x, 1}, &y).ok());
  tape.Pop();
  auto dy = tape.ComputeGradient(y, {&v, 1}, {});
  ASSERT_TRUE(dy.ok()) << dy.status().ToString();
  EXPECT_EQ((*dy)[0].dense.scalar<float>(), 6);
}

TEST_F(FunctionTest, EvaluatesInitialValues) {
  auto graph = MakeRef<FuncGraph>("init");
  Tensor x = ValueOrThrow(
      graph->inputs().AddArgument("x", DataType::kFloat, TensorShape(), "x"));
  FuncGraph::Building building(graph.get());
  Tensor twice = Add(x, x);
  const Tensor value = F(2);
  auto got = EvaluateInGraph(*graph, {&twice, 1}, {&value, 1});
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  EXPECT_EQ((*got)[0].scalar<float>(), 4);
  EXPECT_EQ(EvaluateInGraph(*graph, {&twice, 1}, {}).status().code(),
            Code::kFailedPrecondition);
}

}  // namespace
}  // namespace gk
