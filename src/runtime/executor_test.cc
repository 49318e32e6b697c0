#include "runtime/executor.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <new>
#include <thread>

#include "base/checks.h"
#include "framework/variable.h"
#include "graph/function_for_test.h"
#include "runtime/compiled_function.h"
#include "runtime/error_origin.h"
#include "runtime/interrupts_for_test.h"

namespace gk {
namespace {

Tensor Floats(std::vector<float> v, TensorShape shape) {
  return Tensor::OfValues<float>(v, shape);
}
TensorVector RunOk(const GraphFunction& f, TensorVector in) {
  InitRuntime();
  TensorVector out;
  const Status s = RunFunction(f, in, &out);
  EXPECT_TRUE(s.ok()) << s.ToString();
  return out;
}

TEST(Executor, ScalarChain) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {});
  Output y = b.Add("Mul", {x, x});
  y = b.Add("AddV2", {y, b.Const(Tensor::Scalar(2.0f))});
  y = b.Add("Neg", {y});
  const auto f = b.Finish({y});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(FloatsOf(RunOk(*f, {Tensor::Scalar(float(i))})[0])[0],
              -(float(i) * i + 2));
  }
}

TEST(Executor, BroadcastClusterMatchesScalars) {
  // Full, row, column, scalar and a middle dimension, over many tiles.
  const TensorShape full{7, 33, 50};
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, full);
  const Output row = b.Arg(DataType::kFloat, TensorShape{50});
  const Output column = b.Arg(DataType::kFloat, TensorShape{7, 33, 1});
  const Output middle = b.Arg(DataType::kFloat, TensorShape{33, 1});
  const Output scalar = b.Arg(DataType::kFloat, TensorShape{});
  Output y = b.Add("Mul", {x, row});
  y = b.Add("AddV2", {column, y});
  const Output kept = b.Add("Sub", {y, middle});
  y = b.Add("Mul", {kept, scalar});
  const auto f = b.Finish({y, kept});
  const TensorVector in = {Ramp(full), Ramp({50}, 1), Ramp({7, 33, 1}, 2),
                           Ramp({33, 1}, 3), Tensor::Scalar(-1.5f)};
  const TensorVector out = RunOk(*f, in);
  for (int i = 0; i < 7; ++i) {
    for (int j = 0; j < 33; ++j) {
      for (int k = 0; k < 50; ++k) {
        const int at = (i * 33 + j) * 50 + k;
        const float want = (in[2].data<float>()[i * 33 + j] +
                            in[0].data<float>()[at] * in[1].data<float>()[k]) -
                           in[3].data<float>()[j];
        ASSERT_EQ(out[1].data<float>()[at], want) << i << " " << j << " " << k;
        ASSERT_EQ(out[0].data<float>()[at], want * -1.5f);
      }
    }
  }
}

TEST(Executor, ResultsOwnTheirMemoryAndIdentity) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, TensorShape{32});
  const Output c = b.Const(Ramp({32}));
  const Output y = b.Add("AddV2", {x, c});
  const Output view = b.Add("Identity", {y});
  const auto f = b.Finish({view, y, x, c, view});
  const Tensor in = Ramp({32}, 5);
  const TensorVector first = RunOk(*f, {in});
  const std::vector<float> before = FloatsOf(first[0]);
  const TensorVector second = RunOk(*f, {Ramp({32}, 100)});
  EXPECT_EQ(FloatsOf(first[0]), before);
  EXPECT_EQ(FloatsOf(first[1]), before);
  EXPECT_NE(FloatsOf(second[0]), before);
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_FALSE(first[i].Is(in));
    EXPECT_FALSE(first[i].Is(second[i]));
    for (size_t j = 0; j < i; ++j) EXPECT_FALSE(first[i].Is(first[j]));
  }
}

TEST(Executor, UnknownShapesRunAndSpecialise) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {-1, 4});
  const Output y = b.Arg(DataType::kFloat, PartialTensorShape());
  const auto f = b.Finish({b.Add("Neg", {b.Add("Mul", {x, y})})});
  for (int round = 0; round < 3; ++round) {
    for (int n : {1, 2, 3, 700}) {
      const TensorVector out = RunOk(*f, {Ramp({n, 4}), Tensor::Scalar(2.0f)});
      ASSERT_EQ(out[0].shape(), TensorShape({n, 4}));
      EXPECT_EQ(out[0].data<float>()[4 * n - 1], -(4 * n - 1) * 0.25f * 2);
    }
    TensorVector out;
    const Status s =
        RunFunction(*f, TensorVector{Ramp({2, 4}), Ramp({3})}, &out);
    EXPECT_EQ(s.code(), Code::kInvalidArgument);
    EXPECT_NE(s.message().find("[[{{node Mul}}]]"), std::string::npos)
        << s.message();
    EXPECT_EQ(LastErrorOrigin().node, "Mul");
  }
}

