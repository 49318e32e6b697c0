// What is written where: clusters, the arena, constants and variables.
#include "runtime/plan_checker.h"

#include <cmath>
#include <functional>

#include "framework/variable.h"
#include "runtime/plan_checker_for_test.h"

namespace gk {
namespace {

// Relu, scale, a sum with a row: one cluster, written over the product.
Ref<GraphFunction> Fused() {
  const TensorShape shape{70, 70};
  TestFunction b("fused");
  const Output x = b.Arg(kF, shape), row = b.Arg(kF, TensorShape{70});
  const Output p = b.Add("MatMul", {x, x});
  const Output scaled = b.Add("Mul", {b.Add("AddV2", {p, row}), row});
  const Output sum = b.Add("Sub", {scaled, p});
  return b.Finish({b.Add("MatMul", {sum, x})});
}

TEST_F(PlanCheckerTest, ClustersGiveWhatTheirStepsGive) {
  const Ref<GraphFunction> f = Fused();
  const TensorVector in{Ramp({70, 70}, -300), Ramp({70}, -4)};
  const Ref<Plan> plan = Make(*f);
  EXPECT_EQ(Run(*plan, in).ToString(), "OK");
  ASSERT_EQ(plan->clusters.size(), 1u) << plan->DebugString();
  ASSERT_EQ(plan->plain_clusters.size(), 1u);
  EXPECT_GT(plan->plain_clusters[0].steps().size(),
            plan->clusters[0].steps().size());
  // Another computation in the cluster's place.
  TestFunction other("fused");
  const Output x = other.Arg(kF, TensorShape{70, 70}),
               row = other.Arg(kF, TensorShape{70});
  const Output p = other.Add("MatMul", {x, x});
  const Output scaled = other.Add("Mul", {other.Add("Sub", {p, row}), row});
  const auto g =
      other.Finish({other.Add("MatMul", {other.Add("Sub", {scaled, p}), x})});
  const Ref<Plan> wrong = Make(*f);
  wrong->clusters = Make(*g)->clusters;
  ExpectBroken(Run(*wrong, in), "fusion", "AddV2");
}

// A row that is spread over a matrix must not be written over.
TEST_F(PlanCheckerTest, ClustersWriteOverWhatTheyHaveRead) {
  const TensorShape shape{40, 60};
  TestFunction b;
  const Output x = b.Arg(kF, shape), w = b.Arg(kF, TensorShape{60, 60});
  const Output p = b.Add("MatMul", {x, w}), q = b.Add("MatMul", {p, w});
  // p is read after q + p was written.
  const Output sum = b.Add("AddV2", {q, p});
  const Output both = b.Add("Mul", {b.Add("Tanh", {sum}), p});
  const auto f =
      b.Finish({b.Add("MatMul", {sum, w}), b.Add("MatMul", {both, w})});
  const TensorVector in{Ramp(shape, -1), Ramp({60, 60}, -1)};
  EXPECT_EQ(Run(*Make(*f), in).ToString(), "OK");
  const auto make = [&] {
    Ref<Plan> plan = Make(*f);
    for (Instruction& now : plan->instructions) {
      if (now.kind != Instruction::Kind::kCluster) continue;
      plan->slots[now.first_output].offset =
          plan->slots[ResultOf(*plan, "MatMul")].offset;
      plan->slots[now.first_output + 1].offset =
          plan->slots[ResultOf(*plan, "MatMul_1")].offset;
    }
    return plan;
  };
  ExpectBroken(Run(*make(), in), "place", "AddV2");
  ExpectBroken(Run(*Unproven(make()), in), "fusion", "AddV2");
}

TEST_F(PlanCheckerTest, NothingIsWrittenBesidesAValue) {
  TestFunction b;
  const TensorShape shape{50};
  const Output x = b.Arg(kF, shape);
  const Output y = b.Add("Softmax", {b.Add("Neg", {x})});
  const auto f = b.Finish({b.Add("Softmax", {b.Add("Neg", {y})})});
  const TensorVector in{Ramp(TensorShape{80})};
  for (const char* node : {"Neg", "Neg_1"}) {
    const Ref<Plan> plan = Make(*f);
    Instruction& now = plan->instructions[Find(*plan, node)];
    ASSERT_EQ(now.kind, Instruction::Kind::kTile) << plan->DebugString();
    now.num_elements += 2;
    // Arguments that are long enough to be read so far.
    plan->slots[plan->arguments[0]].is_static = false;
    const Status s = Run(*plan, in);
    EXPECT_EQ(s.code(), Code::kInternal);
    EXPECT_NE(s.ToString().find("breaks the rule"), std::string::npos)
        << s.ToString();
  }
}

TEST_F(PlanCheckerTest, NobodyHoldsOnToTheArena) {
  const Ref<Plan> plan = Make(*Products());
  auto frame = ValueOrThrow(Frame::Make(*plan));
  const Tensor held = frame->slots[ResultOf(*plan, "MatMul_1")];
  plan->frames.Give(std::move(frame));
  ExpectBroken(Run(*plan, {Ramp(kMatrix)}), "escape", "MatMul_1");
}

TEST_F(PlanCheckerTest, ArgumentsFitThePlan) {
  const Ref<Plan> plan = Make(*Products());
  ExpectBroken(Run(*plan, {Ramp(TensorShape{4, 4})}), "argument",
               "not what was planned");
  EXPECT_EQ(Run(*plan, {Ramp(kMatrix)}).ToString(), "OK");
}

// A constant that somebody changes.
TEST_F(PlanCheckerTest, ConstantsStay) {
  TestFunction b;
  Tensor c = Ramp(kMatrix);
  const Output x = b.Arg(kF, kMatrix);
  const auto f = b.Finish({b.Add("MatMul", {x, b.Const(c)})});
  const Ref<Plan> plan = Make(*f);
  EXPECT_EQ(Run(*plan, {Ramp(kMatrix)}).ToString(), "OK");
  c.data<float>()[7] = -1;
  ExpectBroken(Run(*plan, {Ramp(kMatrix)}), "read", "MatMul");
}

// Registers of a frame that are bound to other byte code.
TEST_F(PlanCheckerTest, ByteCodeKnowsNothingOfEarlierRuns) {
  const auto make = [](float c) {
    TestFunction b;
    const Output x = b.Arg(kF, TensorShape());
    const auto f =
        b.Finish({b.Add("AddV2", {b.Add("Mul", {x, b.Const(Tensor::Scalar(c))}),
                                  b.Const(Tensor::Scalar(2.0f))})});
    return Make(*f);
  };
  const Ref<Plan> plan = make(3), other = make(5);
  ASSERT_EQ(plan->codes.size(), 1u) << plan->DebugString();
  EXPECT_EQ(Run(*plan, {Tensor::Scalar(4.0f)}).ToString(), "OK");
  auto frame = plan->frames.Take();
  ASSERT_TRUE(frame);
  frame->states[0] = std::make_unique<ScalarRegisters>(*other->codes[0]);
  plan->frames.Give(std::move(frame));
  ExpectBroken(Run(*plan, {Tensor::Scalar(4.0f)}), "code", "Mul");
}

// Variables: an update in place whose operand is read afterwards.
TEST_F(PlanCheckerTest, UpdatesWriteOverWhatTheyHaveRead) {
  constexpr int64_t kSize = 5000;
  TestFunction b;
  const Output v = b.Arg(DataType::kResource, TensorShape());
  const Output w = b.Arg(DataType::kResource, TensorShape());
  for (const Output& o : {v, w}) {
    o.node->mutable_output(0).handle_data = {{kF, TensorShape{kSize}}};
  }
  const Output old = b.Add("ReadVariableOp", {v}, {{"dtype", kF}});
  const Output twice = b.Add("AddV2", {old, old});
  const Output write = b.Add("AssignVariableOp", {v, twice}, {}, {old.node});
  const Output mixed = b.Add("Sub", {b.Add("Neg", {twice}), old});
  const Output other = b.Add("AssignAddVariableOp", {w, mixed});
  const auto f = b.Finish({}, {write.node, other.node});
  const auto variable = [&] {
    Tensor handle = NewVariableHandle("v", kF, TensorShape{kSize}, true);
    ThrowIfError(handle.scalar<ResourceHandle>().As<VariableResource>()->Assign(
        Ramp(TensorShape{kSize})));
    return handle;
  };
  const auto run = [&](const Plan& plan) {
    TensorVector out;
    return RunPlan(plan, TensorVector{variable(), variable()}, &out, nullptr);
  };
  EXPECT_EQ(run(*Make(*f)).ToString(), "OK");
  const auto changed = [&](auto change) {
    Ref<Plan> plan = Make(*f);
    EXPECT_EQ(plan->updates.size(), 2u) << plan->DebugString();
    change(plan->updates[0]);
    return plan;
  };
  const auto in_place = [](VariableUpdate& u) { u.in_place = true; };
  const Ref<Plan> offered = Make(*f);
  for (Instruction& now : offered->instructions) {
    if (now.num_updates == 0) continue;
    const SlotId* in = offered->inputs.data() + now.first_input;
    for (int k = 0; k < now.num_inputs; ++k) {
      const bool handle = offered->slots[in[k]].dtype == DataType::kResource;
      if (handle) now.may_forward |= uint64_t{1} << k;
    }
  }
  ExpectBroken(run(*offered), "forward", "an update needs it");
  ExpectBroken(run(*changed(in_place)), "update", "read after it is written");
  ExpectBroken(run(*Unproven(changed(in_place))), "update", "result");
  ExpectBroken(run(*changed([](VariableUpdate& u) { u.shared_slot = 0; })),
               "update", "no place, or several");
  ExpectBroken(run(*changed([](VariableUpdate& u) {
                 u.result = -1;
                 u.same_as = 1;
               })),
               "update", "later update");
  ExpectBroken(run(*changed([](VariableUpdate& u) {
                 u.result = -1;
                 u.shared_slot = 0;
               })),
               "update", "cannot share");
}

// A function that does not check costs nothing and finds nothing.
TEST_F(PlanCheckerTest, OffUnlessAskedFor) {
  const ChecksScope off(false);
  const Ref<Plan> plan = Make(*Products());
  EXPECT_FALSE(plan->checked);
  EXPECT_FALSE(plan->watched);
  EXPECT_TRUE(plan->plain_clusters.empty());
  const auto frame = ValueOrThrow(Frame::Make(*plan));
  EXPECT_EQ(frame->guard_bytes(), 0);
  EXPECT_EQ(Run(*plan, {Ramp(kMatrix)}).ToString(), "OK");
  EXPECT_FALSE(frame->checker);
}

}  // namespace
}  // namespace gk
