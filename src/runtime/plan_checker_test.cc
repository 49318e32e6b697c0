#include "runtime/plan_checker.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/checks.h"
#include "framework/variable.h"
#include "graph/function_for_test.h"
#include "runtime/executor.h"
#include "runtime/frame.h"

namespace gk {
namespace {

constexpr DataType kF = DataType::kFloat;
const TensorShape kMatrix{5, 5};

Tensor Ramp(const TensorShape& shape, float start = 0) {
  Tensor t = *Tensor::Allocate(kF, shape);
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    t.data<float>()[i] = start + 0.125f * i;
  }
  return t;
}

// Plans made in a test are checked, whatever the environment says.
class PlanCheckerTest : public testing::Test {
 protected:
  PlanCheckerTest() { InitRuntime(); }

  static Ref<Plan> Make(const GraphFunction& f) {
    return ValueOrThrow(Plan::Make(FunctionGraph::CloneOf(f)));
  }
  static Ref<Plan> MakeBody(const GraphFunction& f) {
    return ValueOrThrow(Plan::MakeLoopBody(FunctionGraph::CloneOf(f)));
  }

  // Some turns of a loop's body.
  static Status RunTurns(const Plan& plan, const TensorVector& states,
                         int turns) {
    GK_ASSIGN_OR_RETURN(const std::unique_ptr<Frame> frame, Frame::Make(plan));
    for (size_t i = 0; i < states.size(); ++i) {
      const SlotId s = plan.arguments[i];
      frame->slots[s] = ValueOrThrow(states[i].Copy());
      frame->data[s] = frame->slots[s].raw_data();
    }
    TensorVector scratch;
    for (int i = 0; i < turns; ++i) {
      GK_RETURN_IF_ERROR(RunTurnInFrame(plan, *frame, &scratch, nullptr,
                                        i == 0 ? Turn::kFirst : Turn::kLater));
    }
    return OkStatus();
  }
  static Status Run(const Plan& plan, const TensorVector& in) {
    TensorVector copies, out;
    for (const Tensor& t : in) copies.push_back(ValueOrThrow(t.Copy()));
    return RunPlan(plan, copies, &out, nullptr);
  }

  static int Find(const Plan& plan, const std::string& node) {
    for (size_t i = 0; i < plan.instructions.size(); ++i) {
      if (plan.instructions[i].node->name() == node) return i;
    }
    ADD_FAILURE() << "no " << node << " in\n" << plan.DebugString();
    return 0;
  }
  static SlotId ResultOf(const Plan& plan, const std::string& node) {
    return plan.instructions[Find(plan, node)].first_output;
  }

  const ChecksScope checks_{true};
};

void ExpectBroken(const Status& s, const std::string& rule,
                  const std::string& instruction) {
  EXPECT_EQ(s.code(), Code::kInternal);
  const std::string text = s.ToString();
  EXPECT_NE(text.find("breaks the rule '" + rule + "'"), std::string::npos)
      << text;
  EXPECT_NE(text.find(instruction), std::string::npos) << text;
}

// x = softmax(x x) (w w), and w stays: w w is computed once.
Ref<GraphFunction> Body() {
  TestFunction b("body");
  const Output x = b.Arg(kF, kMatrix), w = b.Arg(kF, kMatrix);
  const Output square = b.Add("MatMul", {x, x});
  const Output soft = b.Add("Softmax", {square});
  const Output fixed = b.Add("MatMul", {w, w});
  return b.Finish({b.Add("MatMul", {soft, fixed}), w});
}

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

// A plan whose runs are to find what is wrong, without the proof.
Ref<Plan> Unproven(Ref<Plan> plan) {
  plan->proven = true;
  return plan;
}

// a, b, c are products of matrices; the result is a softmax of them all.
Ref<GraphFunction> Products() {
  TestFunction b("products");
  const Output x = b.Arg(kF, kMatrix);
  const Output p = b.Add("MatMul", {x, x}), q = b.Add("MatMul", {p, x});
  const Output r = b.Add("MatMul", {q, p});
  return b.Finish({b.Add("Softmax", {b.Add("MatMul", {r, q})})});
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
  ExpectBroken(Run(*plan, {Ramp(kMatrix)}), "in place", "Softmax");
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