TEST(Executor, ChecksArguments) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {-1, 4});
  const auto f = b.Finish({b.Add("Neg", {x})});
  TensorVector out;
  const auto code = [&](TensorVector in) {
    return RunFunction(*f, in, &out).code();
  };
  EXPECT_EQ(code({}), Code::kInvalidArgument);
  EXPECT_EQ(code({Tensor::Scalar(1.0f)}), Code::kInvalidArgument);
  EXPECT_EQ(code({Ramp({2, 3})}), Code::kInvalidArgument);
  EXPECT_EQ(code({*Tensor::Zeros(DataType::kInt32, {2, 4})}),
            Code::kInvalidArgument);
  EXPECT_EQ(code({Ramp({2, 4})}), Code::kOk);
}

TEST(Executor, CancelledRunLeavesNothingBehind) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, TensorShape{64});
  const auto f = b.Finish({b.Add("Neg", {x})});
  CancellationToken token;
  token.Cancel();
  TensorVector out;
  Tensor in = Ramp({64});
  EXPECT_EQ(RunFunction(*f, {&in, 1}, &out, &token).code(), Code::kCancelled);
  EXPECT_TRUE(in.IsExclusive());
  RunOk(*f, {in});
  EXPECT_TRUE(in.IsExclusive());
}

// A function holds no argument back, whether it reads it, returns it or
// neither.
TEST(Executor, ArgumentsAreLetGo) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, TensorShape{64}),
               y = b.Arg(DataType::kFloat, TensorShape{64});
  b.Arg(DataType::kFloat, TensorShape{64});
  const auto f = b.Finish({b.Add("Neg", {x}), y});
  const TensorVector in{Ramp({64}), Ramp({64}), Ramp({64})};
  RunOk(*f, in);
  for (const Tensor& t : in) EXPECT_TRUE(t.IsExclusive());
}

// What a function captures stays with its frames: a call counts no reference
// to it, changes it never, and it goes with the function.
TEST(Executor, CapturesStayInFrames) {
  const Tensor captured = Ramp({4}), other = Ramp({4}, 1);
  {
    TestFunction b;
    const Output x = b.Arg(DataType::kFloat, {-1}),
                 c = b.Arg(DataType::kFloat, TensorShape{4});
    const auto f = b.Finish({b.Add("AddV2", {x, b.Add("Neg", {c})}), c});
    const auto run = [&](const Tensor& capture) {
      TensorVector out;
      const TensorVector in{Ramp({4}), capture};
      ThrowIfError(RunFunction(*f, in, &out, nullptr, 1));
      EXPECT_TRUE(in[0].IsExclusive());
      EXPECT_EQ(FloatsOf(out[1]), FloatsOf(capture));
      return FloatsOf(out[0]);
    };
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(run(captured), std::vector<float>(4, 0.0f));
    }
    EXPECT_GT(captured.impl()->RefCount(), 1);
    EXPECT_EQ(run(other), std::vector<float>(4, -1.0f));
    EXPECT_EQ(run(captured), std::vector<float>(4, 0.0f));
  }
  EXPECT_TRUE(captured.IsExclusive());
  EXPECT_TRUE(other.IsExclusive());
}

TEST(Executor, EmptyTensors) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, TensorShape{0, 4});
  const Output row = b.Arg(DataType::kFloat, TensorShape{4});
  const auto f = b.Finish({b.Add("Neg", {b.Add("AddV2", {x, row})})});
  EXPECT_EQ(RunOk(*f, {Ramp({0, 4}), Ramp({4})})[0].shape(),
            TensorShape({0, 4}));
}

