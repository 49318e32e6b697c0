#include "runtime/plan_checker.h"

#include <cmath>
#include <functional>

#include "framework/variable.h"
#include "runtime/plan_checker_for_test.h"

namespace gk {
namespace {

TEST_F(PlanCheckerTest, WhatIsComputedOnceStaysForAllTurns) {
  const TensorVector states{Ramp(kMatrix, -1), Ramp(kMatrix, 1)};
  const Ref<GraphFunction> f = Body();
  const Ref<Plan> plan = MakeBody(*f);
  ASSERT_TRUE(plan->instructions[Find(*plan, "MatMul_1")].once)
      << plan->DebugString();
  EXPECT_EQ(RunTurns(*plan, states, 4).ToString(), "OK");
  // Where something of the same turn was before it.
  const auto overlapped = [&] {
    Ref<Plan> wrong = MakeBody(*f);
    wrong->slots[ResultOf(*wrong, "MatMul_1")].offset =
        wrong->slots[ResultOf(*wrong, "MatMul")].offset;
    return wrong;
  };
  ExpectBroken(RunTurns(*overlapped(), states, 1), "place", "MatMul");
  // The run finds it as well, when there is a second turn.
  const Ref<Plan> unproven = overlapped();
  unproven->proven = true;
  EXPECT_EQ(RunTurns(*unproven, states, 1).ToString(), "OK");
  ExpectBroken(RunTurns(*unproven, states, 2), "read", "MatMul_1");
}

// What a branch leaves undefined is the same each time, and no number.
TEST_F(PlanCheckerTest, UndefinedIsAValue) {
  const auto branch = [](const char* op, bool first) {
    TestFunction b(op);
    const Output w = b.Arg(kF, kMatrix);
    const Output made = b.Add(op, {w});
    const Output none =
        b.Add("FakeParam", {}, {{"dtype", kF}, {"shape", kMatrix}});
    return FunctionAttr{
        op, b.Finish({first ? made : none, first ? none : made}), nullptr};
  };
  TestFunction b("body");
  const Output x = b.Arg(kF, kMatrix), w = b.Arg(kF, kMatrix),
               flag = b.Arg(DataType::kBool, TensorShape());
  const Output made = b.Add("StatelessIf", {flag, w},
                            {{"Tout", std::vector<DataType>{kF, kF}},
                             {"then_branch", branch("Neg", true)},
                             {"else_branch", branch("Tanh", false)}});
  const Output both = b.Add("Pack", {made, {made.node, 1}});
  const Output none = b.Add("Unpack", {both}, {{"num", 2}});
  const Ref<GraphFunction> f =
      b.Finish({b.Add("MatMul", {x, {none.node, 1}}), w, flag});
  const Ref<Plan> plan = MakeBody(*f);
  ASSERT_TRUE(plan->instructions[Find(*plan, "StatelessIf")].once)
      << plan->DebugString();
  // Memory that will be taken again has different numbers in it.
  for (int round = 0; round < 8; ++round) {
    TensorVector held;
    for (int i = 0; i < 8; ++i) held.push_back(Ramp(kMatrix, i * 100 + round));
  }
  const TensorVector states{Ramp(kMatrix), Ramp(kMatrix, 1),
                            Tensor::Scalar(true)};
  EXPECT_EQ(RunTurns(*plan, states, 4).ToString(), "OK");
  TensorVector out;
  ASSERT_EQ(RunPlan(*plan, states, &out, nullptr).ToString(), "OK");
  EXPECT_TRUE(std::isnan(out[0].data<float>()[0]));
}

TEST_F(PlanCheckerTest, ValuesKeepTheirPlaces) {
  const Ref<GraphFunction> f = Products();
  const TensorVector in{Ramp(kMatrix, -1)};
  EXPECT_EQ(Run(*Make(*f), in).ToString(), "OK");
  const auto make = [&] {
    Ref<Plan> plan = Make(*f);  // MatMul_1 where MatMul is still needed
    plan->slots[ResultOf(*plan, "MatMul_1")].offset =
        plan->slots[ResultOf(*plan, "MatMul")].offset;
    return plan;
  };
  ExpectBroken(Run(*make(), in), "place", "MatMul_1");
  ExpectBroken(Run(*Unproven(make()), in), "in place", "MatMul_1");
  // Not at an aligned place, not within the arena.
  for (int64_t offset : {int64_t{-1}, int64_t{4}, int64_t{1} << 20}) {
    Ref<Plan> plan = Make(*f);
    plan->slots[ResultOf(*plan, "MatMul")].offset = offset;
    ExpectBroken(Run(*plan, in), "place", "MatMul");
  }
}

TEST_F(PlanCheckerTest, ProducersRunBeforeReaders) {
  const Ref<GraphFunction> f = Products();
  const TensorVector in{Ramp(kMatrix)};
  const auto make = [&] {
    Ref<Plan> plan = Make(*f);
    std::swap(plan->instructions[Find(*plan, "MatMul_1")],
              plan->instructions[Find(*plan, "MatMul_2")]);
    return plan;
  };
  ExpectBroken(Run(*make(), in), "order", "MatMul_2");
  ExpectBroken(Run(*Unproven(make()), in), "lifetime", "MatMul_2");
  Ref<Plan> twice = Make(*f);
  twice->instructions[Find(*twice, "MatMul_2")].first_output =
      ResultOf(*twice, "MatMul");
  ExpectBroken(Run(*twice, in), "order", "made twice");
  Ref<Plan> never = Make(*f);
  never->instructions[Find(*never, "Softmax")].num_outputs = 0;
  ExpectBroken(Run(*never, in), "order", "nobody makes it");
  Ref<Plan> arena = Make(*f);
  arena->results[0] = ResultOf(*arena, "MatMul");
  ExpectBroken(Run(*arena, in), "order", "lies in the arena");
}

// v = list, written to twice: the values are the run's own.
Ref<GraphFunction> OwnValues() {
  TestFunction b("own");
  const Output x = b.Arg(kF, PartialTensorShape::UnknownOfRank(1));
  const Output dims = b.Const(*Tensor::Zeros(DataType::kBool, {1}));
  const Output p = b.Add("Reverse", {x, dims});
  const Output r = b.Add("Reverse", {b.Add("Softmax", {p}), dims});
  return b.Finish({b.Add("AddV2", {r, p})});
}

TEST_F(PlanCheckerTest, OwnValuesAreLetGoByTheirLastReader) {
  const Ref<GraphFunction> f = OwnValues();
  const TensorVector in{Ramp(TensorShape{40})};
  const Ref<Plan> right = Make(*f);
  ASSERT_EQ(Run(*right, in).ToString(), "OK");
  const SlotId p = ResultOf(*right, "Reverse");
  ASSERT_EQ(right->slots[p].home, Home::kOwn) << right->DebugString();
  const auto early = [&] {  // let go by the first of two readers
    Ref<Plan> plan = Make(*f);
    Instruction& now = plan->instructions[Find(*plan, "Softmax")];
    now.first_release = plan->releases.size();
    now.num_releases = 1;
    plan->releases.push_back(p);
    return plan;
  };
  ExpectBroken(Run(*early(), in), "release", "Softmax");
  ExpectBroken(Run(*Unproven(early()), in), "release", "AddV2");
  const auto never = [&] {
    Ref<Plan> plan = Make(*f);
    plan->instructions[Find(*plan, "AddV2")].num_releases = 0;
    return plan;
  };
  ExpectBroken(Run(*never(), in), "release", "nobody lets it go");
  ExpectBroken(Run(*Unproven(never()), in), "release", "never let go");
  Ref<Plan> twice = Make(*f);
  Instruction& last = twice->instructions[Find(*twice, "AddV2")];
  last.first_release = twice->releases.size();
  last.num_releases = 2;
  twice->releases.insert(twice->releases.end(), {p, p});
  ExpectBroken(Run(*twice, in), "release", "twice");
  Ref<Plan> constant = Make(*f);
  Instruction& first = constant->instructions[Find(*constant, "Reverse")];
  first.first_release = constant->releases.size();
  first.num_releases = 1;
  constant->releases.push_back(constant->inputs[first.first_input + 1]);
  ExpectBroken(Run(*constant, in), "release", "not the run's to let go");
}

TEST_F(PlanCheckerTest, MemoryIsOfferedToTheLastReaderAlone) {
  const Ref<GraphFunction> f = OwnValues();
  const TensorVector in{Ramp(TensorShape{40})};
  const auto make = [&](uint64_t offered, const char* to) {
    Ref<Plan> plan = Make(*f);
    plan->instructions[Find(*plan, to)].may_forward |= offered;
    return plan;
  };
  ExpectBroken(Run(*make(1, "Softmax"), in), "forward", "Softmax");
  ExpectBroken(Run(*make(2, "Reverse"), in), "forward", "not the run's");
  ExpectBroken(Run(*make(8, "Softmax"), in), "forward", "no such input");
  // Softmax may write over what AddV2 reads later.
  const Status s = Run(*Unproven(make(1, "Softmax")), in);
  if (!s.ok()) ExpectBroken(s, "read", "AddV2");
}

TEST_F(PlanCheckerTest, MemoryIsOfferedUnderOneName) {
  TestFunction b;
  const Output x = b.Arg(kF, kMatrix);
  const auto f = b.Finish({b.Add("MatMul", {x, x})});
  const Ref<Plan> plan = Make(*f);
  EXPECT_EQ(plan->instructions[0].may_forward, 0u);
  plan->instructions[0].may_forward = 1;
  ExpectBroken(Run(*plan, {Ramp(kMatrix)}), "forward", "reads it twice");
}

// A kernel that writes to what it was only to read.
TEST_F(PlanCheckerTest, InputsStayAsTheyAre) {
  const Ref<Plan> plan = Make(*Products());
  Instruction& now = plan->instructions[Find(*plan, "Softmax")];
  now.compute = [](KernelContext& c) {
    Tensor* out;
    GK_RETURN_IF_ERROR(c.Allocate(0, kF, c.input(0).shape(), &out));
    std::fill_n(out->data<float>(), 25, 1.0f);
    const_cast<Tensor&>(c.input(0)).data<float>()[3] += 1;
    return OkStatus();
  };
  ExpectBroken(Run(*plan, {Ramp(kMatrix, 0, 0.125f)}), "in place", "Softmax");
}

// What a run left in its frame.
TEST_F(PlanCheckerTest, FramesAreCleanBetweenRuns) {
  const Ref<Plan> plan = Make(*OwnValues());
  auto frame = ValueOrThrow(Frame::Make(*plan));
  frame->slots[ResultOf(*plan, "Reverse")] = Ramp(TensorShape{40});
  plan->frames.Give(std::move(frame));
  ExpectBroken(Run(*plan, {Ramp(TensorShape{40})}), "release", "Reverse");
}

// s = s + tanh(s) exp(s): sums that go round a loop stay where they are.
Ref<GraphFunction> SumBody() {
  TestFunction b("sum");
  const Output s = b.Arg(kF, kMatrix), t = b.Arg(kF, kMatrix);
  const Output sum = b.Add("AddV2", {s, t});
  const Output next = b.Add("MatMul", {t, b.Add("Tanh", {t})});
  return b.Finish({sum, next});
}

TEST_F(PlanCheckerTest, ResultsTakeOnlyWhatDies) {
  const Ref<GraphFunction> f = SumBody();
  const TensorVector states{Ramp(kMatrix), Ramp(kMatrix, 2)};
  const Ref<Plan> plan = MakeBody(*f);
  const int sum = Find(*plan, "AddV2");
  ASSERT_EQ(plan->instructions[sum].take_from, plan->arguments[0])
      << plan->DebugString();
  EXPECT_EQ(RunTurns(*plan, states, 3).ToString(), "OK");
  const auto changed = [&](auto change) {
    Ref<Plan> wrong = MakeBody(*f);
    change(*wrong, wrong->instructions[sum]);
    return wrong;
  };
  const Ref<Plan> other = changed([](Plan& p, Instruction& now) {
    now.take_from = p.arguments[1];  // tanh and the product read it as well
  });
  ExpectBroken(RunTurns(*other, states, 1), "take", "AddV2");
  ExpectBroken(RunTurns(*Unproven(other), states, 1), "fusion", "AddV2");
  ExpectBroken(RunTurns(*changed([](Plan& p, Instruction& now) {
                 now.take_from = ResultOf(p, "MatMul");
               }),
                        states, 1),
               "take", "no input");
  ExpectBroken(RunTurns(*changed([](Plan& p, Instruction& now) {
                 p.slots[now.take_to].dtype = DataType::kInt32;
               }),
                        states, 1),
               "take", "another type");
}

TEST_F(PlanCheckerTest, StatesAreWhatTheTurnBeforeGave) {
  const Ref<GraphFunction> f = SumBody();
  const TensorVector states{Ramp(kMatrix), Ramp(kMatrix, 2)};
  const auto changed = [&](auto change) {
    Ref<Plan> plan = MakeBody(*f);
    change(*plan);
    return RunTurns(*plan, states, 3);
  };
  ExpectBroken(changed([](Plan& p) {
                 std::swap(p.next_states[0].from, p.next_states[1].from);
               }),
               "state", "does not become");
  ExpectBroken(
      changed([](Plan& p) { p.next_states[0].from = p.next_states[1].from; }),
      "state", "moved into another");
  ExpectBroken(changed([](Plan& p) { p.next_states.pop_back(); }), "state",
               "does not become");
  ExpectBroken(changed([](Plan& p) { p.is_closed = false; }), "state",
               "only closed bodies");
  ExpectBroken(changed([](Plan& p) { p.next_states[0].moves = false; }),
               "state", "cannot take it");
  ExpectBroken(
      changed([](Plan& p) { p.next_states[0].to = ResultOf(p, "MatMul"); }),
      "state", "does not fit");
  // States that change places are nobody's to move.
  TestFunction swap("swap");
  const Output a = swap.Arg(kF, kMatrix), c = swap.Arg(kF, kMatrix);
  const auto g = swap.Finish({c, a});
  EXPECT_EQ(RunTurns(*MakeBody(*g), states, 3).ToString(), "OK");
  const Ref<Plan> swapped = MakeBody(*g);
  swapped->next_states[0].moves = true;
  ExpectBroken(RunTurns(*swapped, states, 1), "state", "not the run's own");
  // A turn that has other states than the one before gave.
  const Ref<Plan> plan = MakeBody(*f);
  const auto frame = ValueOrThrow(Frame::Make(*plan));
  for (int i = 0; i < 2; ++i) {
    frame->slots[plan->arguments[i]] = ValueOrThrow(states[i].Copy());
    frame->data[plan->arguments[i]] =
        frame->slots[plan->arguments[i]].raw_data();
  }
  TensorVector scratch;
  ASSERT_TRUE(
      RunTurnInFrame(*plan, *frame, &scratch, nullptr, Turn::kFirst).ok());
  frame->slots[plan->arguments[1]].data<float>()[3] += 1;
  ExpectBroken(RunTurnInFrame(*plan, *frame, &scratch, nullptr, Turn::kLater),
               "state", "not what the turn before");
  frame->data[plan->arguments[1]] = nullptr;
  ExpectBroken(RunTurnInFrame(*plan, *frame, &scratch, nullptr, Turn::kFirst),
               "argument", "not in place");
}

TEST_F(PlanCheckerTest, WhatATurnMayChangeIsNotComputedOnce) {
  const Ref<GraphFunction> f = Body();
  const TensorVector states{Ramp(kMatrix, -1), Ramp(kMatrix, 1)};
  const auto make = [&] {
    Ref<Plan> plan = MakeBody(*f);  // of the state that changes
    plan->instructions[Find(*plan, "Softmax")].once = true;
    return plan;
  };
  ExpectBroken(RunTurns(*make(), states, 1), "once", "Softmax");
  Ref<Plan> leaves = MakeBody(*f);
  Instruction& last = leaves->instructions[Find(*leaves, "MatMul_2")];
  leaves->inputs[last.first_input] = leaves->inputs[last.first_input + 1];
  last.once = true;
  ExpectBroken(RunTurns(*leaves, states, 1), "once", "leaves the turn");
  // Computed again it is another value, if nothing else is in its way.
  const Ref<Plan> unproven = Unproven(MakeBody(*f));
  const int fixed = Find(*unproven, "MatMul_1");
  ASSERT_TRUE(unproven->instructions[fixed].once);
  const auto frame = ValueOrThrow(Frame::Make(*unproven));
  for (int i = 0; i < 2; ++i) {
    frame->slots[unproven->arguments[i]] = states[i];
    frame->data[unproven->arguments[i]] = states[i].raw_data();
  }
  TensorVector scratch;
  ASSERT_TRUE(
      RunTurnInFrame(*unproven, *frame, &scratch, nullptr, Turn::kFirst).ok());
  unproven->instructions[fixed].compute =
      unproven->instructions[Find(*unproven, "Softmax")].compute;
  const Status s =
      RunTurnInFrame(*unproven, *frame, &scratch, nullptr, Turn::kLater);
  ExpectBroken(s, "once", "MatMul_1");
}

// Which of two NaNs an operation passes on is not said.
TEST_F(PlanCheckerTest, NaNsAreOne) {
  const Ref<GraphFunction> f = Body();
  const Ref<Plan> plan = Unproven(MakeBody(*f));
  Instruction& fixed = plan->instructions[Find(*plan, "MatMul_1")];
  ASSERT_TRUE(fixed.once);
  static float sign;
  sign = 1;
  fixed.compute = [](KernelContext& c) -> Status {
    Tensor* out = nullptr;
    GK_RETURN_IF_ERROR(c.Allocate(0, kF, kMatrix, &out));
    for (int64_t i = 0; i < kMatrix.num_elements(); ++i) {
      out->data<float>()[i] = std::copysign(NAN, sign);
    }
    sign = -sign;
    return OkStatus();
  };
  EXPECT_EQ(RunTurns(*plan, {Ramp(kMatrix), Ramp(kMatrix, 1)}, 3).ToString(),
            "OK");
}

}  // namespace
}  // namespace gk
