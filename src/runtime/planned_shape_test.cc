#include "runtime/planned_shape.h"

#include <gtest/gtest.h>

#include <functional>

#include "framework/variable.h"
#include "graph/function_for_test.h"
#include "runtime/executor.h"

namespace gk {
namespace {


TEST(PlannedShape, SizesThatNoMachineHasStayDynamic) {
  const auto known = [](std::initializer_list<int64_t> dims, DataType t) {
    return PlannedShape(PartialTensorShape(dims), t).has_value();
  };
  constexpr int64_t k = 1;
  EXPECT_TRUE(known({}, kF));
  EXPECT_TRUE(known({0, 5}, kF));
  EXPECT_TRUE(known({k << 46}, kF));
  EXPECT_FALSE(known({(k << 46) + 1}, kF));
  EXPECT_TRUE(known({k << 48}, DataType::kBool));
  EXPECT_FALSE(known({(k << 48) + 1}, DataType::kBool));
  EXPECT_TRUE(known({k << 44}, DataType::kComplex128));
  EXPECT_FALSE(known({(k << 44) + 1}, DataType::kComplex128));
  EXPECT_FALSE(known({k << 62}, kF));
  EXPECT_FALSE(known({k << 31, k << 31}, kF));
  EXPECT_FALSE(known({k << 40, k << 40}, kF));
  EXPECT_FALSE(known({k << 40, k << 40, 0}, kF));
  EXPECT_FALSE(known({-1}, kF));
  EXPECT_FALSE(PlannedShape(PartialTensorShape(), kF).has_value());
  // Objects count as a byte.
  EXPECT_TRUE(known({k << 20}, DataType::kString));
  EXPECT_FALSE(known({k << 62}, DataType::kString));
}


Output IntsConst(TestFunction& b, std::vector<int32_t> v) {
  return b.Const(Tensor::Vector<int32_t>(v));
}

// x[i] of a matrix, with the masks that Python gives it.
Output RowOf(TestFunction& b, Output x, Output i) {
  return b.Add(
      "StridedSlice",
      {x, i, b.Add("AddV2", {i, IntsConst(b, {1})}), IntsConst(b, {1})},
      {{"shrink_axis_mask", int64_t{1}}});
}

// What makes a value, and what is said of it: after that it is read as if it
// were so.
using MakeLie = std::function<Output(TestFunction&, Output)>;

struct Lie {
  const char* name;
  MakeLie make;
};

const Lie kLies[] = {
    {"elementwise",
     [](TestFunction& b, Output x) { return b.Add("Neg", {x}); }},
    {"broadcast",
     [](TestFunction& b, Output x) {
       return b.Add("AddV2", {x, b.Const(Tensor::Scalar(1.0f))});
     }},
    {"kernel", [](TestFunction& b, Output x) { return b.Add("Softmax", {x}); }},
    {"view", [](TestFunction& b, Output x) { return b.Add("Identity", {x}); }},
    {"view of the arena",
     [](TestFunction& b, Output x) {
       return b.Add("Identity", {b.Add("Softmax", {x})});
     }},
    {"row",
     [](TestFunction& b, Output x) { return RowOf(b, x, IntsConst(b, {0})); }},
    {"row of the arena",
     [](TestFunction& b, Output x) {
       return RowOf(b, b.Add("Softmax", {x}), IntsConst(b, {1}));
     }},
    {"stack of one",
     [](TestFunction& b, Output x) { return b.Add("Pack", {x}); }},
    {"reshape",
     [](TestFunction& b, Output x) {
       return b.Add("Reshape", {x, IntsConst(b, {-1})});
     }},
    {"constant",
     [](TestFunction& b, Output x) {
       return b.Const(Ramp({2, 3}));
     }},
};

using Use = std::function<Output(TestFunction&, Output)>;
const Use kUses[] = {
    [](TestFunction& b, Output y) { return b.Add("Tanh", {y}); },
    [](TestFunction& b, Output y) {
      return b.Add("Softmax", {b.Add("Mul", {y, y})});
    },
    [](TestFunction& b, Output y) { return y; },
};

TEST(PlannedShape, LiesAreErrorsOfTheUser) {
  InitRuntime();
  constexpr int64_t k = 1;
  for (const Lie& lie : kLies) {
    for (const PartialTensorShape& declared :
         {PartialTensorShape({5000, 3}), PartialTensorShape({100000}),
          PartialTensorShape({1, 1}), PartialTensorShape({k << 40}),
          PartialTensorShape({k << 62}), PartialTensorShape({k << 31, k << 31}),
          PartialTensorShape({(k << 62) + 1})}) {
      for (const Use& use : kUses) {
        SCOPED_TRACE(
            Format("{} declared {}", lie.name, declared.DebugString()));
        TestFunction b;
        const Output x = b.Arg(kF, TensorShape{2, 3});
        const Output y = lie.make(b, x);
        const PartialTensorShape truth = y.node->output(y.index).shape;
        y.node->mutable_output(y.index).shape = declared;
        const Output z = use(b, y);
        const auto f = b.Finish({z});
        // As it stands: passes would find out about some.
        const StatusOr<Ref<Plan>> plan = Plan::Make(RewriteGraph::CloneOf(*f));
        TensorVector out;
        const Status s =
            plan.ok() ? RunPlan(**plan, TensorVector{Ramp({2, 3})}, &out, {})
                      : plan.status();
        if (s.ok()) {
          // Nothing relied on it.
          EXPECT_TRUE(truth.IsCompatibleWith(out[0].shape()))
              << out[0].DebugString();
        } else {
          EXPECT_EQ(s.code(), Code::kInvalidArgument) << s.ToString();
          EXPECT_NE(s.message().find("declared"), std::string::npos)
              << s.ToString();
        }
      }
    }
  }
}

TEST(PlannedShape, LiesNameNodeAndShapes) {
  TestFunction b;
  const Output x = b.Arg(kF, {-1});
  const Output y = b.Add("Softmax", {x});
  y.node->mutable_output(0).shape = PartialTensorShape({5000});
  const auto f = b.Finish({b.Add("Neg", {y})});
  InitRuntime();
  TensorVector out;
  const Status s = RunFunction(*f, TensorVector{Ramp(TensorShape{3})}, &out);
  EXPECT_EQ(s.code(), Code::kInvalidArgument);
  for (const char* part :
       {"Output 0 of op Softmax", "shape [3]", "[5000]", "{{node Softmax}}"}) {
    EXPECT_NE(s.message().find(part), std::string::npos) << s.ToString();
  }
}

// What branches and loops are said to give.
TEST(PlannedShape, LiesAboutBranches) {
  InitRuntime();
  TestFunction branch("branch");
  const Output a = branch.Arg(kF, {-1});
  const auto g = branch.Finish({branch.Add("Neg", {a})});
  constexpr int64_t k = 1;
  for (int64_t n : {int64_t{2}, int64_t{5000}, k << 40, k << 62}) {
    TestFunction b;
    const Output x = b.Arg(kF, {-1});
    const Output y =
        b.Add("StatelessIf", {b.Const(Tensor::Scalar(true)), x},
              {{"Tout", std::vector<DataType>{kF}},
               {"then_branch", FunctionAttr{"branch", g, nullptr}},
               {"else_branch", FunctionAttr{"branch", g, nullptr}}});
    y.node->mutable_output(0).shape = PartialTensorShape({n});
    const auto f = b.Finish({b.Add("Tanh", {y})});
    TensorVector out;
    for (bool lowered : {true, false}) {
      SetControlFlowLowering(lowered);
      const StatusOr<Ref<Plan>> plan = Plan::Make(RewriteGraph::CloneOf(*f));
      const Status s =
          RunPlan(**plan, TensorVector{Ramp(TensorShape{3})}, &out, nullptr);
      SetControlFlowLowering(true);
      if (s.ok()) {
        EXPECT_EQ(out[0].shape(), TensorShape{3});
      } else {
        EXPECT_EQ(s.code(), Code::kInvalidArgument) << s.ToString();
      }
    }
  }
}

// Control flow over scalars is byte code, whatever is said of what it gives.
TEST(PlannedShape, LiesAboutScalars) {
  InitRuntime();
  TestFunction branch("branch");
  const Output a = branch.Arg(kF, TensorShape());
  const auto g = branch.Finish({branch.Add("Neg", {a})});
  for (int64_t n : {int64_t{1}, int64_t{5000}, int64_t{1} << 40}) {
    TestFunction b;
    const Output x = b.Arg(kF, TensorShape()),
                 c = b.Arg(DataType::kBool, TensorShape());
    const Output y =
        b.Add("StatelessIf", {c, x},
              {{"Tout", std::vector<DataType>{kF}},
               {"then_branch", FunctionAttr{"branch", g, nullptr}},
               {"else_branch", FunctionAttr{"branch", g, nullptr}}});
    y.node->mutable_output(0).shape = PartialTensorShape({n});
    const auto f = b.Finish({b.Add("Tanh", {y})});
    const Ref<Plan> plan = ValueOrThrow(Plan::Make(RewriteGraph::CloneOf(*f)));
    TensorVector out;
    const Status s =
        RunPlan(*plan, TensorVector{Tensor::Scalar(2.0f), Tensor::Scalar(true)},
                &out, nullptr);
    EXPECT_EQ(s.code(), Code::kInvalidArgument) << s.ToString();
  }
}

// A variable whose value is smaller than what is said of it.
TEST(PlannedShape, LiesAboutVariables) {
  InitRuntime();
  for (const char* op : {"AssignVariableOp", "AssignAddVariableOp"}) {
    for (bool reads : {false, true}) {
      const Tensor handle =
          NewVariableHandle("v", kF, PartialTensorShape(), true);
      auto* variable = handle.scalar<ResourceHandle>().As<VariableResource>();
      ThrowIfError(variable->Assign(Ramp(TensorShape{20}, 0, 1)));
      TestFunction b;
      const Output v = b.Arg(DataType::kResource, TensorShape());
      v.node->mutable_output(0).handle_data = {{kF, TensorShape{5000}}};
      const Output x = b.Arg(kF, TensorShape{5000});
      Output value = b.Add("Mul", {x, x});
      std::vector<Node*> before;
      if (reads) {
        const Output old = b.Add("ReadVariableOp", {v}, {{"dtype", kF}});
        value = b.Add("AddV2", {value, old});
        before = {old.node};
      }
      const Output write = b.Add(op, {v, value}, {}, before);
      const auto f = b.Finish({}, {write.node});
      TensorVector out;
      const Status s = RunFunction(
          *f, TensorVector{handle, Ramp(TensorShape{5000}, 0, 1)}, &out);
      const Tensor now = ValueOrThrow(variable->Read());
      if (s.ok()) {
        EXPECT_EQ(now.shape(), TensorShape{5000});
        EXPECT_EQ(now.data<float>()[4999], 4999.0f * 4999.0f);
      } else {
        EXPECT_EQ(s.code(), Code::kInvalidArgument) << s.ToString();
        EXPECT_EQ(now.shape(), TensorShape{20});
      }
    }
  }
}

// True and very large: refused where the value is made, after what comes
// before it.
TEST(PlannedShape, ValuesTooLargeForMemory) {
  InitRuntime();
  constexpr int64_t k = 1;
  for (int64_t rows : {k << 38, k << 44, k << 60}) {
    TestFunction b;
    const Output x = b.Arg(kF, TensorShape{3});
    const std::vector<int64_t> dims{rows, 3};
    const Output big =
        b.Add("BroadcastTo", {x, b.Const(Tensor::Vector<int64_t>(dims))});
    const auto f = b.Finish({b.Add("Tanh", {b.Add("Neg", {big})})});
    TensorVector out;
    const Status s = RunFunction(*f, TensorVector{Ramp(TensorShape{3})}, &out);
    EXPECT_TRUE(s.code() == Code::kResourceExhausted ||
                s.code() == Code::kInvalidArgument)
        << s.ToString();
  }
}

}  // namespace
}  // namespace gk