TEST(Executor, ManyThreadsOnePlan) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {-1});
  Output y = x;
  for (int i = 0; i < 20; ++i) {
    y = b.Add("AddV2", {b.Add("Mul", {y, x}), b.Const(Tensor::Scalar(1.0f))});
  }
  const auto f = b.Finish({y});
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 200; ++round) {
        const int n = 1 + (t + round) % 5;
        TensorVector out;
        const Tensor in = Floats(std::vector<float>(n, 0.5f), {n});
        const Status s = RunFunction(*f, {&in, 1}, &out);
        ASSERT_TRUE(s.ok()) << s.ToString();
        float want = 0.5f;
        for (int i = 0; i < 20; ++i) want = want * 0.5f + 1.0f;
        for (float v : FloatsOf(out[0])) wrong += v != want;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

// An intermediate value that a variable keeps must not be planned into memory
// that the next run uses again.
TEST(Executor, AssignedValuesSurviveLaterRuns) {
  const TensorShape shape{40};
  const Tensor handle = NewVariableHandle("v", DataType::kFloat, shape, true);
  TestFunction b;
  const Output v = b.Arg(DataType::kResource, TensorShape());
  v.node->mutable_output(0).handle_data = {{DataType::kFloat, shape}};
  const Output x = b.Arg(DataType::kFloat, shape);
  Output y = b.Add("AddV2", {x, x});
  const Output view = b.Add("Identity", {y});
  const Output assign = b.Add("AssignVariableOp", {v, view});
  const Output read = b.Add("ReadVariableOp", {v},
                            {{"dtype", DataType::kFloat}}, {assign.node});
  const Output add =
      b.Add("AssignAddVariableOp", {v, b.Add("Neg", {y})}, {}, {read.node});
  const auto f = b.Finish({read, b.Add("Mul", {y, y})}, {add.node});
  auto* variable = handle.scalar<ResourceHandle>().As<VariableResource>();
  const TensorVector first = RunOk(*f, {handle, Ramp(shape)});
  EXPECT_EQ(first[0].data<float>()[39], 2 * 39 * 0.25f);
  const Tensor after = ValueOrThrow(variable->Read());
  EXPECT_EQ(after.data<float>()[39], 0);
  for (int i = 1; i < 4; ++i) RunOk(*f, {handle, Ramp(shape, i)});
  EXPECT_EQ(first[0].data<float>()[39], 2 * 39 * 0.25f);
  EXPECT_EQ(first[1].data<float>()[39], 4 * 39 * 39 * 0.0625f);
  EXPECT_EQ(after.data<float>()[39], 0);
}

TEST(Executor, CallsAreInlinedAndKeepTheOrderOfEffects) {
  const Tensor handle =
      NewVariableHandle("v", DataType::kFloat, TensorShape(), true);
  const auto variable_arg = [](TestFunction& b) {
    const Output v = b.Arg(DataType::kResource, TensorShape());
    v.node->mutable_output(0).handle_data = {{DataType::kFloat, TensorShape()}};
    return v;
  };
  TestFunction inner("inner");
  const Output iv = variable_arg(inner);
  const Output ix = inner.Arg(DataType::kFloat, TensorShape());
  const Output assign =
      inner.Add("AssignVariableOp", {iv, inner.Add("Neg", {ix})});
  const auto g = inner.Finish({inner.Add("Mul", {ix, ix})}, {assign.node});

  TestFunction b("outer");
  const Output v = variable_arg(b);
  const Output x = b.Arg(DataType::kFloat, TensorShape());
  const AttrMap attrs = {
      {"f", FunctionAttr{"inner", g, nullptr}},
      {"Tin", std::vector<DataType>{DataType::kResource, DataType::kFloat}},
      {"Tout", std::vector<DataType>{DataType::kFloat}}};
  const Output first = b.Add("StatefulPartitionedCall", {v, x}, attrs);
  const Output second =
      b.Add("StatefulPartitionedCall", {v, first}, attrs, {first.node});
  const Output read = b.Add("ReadVariableOp", {v},
                            {{"dtype", DataType::kFloat}}, {second.node});
  const auto f = b.Finish({read, second}, {second.node});
  const TensorVector out = RunOk(*f, {handle, Tensor::Scalar(3.0f)});
  EXPECT_EQ(out[0].scalar<float>(), -9);
  EXPECT_EQ(out[1].scalar<float>(), 81);
  const StatusOr<CompiledFunction*> compiled = CompiledFunction::Of(*f);
  EXPECT_EQ(
      (**(*compiled)->DeclaredPlan()).DebugString().find("kernel Stateful"),
      std::string::npos);
}

TEST(Executor, ViewsOfArenaSlotsCostNothing) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, TensorShape{4, 8});
  const Output w = b.Arg(DataType::kFloat, TensorShape{8, 4});
  const Output p = b.Add("MatMul", {x, w});
  const Output view = b.Add("Identity", {p}, {}, {p.node});
  const auto f = b.Finish({b.Add("MatMul", {view, p})});
  const std::string text =
      (**(*CompiledFunction::Of(*f))->DeclaredPlan()).DebugString();
  EXPECT_EQ(text.find("Identity"), std::string::npos) << text;
  const Tensor in = Ramp({4, 8}), weights = Ramp({8, 4});
  const TensorVector out = RunOk(*f, {in, weights});
  std::vector<float> product(16), want(16);
  for (int i = 0; i < 16; ++i) {
    for (int k = 0; k < 8; ++k) {
      product[i] += in.data<float>()[i / 4 * 8 + k] *
                    weights.data<float>()[k * 4 + i % 4];
    }
  }
  for (int i = 0; i < 16; ++i) {
    for (int k = 0; k < 4; ++k) {
      want[i] += product[i / 4 * 4 + k] * product[k * 4 + i % 4];
    }
    EXPECT_NEAR(out[0].data<float>()[i], want[i], want[i] * 1e-5f);
  }
}

