// What kinds of instructions a plan has, and that they do what the ops do.

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "framework/logical_device.h"
#include "framework/variable.h"
#include "graph/function_for_test.h"
#include "runtime/executor.h"
#include "runtime/frame.h"

namespace gk {
namespace {


Output Ints(TestFunction& b, std::vector<int32_t> v) {
  return b.Const(Tensor::Vector<int32_t>(v));
}

// As it stands, without passes.
StatusOr<Ref<Plan>> TryMake(const GraphFunction& f) {
  InitRuntime();
  return Plan::Make(RewriteGraph::CloneOf(f));
}
Ref<Plan> Make(const GraphFunction& f) { return ValueOrThrow(TryMake(f)); }

StatusOr<TensorVector> RunWith(const Plan& plan, TensorVector in) {
  TensorVector out;
  GK_RETURN_IF_ERROR(RunPlan(plan, in, &out, nullptr));
  return out;
}
Tensor RunOne(const Plan& plan, TensorVector in) {
  // Twice: the second run has the frame of the first.
  ValueOrThrow(RunWith(plan, in));
  return ValueOrThrow(RunWith(plan, in))[0];
}

Output Row(TestFunction& b, Output x, Output i) {
  return b.Add("StridedSlice",
               {x, i, b.Add("AddV2", {i, Ints(b, {1})}), Ints(b, {1})},
               {{"shrink_axis_mask", int64_t{1}}});
}

TEST(PlanBuilder, RowsAreOneCopy) {
  TestFunction b;
  const Output x = b.Arg(kF, TensorShape{4, 3}), i = b.Arg(kI, TensorShape{1});
  const Output row = Row(b, x, i);
  const auto f = b.Finish({b.Add("Neg", {row}), row});
  const Ref<Plan> plan = Make(*f);
  EXPECT_NE(plan->DebugString().find("tile StridedSlice"), std::string::npos)
      << plan->DebugString();
  const auto at = [](int32_t k) {
    return Tensor::Vector<int32_t>(std::vector<int32_t>{k});
  };
  const Tensor matrix = Ramp({4, 3});
  for (int32_t k : {0, 3, -1, -4}) {
    const StatusOr<TensorVector> out = RunWith(*plan, {matrix, at(k)});
    ASSERT_TRUE(out.ok()) << out.status().ToString();
    for (int c = 0; c < 3; ++c) {
      EXPECT_EQ((*out)[1].data<float>()[c],
                matrix.data<float>()[(k + 4) % 4 * 3 + c]);
    }
  }
  for (int32_t k : {4, -5}) {
    const Status s = RunWith(*plan, {matrix, at(k)}).status();
    EXPECT_EQ(s.code(), Code::kInvalidArgument) << s.ToString();
    EXPECT_NE(s.message().find("{{node StridedSlice}}"), std::string::npos);
  }
}

// A row is written while its index is read: it needs more than that place.
template <class T>
void ExpectRowOfComputedIndex(int64_t n) {
  TestFunction b;
  const Output x = b.Arg(kF, TensorShape{4, n}),
               i = b.Arg(kTypeOf<T>, TensorShape{1});
  const Output one = b.Const(Tensor::Vector<T>(std::vector<T>{1}));
  const Output at = b.Add("Neg", {i});
  const Output row = b.Add("StridedSlice",
                           {x, at, b.Add("AddV2", {at, one}), one},
                           {{"shrink_axis_mask", int64_t{1}}});
  const auto f = b.Finish({b.Add("Softmax", {b.Add("Neg", {row})}),
                           b.Add("MatMul", {x, x}, {{"transpose_b", true}})});
  const Ref<Plan> plan = Make(*f);
  EXPECT_NE(plan->DebugString().find("tile StridedSlice"), std::string::npos)
      << plan->DebugString();
  const Tensor matrix = Ramp({4, n});
  const auto softmax = RunOne(
      *plan, {matrix, Tensor::Vector<T>(std::vector<T>{-2})});
  TestFunction g;
  const Output y = g.Arg(kF, TensorShape{n});
  const Ref<Plan> same =
      Make(*g.Finish({g.Add("Softmax", {g.Add("Neg", {y})})}));
  std::vector<float> values(matrix.data<float>() + 2 * n,
                            matrix.data<float>() + 3 * n);
  EXPECT_EQ(FloatsOf(softmax),
            FloatsOf(RunOne(*same, {Tensor::OfValues<float>(values, {n})})));
}

TEST(PlanBuilder, RowsOfComputedIndices) {
  ExpectRowOfComputedIndex<int32_t>(1);
  ExpectRowOfComputedIndex<int32_t>(40);
  ExpectRowOfComputedIndex<int64_t>(2);
  ExpectRowOfComputedIndex<int64_t>(40);
}

// What looks like the access to a row and is none.
TEST(PlanBuilder, OtherSlicesAreKernels) {
  const auto tile = [](std::vector<int32_t> begin, AttrMap attrs,
                       std::vector<int32_t> strides,
                       PartialTensorShape shape = TensorShape{4, 3}) {
    TestFunction b;
    const Output x = b.Arg(kF, std::move(shape)),
                 i = b.Arg(kI, TensorShape{int64_t(begin.size())});
    const Output ones = Ints(b, std::vector<int32_t>(begin.size(), 1));
    const auto f = b.Finish({b.Add(
        "StridedSlice", {x, i, b.Add("AddV2", {i, ones}), Ints(b, strides)},
        std::move(attrs))});
    const Ref<Plan> plan = Make(*f);
    const Status s =
        RunWith(*plan, {Ramp({4, 3}), Tensor::Vector<int32_t>(begin)}).status();
    EXPECT_TRUE(s.ok()) << s.ToString();
    return plan->DebugString().find("tile StridedSlice") != std::string::npos;
  };
  const AttrMap shrink{{"shrink_axis_mask", int64_t{1}}};
  EXPECT_TRUE(tile({1}, shrink, {1}));
  EXPECT_FALSE(tile({1}, {}, {1})) << "keeps the dimension";
  EXPECT_FALSE(tile({1, 2}, {{"shrink_axis_mask", int64_t{3}}}, {1, 1}));
  EXPECT_FALSE(tile({1, 0}, shrink, {1, 1}));
  EXPECT_FALSE(tile({1}, shrink, {1}, {-1, 3})) << "unknown length";
  AttrMap from_start = shrink;
  from_start.Set("begin_mask", int64_t{1});
  EXPECT_FALSE(tile({0}, from_start, {1}));
}

TEST(PlanBuilder, ViewsOfConstantsAreConstants) {
  TestFunction b;
  const Output x = b.Arg(kF, TensorShape{2, 3});
  const Output c =
      b.Add("Reshape", {b.Const(Ramp(TensorShape{6})), Ints(b, {2, 3})});
  const auto f =
      b.Finish({b.Add("MatMul", {x, c}, {{"transpose_b", true}}), c});
  const Ref<Plan> plan = Make(*f);
  EXPECT_EQ(plan->DebugString().find("Reshape"), std::string::npos);
  const StatusOr<TensorVector> out = RunWith(*plan, {Ramp({2, 3})});
  ASSERT_TRUE(out.ok()) << out.status().ToString();
  EXPECT_EQ((*out)[1].shape(), TensorShape({2, 3}));
  EXPECT_EQ((*out)[0].data<float>()[0], 5 * 0.0625f);
}

// A view keeps what it is a view of where it is, whoever reads that last.
TEST(PlanBuilder, ViewsOutliveOtherNamesOfTheirPlace) {
  const TensorShape shape{5, 5};
  const auto make = [&](bool view) {
    TestFunction b;
    const Output x = b.Arg(kF, shape);
    const Output p = b.Add("MatMul", {x, x});
    const Output v = view ? b.Add("Reshape", {p, Ints(b, {5, 5})}) : p;
    const Output q = b.Add("MatMul", {x, p});
    const Output r = b.Add("MatMul", {b.Add("MatMul", {q, x}), x});
    return Make(*b.Finish({b.Add("Softmax", {b.Add("MatMul", {r, v})})}));
  };
  const Ref<Plan> plan = make(true);
  EXPECT_EQ(plan->DebugString().find("Reshape"), std::string::npos);
  EXPECT_EQ(FloatsOf(RunOne(*plan, {Ramp(shape, -3)})),
            FloatsOf(RunOne(*make(false), {Ramp(shape, -3)})));
}

// A cluster may read one place under two names, one of them after it wrote.
TEST(PlanBuilder, PlacesUnderTwoNamesAreReadUnderBoth) {
  const TensorShape flat{40, 60}, deep{1, 40, 60};
  const auto make = [&](bool view) {
    TestFunction b;
    const Output x = b.Arg(kF, flat), w = b.Arg(kF, TensorShape{60, 60}),
                 q = b.Arg(kF, deep);
    const Output p = b.Add("MatMul", {x, w});
    const Output v = view ? b.Add("Reshape", {p, Ints(b, {1, 40, 60})}) : p;
    const Output sum = b.Add("AddV2", {p, q});
    const Output product = b.Add("Mul", {b.Add("Tanh", {sum}), v});
    return Make(*b.Finish(
        {b.Add("Softmax", {sum}), b.Add("Softmax", {product})}));
  };
  const Ref<Plan> plan = make(true);
  ASSERT_EQ(plan->clusters.size(), 1u) << plan->DebugString();
  ASSERT_EQ(plan->clusters[0].num_inputs(), 3) << plan->DebugString();
  const TensorVector in{Ramp(flat, -300), Ramp({60, 60}, -450),
                        Ramp(deep, -300)};
  const auto got = ValueOrThrow(RunWith(*plan, in));
  const auto want = ValueOrThrow(RunWith(*make(false), in));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(FloatsOf(got[i]), FloatsOf(want[i]));
}

// What is returned under another shape is made where it may stay.
TEST(PlanBuilder, ReturnedViewsAreTheRunsOwn) {
  TestFunction b;
  const Output x = b.Arg(kF, TensorShape{4, 4});
  const Output p = b.Add("MatMul", {x, x});
  const auto f = b.Finish({b.Add("Reshape", {p, Ints(b, {16})})});
  const Ref<Plan> plan = Make(*f);
  const Instruction& product = plan->instructions[0];
  EXPECT_EQ(plan->slots[product.first_output].home, Home::kOwn)
      << plan->DebugString();
  EXPECT_EQ(RunOne(*plan, {Ramp({4, 4})}).shape(), TensorShape({16}));
}

// Small views of what lies anywhere are copied; large ones are views.
TEST(PlanBuilder, ViewsOfArguments) {
  for (int64_t n : {0, 2, 100}) {
    TestFunction b;
    const Output x = b.Arg(kF, TensorShape{n});
    const Output view = b.Add("Reshape", {x, Ints(b, {int32_t(n), 1})});
    const auto f = b.Finish({b.Add("Softmax", {view})});
    const Ref<Plan> plan = Make(*f);
    const bool copies =
        plan->DebugString().find("tile Reshape") != std::string::npos;
    EXPECT_EQ(copies, n == 2) << plan->DebugString();
    EXPECT_EQ(RunOne(*plan, {Ramp(TensorShape{n})}).shape(),
              TensorShape({n, 1}));
  }
}

// A shape that only a running program knows is no reason to do without it.
TEST(PlanBuilder, ShapesThatAreComputed) {
  TestFunction b;
  const Output x = b.Arg(kF, TensorShape{6}), shape = b.Arg(kI, TensorShape{2});
  const Output y = b.Add("Reshape", {b.Add("Softmax", {x}), shape});
  y.node->mutable_output(0).shape = PartialTensorShape({2, 3});
  const auto f = b.Finish({b.Add("Neg", {y})});
  const Ref<Plan> plan = Make(*f);
  const auto with = [&](std::vector<int32_t> v) {
    return RunWith(*plan, {Ramp(TensorShape{6}), Tensor::Vector<int32_t>(v)});
  };
  EXPECT_TRUE(with({2, 3}).ok());
  EXPECT_EQ(with({3, 2}).status().code(), Code::kInvalidArgument);
}

TEST(PlanBuilder, WhatNobodyFeeds) {
  TestFunction b;
  const Output x = b.Add("Placeholder", {},
                         {{"dtype", kF}, {"shape", PartialTensorShape()}});
  const auto f = b.Finish({b.Add("Neg", {x})});
  const Status s = RunWith(*Make(*f), {}).status();
  EXPECT_EQ(s.code(), Code::kInvalidArgument) << s.ToString();
  EXPECT_NE(s.message().find("You must feed a value"), std::string::npos);
}

TEST(PlanBuilder, NodesThatOnlyOrderOthers) {
  TestFunction b;
  const Output x = b.Arg(kF, TensorShape{8});
  const Output y = b.Add("Softmax", {x});
  const Output nothing = b.Add("NoOp", {}, {}, {y.node});
  const Output z = b.Add("Neg", {x}, {}, {nothing.node});
  const auto f = b.Finish({z}, {nothing.node});
  const Ref<Plan> plan = Make(*f);
  EXPECT_EQ(plan->DebugString().find("NoOp"), std::string::npos);
  EXPECT_EQ(RunOne(*plan, {Ramp(TensorShape{8})}).data<float>()[4], -1);
}

TEST(PlanBuilder, ClustersOfManyOperands) {
  constexpr int kOperands = 40;
  const TensorShape shape{100, 60};
  TestFunction b;
  std::vector<Output> x;
  for (int i = 0; i < kOperands; ++i) x.push_back(b.Arg(kF, shape));
  Output sum = b.Add("AddV2", {x[0], x[1]});
  for (int i = 2; i < kOperands; ++i) sum = b.Add("AddV2", {sum, x[i]});
  const auto f = b.Finish({sum});
  const Ref<Plan> plan = Make(*f);
  ASSERT_EQ(plan->instructions.size(), 1u) << plan->DebugString();
  TensorVector in;
  for (int i = 0; i < kOperands; ++i) in.push_back(Ramp(shape, i));
  const Tensor out = RunOne(*plan, in);
  EXPECT_EQ(out.data<float>()[0], kOperands * (kOperands - 1) / 2);
  EXPECT_EQ(out.data<float>()[4], kOperands * (kOperands - 1) / 2 + kOperands);
}

TEST(PlanBuilder, LongChainsAreSeveralClusters) {
  const TensorShape shape{3000};
  TestFunction b;
  const Output x = b.Arg(kF, shape);
  Output y = x;
  for (int i = 0; i < 1200; ++i)
    y = b.Add(i % 2 ? "Neg" : "AddV2",
              i % 2 ? std::vector{y} : std::vector{y, x});
  const auto f = b.Finish({y});
  const Ref<Plan> plan = Make(*f);
  EXPECT_GE(plan->clusters.size(), 3u);
  // y = -(y + x) twice is y: the chain of 600 gives x.
  EXPECT_EQ(FloatsOf(RunOne(*plan, {Ramp(shape)})), FloatsOf(Ramp(shape)));
}

TEST(PlanBuilder, ElementsThatFail) {
  for (int64_t n : {1, 10, 10000}) {
    TestFunction b;
    const Output x = b.Arg(kI, TensorShape{n}), y = b.Arg(kI, TensorShape{n});
    const auto f = b.Finish({b.Add("FloorDiv", {x, y})});
    const Ref<Plan> plan = Make(*f);
    const Tensor ones =
        Tensor::OfValues<int32_t>(std::vector<int32_t>(n, 1), TensorShape{n});
    const Tensor zeros = ValueOrThrow(Tensor::Zeros(kI, TensorShape{n}));
    EXPECT_TRUE(RunWith(*plan, {ones, ones}).ok());
    const Status s = RunWith(*plan, {ones, zeros}).status();
    EXPECT_EQ(s.code(), Code::kInvalidArgument);
    EXPECT_NE(s.message().find("[[{{node FloorDiv}}]]"), std::string::npos)
        << s.ToString();
    EXPECT_TRUE(RunWith(*plan, {zeros, ones}).ok());
  }
}

FunctionAttr Branch(const std::string& name, const std::string& op,
                    const TensorShape& shape) {
  TestFunction b(name);
  const Output x = b.Arg(kF, shape);
  return {name, b.Finish({b.Add(op, {x})}), nullptr};
}

TEST(PlanBuilder, CasesTakeTheLastBranchOutOfRange) {
  const TensorShape shape{3, 3};
  const std::vector<FunctionAttr> branches{Branch("a", "Neg", shape),
                                           Branch("b", "Softmax", shape),
                                           Branch("c", "Square", shape)};
  for (const char* op : {"Case", "StatelessCase"}) {
    TestFunction b;
    const Output k = b.Arg(kI, TensorShape()), x = b.Arg(kF, shape);
    const Output y =
        b.Add(op, {k, x},
              {{"Tout", std::vector<DataType>{kF}}, {"branches", branches}});
    const auto f = b.Finish({b.Add("AddV2", {y, x})});
    const Ref<Plan> plan = Make(*f);
    const Tensor in = Ramp(shape, 1);
    for (int32_t i : {-1, 0, 1, 2, 3, 1 << 30}) {
      const Tensor out = RunOne(*plan, {Tensor::Scalar<int32_t>(i), in});
      const float v = in.data<float>()[5];
      if (i == 0) {
        EXPECT_EQ(out.data<float>()[5], 0);
      }
      if (i < 0 || i > 1) {
        EXPECT_EQ(out.data<float>()[5], v * v + v);
      }
    }
  }
}

TEST(PlanBuilder, BranchesWhoseResultsAreOthers) {
  const TensorShape shape{3, 3};
  TestFunction two("two");
  const Output a = two.Arg(kF, shape);
  const auto g = two.Finish({two.Add("Neg", {a}), a});
  const FunctionAttr callee{"two", g, nullptr};
  TestFunction b;
  const Output c = b.Arg(DataType::kBool, TensorShape()), x = b.Arg(kF, shape);
  Output y;
  try {
    y = b.Add("StatelessIf", {c, x},
              {{"Tout", std::vector<DataType>{kF}},
               {"then_branch", callee},
               {"else_branch", callee}});
  } catch (const Error& e) {
    EXPECT_EQ(e.status().code(), Code::kInvalidArgument);
    return;
  }
  const auto f = b.Finish({b.Add("Softmax", {y})});
  const Status s =
      RunWith(*Make(*f), {Tensor::Scalar(true), Ramp(shape)}).status();
  EXPECT_EQ(s.code(), Code::kInvalidArgument) << s.ToString();
}

// Kernels that do not do as they should.
TEST(PlanBuilder, KernelsAreHeldToThePlan) {
  const TensorShape shape{5, 5};
  TestFunction b;
  const Output x = b.Arg(kF, shape);
  const Output p = b.Add("MatMul", {x, x});
  const auto f = b.Finish({b.Add("Softmax", {p})});
  const auto with = [&](int pc, ComputeFn compute) {
    const Ref<Plan> plan = Make(*f);
    plan->instructions[pc].compute = compute;
    return RunWith(*plan, {Ramp(shape)});
  };
  EXPECT_EQ(with(1, [](KernelContext&) { return OkStatus(); }).status().code(),
            Code::kInternal);
  const Status type = with(1, [](KernelContext& c) {
                        c.set_output(0, Tensor::Scalar<int32_t>(1));
                        return OkStatus();
                      }).status();
  EXPECT_EQ(type.code(), Code::kInvalidArgument);
  EXPECT_NE(type.message().find("of type int32"), std::string::npos);
  // A result that is an operand of the arena is copied out of it.
  const StatusOr<TensorVector> out = with(1, [](KernelContext& c) {
    c.set_output(0, c.input(0));
    return OkStatus();
  });
  ASSERT_TRUE(out.ok()) << out.status().ToString();
  EXPECT_GT((*out)[0].data<float>()[24], 0);
  // And one that should be there is put there.
  const StatusOr<TensorVector> moved = with(0, [](KernelContext& c) {
    StatusOr<Tensor> t = Tensor::Zeros(kF, c.input(0).shape());
    c.set_output(0, *t);
    return OkStatus();
  });
  ASSERT_TRUE(moved.ok()) << moved.status().ToString();
  EXPECT_EQ((*moved)[0].data<float>()[3], 0.2f);
}

TEST(PlanBuilder, RandomNumbersGoOnInTheirStream) {
  TestFunction b;
  const Output x = b.Arg(kF, TensorShape{2});
  const Output r = b.Add("RandomUniform", {Ints(b, {2})},
                         {{"dtype", kF}, {"seed", int64_t{3}}});
  const auto f = b.Finish({b.Add("AddV2", {x, r})});
  const Ref<Plan> plan = Make(*f), again = Make(*f);
  const TensorVector in{*Tensor::Zeros(kF, TensorShape{2})};
  std::vector<std::vector<float>> drawn;
  for (int i = 0; i < 3; ++i) {
    drawn.push_back(FloatsOf(ValueOrThrow(RunWith(*plan, in))[0]));
    EXPECT_EQ(FloatsOf(ValueOrThrow(RunWith(*again, in))[0]), drawn.back());
  }
  EXPECT_NE(drawn[0], drawn[1]);
  EXPECT_NE(drawn[1], drawn[2]);
}

// The arena grows at its end where what is free there is too small.
TEST(PlanBuilder, ArenaGrows) {
  TestFunction b;
  const Output x = b.Arg(kF, TensorShape{4, 4});
  Output y = b.Add("MatMul", {x, x});
  for (int i = 0; i < 5; ++i) {
    y = b.Add("ConcatV2", {y, y, b.Const(Tensor::Scalar<int32_t>(0))},
              {{"N", int64_t{2}}});
    y = b.Add("Softmax", {y});
  }
  const auto f = b.Finish({b.Add("Softmax", {y})});
  const Ref<Plan> plan = Make(*f);
  const Tensor out = RunOne(*plan, {Ramp({4, 4})});
  EXPECT_EQ(out.shape(), TensorShape({128, 4}));
  EXPECT_NEAR(std::accumulate(out.data<float>(), out.data<float>() + 4, 0.0f),
              1, 1e-5f);
}

TEST(PlanBuilder, TooManyBytesForAnyArena) {
  TestFunction b;
  const Output x = b.Arg(kF, TensorShape{1 << 17, 1 << 17});
  const Output y = b.Add("Softmax", {x});
  const auto f = b.Finish({b.Add("Softmax", {b.Add("Softmax", {y})})});
  const Ref<Plan> plan = Make(*f);  // 2^36 bytes each: not placed ahead
  for (const SlotInfo& slot : plan->slots) {
    if (slot.home != Home::kArena) continue;
    EXPECT_LE(slot.num_bytes(), int64_t{1} << 36);
  }
}

// Where every node is to run is logged when its plan is made, if asked for.
TEST(PlanBuilder, PlacementIsLogged) {
  TestFunction b;
  const Output x = b.Arg(kF, TensorShape{4});
  const auto f = b.Finish({b.Add("Exp", {b.Add("Neg", {x})})});
  const auto log = [&](bool on) {
    SetLogsPlacement(on);
    testing::internal::CaptureStdout();
    Make(*f);
    std::fflush(stdout);
    SetLogsPlacement(false);
    return testing::internal::GetCapturedStdout();
  };
  EXPECT_EQ(log(false), "");
  const std::string text = log(true);
  for (const char* line :
       {"Placeholder: (Placeholder): /job:localhost/replica:0/task:0/device:"
        "CPU:0\n",
        "Neg: (Neg): /job:", "Exp: (Exp): /job:"}) {
    EXPECT_NE(text.find(line), std::string::npos) << text;
  }
}

// Plans and passes rely on it; what must be fed has one that says so.
TEST(PlanBuilder, EveryOpHasAKernel) {
  InitRuntime();
  for (const OpRecord* op : OpRegistry::Get().all()) {
    EXPECT_NE(op->kernel.compute, nullptr) << op->name;
  }
}

}  // namespace
}  // namespace gk
