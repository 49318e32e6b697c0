// BranchBuilder and WhileBuilder: what comes out, how parts and nodes are
// called, and what they refuse.
#include <gtest/gtest.h>

#include "eager/eager_context.h"
#include "framework/op_registry.h"
#include "function/branch_builder.h"
#include "function/concrete_function.h"
#include "function/while_builder.h"
#include "ops/composition.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Less.h"
#include "ops/fn/Mul.h"
#include "runtime/executor.h"

namespace gk {
namespace {

Tensor IntScalar(int32_t v) { return Tensor::Scalar<int32_t>(v); }

class NodeBuildersTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    InitEager();
    InitRuntime();
  }
  // A function of an int32 scalar.
  static Ref<ConcreteFunction> Trace(
      const std::function<Tensor(const Tensor&)>& body) {
    auto graph = MakeRef<FuncGraph>("f");
    const Tensor x = ValueOrThrow(
        graph->inputs().AddArgument("x", DataType::kInt32, TensorShape()));
    FuncGraph::Building building(graph.get());
    const Tensor result = body(x);
    return ValueOrThrow(
        ConcreteFunction::FromFuncGraph(*graph, TensorVector{result}));
  }
  static int32_t Call(const ConcreteFunction& f, int32_t x) {
    const Tensor argument = IntScalar(x);
    TensorVector out;
    const Status s = f.Call({&argument, 1}, &out);
    EXPECT_TRUE(s.ok()) << s.ToString();
    return s.ok() ? out[0].scalar<int32_t>() : -1;
  }
  template <class F>
  static std::string ErrorOf(F&& f) {
    try {
      f();
    } catch (const Error& e) {
      return e.status().ToString();
    }
    return "";
  }
};

TEST_F(NodeBuildersTest, ACaseOfBranches) {
  std::vector<std::string> parts;
  Ref<ConcreteFunction> f = Trace([&](const Tensor& x) {
    BranchBuilder builder(BranchKind::kCase, "");
    EXPECT_EQ(builder.scope(), "switch_case/indexed_case/");
    std::vector<TensorVector> results;
    for (const char* suffix : {"branch0", "branch1"}) {
      FuncGraph* part = builder.Add(suffix);
      parts.push_back(part->name());
      PartScope inside(part, builder.scope());
      results.push_back(
          {MakeOp1(results.empty() ? "AddV2" : "Mul", {x, Int32Of(10)})});
    }
    return builder.Finish(x, results)[0];
  });
  EXPECT_EQ(parts,
            (std::vector<std::string>{"switch_case_indexed_case_branch0",
                                      "switch_case_indexed_case_branch1"}));
  EXPECT_EQ(Call(*f, 0), 10);
  EXPECT_EQ(Call(*f, 1), 10);
  EXPECT_EQ(Call(*f, 7), 70);
}

TEST_F(NodeBuildersTest, BranchesThatDiffer) {
  Trace([&](const Tensor& x) {
    BranchBuilder builder(BranchKind::kIf, "");
    builder.Add("true");
    builder.Add("false");
    const Tensor yes = ops::Less(x, Int32Of(1));
    EXPECT_NE(ErrorOf([&] {
                builder.Finish(yes, std::vector<TensorVector>{{x}, {yes}});
              }).find("branches return"),
              std::string::npos);
    EXPECT_NE(ErrorOf([&] {
                builder.Finish(yes, std::vector<TensorVector>{{x}});
              }).find("2 branches"),
              std::string::npos);
    return x;
  });
}

TEST_F(NodeBuildersTest, ALoopWithALateVariable) {
  Ref<ConcreteFunction> f = Trace([](const Tensor& x) {
    WhileBuilder loop("", x);
    loop.Carry({Int32Of(0)}, {TensorShape()});
    {
      PartScope inside(loop.Begin(WhileBuilder::kBody), loop.scope());
      const Tensor late = loop.AddLate(DataType::kInt32, TensorShape());
      const Tensor sum = loop.variables(WhileBuilder::kBody)[0];
      loop.EndBody(
          TensorVector{ops::AddV2(sum, late), ops::Mul(late, Int32Of(2))});
    }
    loop.StartLate(TensorVector{Int32Of(3)});
    {
      PartScope inside(loop.Begin(WhileBuilder::kCondition), loop.scope());
      EXPECT_EQ(loop.variables(WhileBuilder::kCondition).size(), 2u);
      loop.EndCondition(
          ops::Less(loop.variables(WhileBuilder::kCondition)[0], Int32Of(100)));
    }
    return loop.Finish(10)[1];
  });
  // 3 + 6 + 12 + ..., as many as x says and until it is 100.
  EXPECT_EQ(Call(*f, 0), 0);
  EXPECT_EQ(Call(*f, 3), 21);
  EXPECT_EQ(Call(*f, 50), 189);
}

TEST_F(NodeBuildersTest, PartsOfALoopOutOfOrder) {
  Trace([](const Tensor& x) {
    WhileBuilder loop("", {});
    const auto add_late = [&] {
      loop.AddLate(DataType::kInt32, TensorShape());
    };
    EXPECT_NE(ErrorOf(add_late), "");
    EXPECT_NE(ErrorOf([&] { loop.variables(WhileBuilder::kBody); }), "");
    EXPECT_NE(ErrorOf([&] { loop.counter(WhileBuilder::kCondition); }), "");
    EXPECT_NE(ErrorOf([&] { loop.EndCondition(x); }), "");
    EXPECT_NE(ErrorOf([&] { loop.Finish(10); }), "");
    loop.Carry({x}, {TensorShape()});
    loop.Begin(WhileBuilder::kBody);
    EXPECT_NE(ErrorOf([&] { loop.Begin(WhileBuilder::kBody); }), "");
    EXPECT_NE(ErrorOf([&] { loop.Carry({x}, {TensorShape()}); }), "");
    EXPECT_NE(ErrorOf([&] { loop.EndBody({}); }), "");
    loop.Begin(WhileBuilder::kCondition);
    // Both parts take it.
    EXPECT_EQ(ErrorOf(add_late), "");
    EXPECT_EQ(loop.variables(WhileBuilder::kCondition).size(), 2u);
    EXPECT_EQ(loop.variables(WhileBuilder::kBody).size(), 2u);
    EXPECT_NE(ErrorOf([&] { loop.StartLate(TensorVector{x, x}); }), "");
    return x;
  });
}

}  // namespace
}  // namespace gk