// Elementwise results take the place of operands that die there, and only
// of those.
TEST(Executor, NeighbouringStepsRunInOneLoop) {
  const TensorShape shape{3, 100};
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, shape);
  const Output row = b.Arg(DataType::kFloat, TensorShape{100});
  const Output product = b.Add("Mul", {x, row});
  const Output sum = b.Add("AddV2", {row, product});
  const Output tanh = b.Add("Tanh", {sum});         // of the three: one loop
  const Output twice = b.Add("Mul", {tanh, tanh});  // read twice: another
  const auto f = b.Finish({b.Add("Sub", {x, twice}), tanh});
  const Plan& plan = **(*CompiledFunction::Of(*f))->DeclaredPlan();
  ASSERT_EQ(plan.clusters.size(), 1u) << plan.DebugString();
  EXPECT_EQ(plan.clusters[0].nodes().size(), 5u);
  EXPECT_EQ(plan.clusters[0].steps().size(), 2u);
  const Tensor u = Ramp(shape, -40), v = Ramp({100}, -12);
  const TensorVector out = RunOk(*f, {u, v});
  for (int i = 0; i < 300; ++i) {
    const float at = v.data<float>()[i % 100];
    const float want = std::tanh(at + u.data<float>()[i] * at);
    EXPECT_NEAR(out[1].data<float>()[i], want, 1e-6f);
    const float got = out[1].data<float>()[i];
    EXPECT_EQ(out[0].data<float>()[i], u.data<float>()[i] - got * got);
  }
}

TEST(Executor, ElementwiseResultsInPlace) {
  const TensorShape shape{70, 70};
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, shape);
  const Output p = b.Add("MatMul", {x, x}), q = b.Add("MatMul", {p, x});
  const Output relu = b.Add("Relu", {p});        // p dies
  const Output sum = b.Add("AddV2", {relu, q});  // one cluster with relu
  const Output r = b.Add("MatMul", {sum, relu});
  const Output less = b.Add("Sub", {sum, r});   // sum dies, r as well
  const Output late = b.Add("Mul", {less, r});  // r is read again
  const Output kept = b.Add("MatMul", {late, less});
  const auto f = b.Finish({b.Add("Neg", {kept})});
  const Plan& plan = **(*CompiledFunction::Of(*f))->DeclaredPlan();
  int in_place = 0;
  for (const Instruction& now : plan.instructions) {
    for (int k = 0; k < now.num_inputs; ++k) {
      const SlotInfo& from = plan.slots[plan.inputs[now.first_input + k]];
      for (int o = 0; o < now.num_outputs; ++o) {
        const SlotInfo& to = plan.slots[now.first_output + o];
        in_place += from.home == Home::kArena && to.home == Home::kArena &&
                    from.offset == to.offset;
      }
    }
  }
  EXPECT_GE(in_place, 2) << plan.DebugString();
  const Tensor in = Ramp(shape, -600);
  const std::vector<float> got = FloatsOf(RunOk(*f, {in})[0]);
  // The same op by op.
  const auto op = [&](std::string_view name, const Tensor& u, const Tensor& v) {
    TestFunction one;
    std::vector<Output> args = {one.Arg(DataType::kFloat, shape)};
    if (v) args.push_back(one.Arg(DataType::kFloat, shape));
    const auto g = one.Finish({one.Add(name, args)});
    return RunOk(*g, v ? TensorVector{u, v} : TensorVector{u})[0];
  };
  const Tensor tp = op("MatMul", in, in), tq = op("MatMul", tp, in);
  const Tensor trelu = op("Relu", tp, Tensor()), tsum = op("AddV2", trelu, tq);
  const Tensor tr = op("MatMul", tsum, trelu), tless = op("Sub", tsum, tr);
  const Tensor tkept = op("MatMul", op("Mul", tless, tr), tless);
  EXPECT_EQ(got, FloatsOf(op("Neg", tkept, Tensor())));
}

// Softmax of softmax of x: as many instructions, none of them fused.
Ref<Plan> LongPlan(int n) {
  InitRuntime();
  TestFunction b("long");
  Output y = b.Arg(DataType::kFloat, TensorShape{8});
  for (int i = 0; i < n; ++i) y = b.Add("Softmax", {y});
  return ValueOrThrow(Plan::Make(RewriteGraph::CloneOf(*b.Finish({y}))));
}

// Kernels that do something else than theirs, as functions have no state.
CancellationToken* stopped_by_kernel = nullptr;
int runs_of_kernel = 0;

Status StopOthers(KernelContext& c) {
  stopped_by_kernel->Cancel();
  c.set_output(0, c.input(0));
  return OkStatus();
}
Status CountRuns(KernelContext& c) {
  ++runs_of_kernel;
  c.set_output(0, c.input(0));
  return OkStatus();
}

TEST(Executor, LongPlansEndWhenTheyAreCancelled) {
  for (const bool checked : {false, true}) {
    const ChecksScope checks(checked);
    const Ref<Plan> plan = LongPlan(200);
    const ComputeFn usual = plan->instructions[3].compute;
    const Tensor in = Ramp({8});
    CancellationToken token;
    stopped_by_kernel = &token;
    runs_of_kernel = 0;
    plan->instructions[3].compute = StopOthers;
    plan->instructions[199].compute = CountRuns;
    TensorVector out;
    const Status s = RunPlan(*plan, {&in, 1}, &out, &token);
    EXPECT_EQ(s.code(), Code::kCancelled) << s.ToString();
    EXPECT_EQ(runs_of_kernel, 0) << "it went on to its end";
    // The next run finds nothing of this one.
    plan->instructions[3].compute = plan->instructions[199].compute = usual;
    ASSERT_EQ(RunPlan(*plan, {&in, 1}, &out, nullptr).ToString(), "OK");
    EXPECT_NEAR(out[0].data<float>()[0], 0.125f, 1e-4f);
  }
}

// The host language may end what takes long, as after Ctrl-C.
TEST(Executor, LongPlansAreInterrupted) {
  const Ref<Plan> plan = LongPlan(200);
  const Tensor in = Ramp({8});
  runs_of_kernel = 0;
  plan->instructions[199].compute = CountRuns;
  const InterruptsForTest interrupts(
      [] { return Status(Code::kCancelled, "enough"); });
  TensorVector out;
  Status s;
  // Nobody is asked more often than every few dozen milliseconds.
  for (int i = 0; i < 2000 && s.ok(); ++i) {
    s = RunPlan(*plan, {&in, 1}, &out, nullptr);
    if (s.ok()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(s.message(), "enough");
}

// A kernel that gets no memory is an error of its run, and of that run alone.
TEST(Executor, KernelsThatThrow) {
  for (const bool checked : {false, true}) {
    const ChecksScope checks(checked);
    const Ref<Plan> plan = LongPlan(5);
    const ComputeFn usual = plan->instructions[2].compute;
    const Tensor in = Ramp({8});
    const auto run = [&](ComputeFn compute) {
      plan->instructions[2].compute = compute;
      TensorVector out;
      return RunPlan(*plan, {&in, 1}, &out, nullptr);
    };
    EXPECT_EQ(run(usual).ToString(), "OK");
    const Status memory =
        run([](KernelContext&) -> Status { throw std::bad_alloc(); });
    EXPECT_EQ(memory.code(), Code::kResourceExhausted) << memory.ToString();
    EXPECT_NE(memory.message().find("no more memory in Softmax"),
              std::string::npos)
        << memory.message();
    EXPECT_EQ(LastErrorOrigin().node, "Softmax_2");
    const Status error = run([](KernelContext&) -> Status {
      throw Error(InvalidArgument("thrown"));
    });
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    const std::string begin =
        "thrown\n\t [[{{node Softmax_2}}]]\n\tArguments of Softmax: logits: "
        "float32 [8] = [";
    EXPECT_EQ(error.message().substr(0, begin.size()), begin);
    EXPECT_EQ(run(usual).ToString(), "OK");
  }
}

}  // namespace
}  // namespace gk
