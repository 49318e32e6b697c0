// Plans that are right, changed in one place each: the proof finds it. What a
// run finds as well is in plan_checker_test.cc.
#include "runtime/plan_verifier.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/checks.h"
#include "graph/function_for_test.h"
#include "runtime/executor.h"

namespace gk {
namespace {

const TensorShape k5x5{5, 5};
constexpr int64_t kSize = 5000;  // an update of so many joins a cluster

using Change = std::function<void(Plan&)>;

class PlanVerifierTest : public testing::Test {
 protected:
  PlanVerifierTest() { InitRuntime(); }

  static Ref<Plan> Make(const GraphFunction& f) {
    return ValueOrThrow(Plan::Make(RewriteGraph::CloneOf(f)));
  }
  static Ref<Plan> MakeBody(const GraphFunction& f) {
    return ValueOrThrow(Plan::MakeLoopBody(RewriteGraph::CloneOf(f)));
  }
  static Instruction& At(Plan& plan, const std::string& node) {
    for (Instruction& now : plan.instructions) {
      if (now.node->name() == node) return now;
    }
    ADD_FAILURE() << "no " << node << " in\n" << plan.DebugString();
    return plan.instructions[0];
  }
  static SlotInfo& SlotOf(Plan& plan, const std::string& node) {
    return plan.slots[At(plan, node).first_output];
  }

  // The plan is right, and breaks `rule` once `change` was made.
  static void ExpectBroken(const Ref<Plan>& plan, const Change& change,
                           const std::string& rule, const std::string& what) {
    EXPECT_EQ(PlanVerifier(*plan).Verify().ToString(), "OK")
        << plan->DebugString();
    change(*plan);
    const Status s = PlanVerifier(*plan).Verify();
    EXPECT_EQ(s.code(), Code::kInternal);
    EXPECT_NE(s.message().find("breaks the rule '" + rule + "'"),
              std::string::npos)
        << s.message();
    EXPECT_NE(s.message().find(what), std::string::npos) << s.message();
  }

  const ChecksScope checks_{true};
};

// Three values of the arena, of which two are needed at one time.
Ref<GraphFunction> Products(const TensorShape& shape = k5x5) {
  TestFunction b("products");
  const Output x = b.Arg(kF, shape);
  const Output p = b.Add("Softmax", {x}), q = b.Add("Softmax", {p});
  return b.Finish({b.Add(
      "Softmax", {b.Add("ConcatV2", {p, q, b.Const(Tensor::Scalar<int32_t>(0))},
                        {{"N", int64_t{2}}})})});
}

TEST_F(PlanVerifierTest, PlacesThatOverlapInPart) {
  const Ref<GraphFunction> f = Products();
  // Behind the beginning of the other one, and in front of it.
  ExpectBroken(
      Make(*f),
      [](Plan& p) {
        SlotOf(p, "Softmax_1").offset = SlotOf(p, "Softmax").offset + 64;
      },
      "place", "instruction 1 Softmax Softmax_1, slot");
  ExpectBroken(
      Make(*f),
      [](Plan& p) {
        SlotOf(p, "Softmax_1").offset = SlotOf(p, "Softmax").offset;
        SlotOf(p, "Softmax").offset += 64;
      },
      "place", "needed until instruction 2");
}

TEST_F(PlanVerifierTest, WhatHasNoBytesLiesAnywhere) {
  const Ref<Plan> plan = Make(*Products(TensorShape{0, 5}));
  for (SlotInfo& slot : plan->slots) {
    if (slot.home == Home::kArena) slot.offset = 12345;
  }
  EXPECT_EQ(PlanVerifier(*plan).Verify().ToString(), "OK");
}

// y = softmax(w) softmax(exp(w)), of a state that stays: all but what leaves
// the turn is computed once.
Ref<GraphFunction> OnceBody() {
  TestFunction b("body");
  const Output x = b.Arg(kF, k5x5), w = b.Arg(kF, k5x5);
  const Output p = b.Add("Softmax", {w}), q = b.Add("Softmax", {p});
  return b.Finish({b.Add("MatMul", {b.Add("MatMul", {x, p}), q}), w});
}

TEST_F(PlanVerifierTest, WhatIsComputedOnceLiesApart) {
  const Ref<GraphFunction> f = OnceBody();
  ExpectBroken(
      MakeBody(*f),
      [](Plan& p) {
        SlotOf(p, "Softmax_1").offset = SlotOf(p, "Softmax").offset;
      },
      "place", "of every turn");
  ExpectBroken(
      MakeBody(*f),
      [](Plan& p) {
        SlotOf(p, "MatMul").offset = SlotOf(p, "Softmax_1").offset;
      },
      "place", "of every turn");
}

TEST_F(PlanVerifierTest, WhatIsComputedOnceHasNoEffect) {
  {
    TestFunction b("draws");
    const Output x = b.Arg(kF, k5x5);
    const Output shape = b.Const(Tensor::Vector<int32_t>(std::vector{5, 5}));
    const Output noise =
        b.Add("RandomUniform", {shape}, {{"dtype", kF}, {"seed", int64_t{1}}});
    ExpectBroken(
        MakeBody(*b.Finish({b.Add("MatMul", {x, noise})})),
        [](Plan& p) { At(p, "RandomUniform").once = true; }, "once",
        "something else in another turn");
  }
  {
    TestFunction b("reads");
    const Output x = b.Arg(kF, k5x5);
    const Output v = b.Arg(DataType::kResource, TensorShape());
    v.node->mutable_output(0).handle_data = {{kF, k5x5}};
    const Output read = b.Add("ReadVariableOp", {v}, {{"dtype", kF}});
    ExpectBroken(
        MakeBody(*b.Finish({b.Add("MatMul", {x, read}), v})),
        [](Plan& p) { At(p, "ReadVariableOp").once = true; }, "once",
        "something else in another turn");
  }
  for (const bool draws : {true, false}) {
    // A branch is pure if its functions are, and handles no objects.
    const auto branch = [&](const char* name) {
      TestFunction g(name);
      const Output w = g.Arg(kF, k5x5);
      if (!draws) return FunctionAttr{name, g.Finish({g.Add("Exp", {w})})};
      const Output shape = g.Const(Tensor::Vector<int32_t>(std::vector{5, 5}));
      return FunctionAttr{
          name, g.Finish({g.Add("RandomUniform", {shape},
                                {{"dtype", kF}, {"seed", int64_t{1}}})})};
    };
    TestFunction b("branches");
    const Output x = b.Arg(kF, k5x5), w = b.Arg(kF, k5x5),
                 flag = b.Arg(DataType::kBool, TensorShape());
    const Output y = b.Add("If", {flag, w},
                           {{"Tout", std::vector{kF}},
                            {"then_branch", branch("yes")},
                            {"else_branch", branch("no")}});
    const Ref<Plan> plan =
        MakeBody(*b.Finish({b.Add("MatMul", {x, y}), w, flag}));
    ASSERT_EQ(At(*plan, "If").kind, Instruction::Kind::kBranch);
    EXPECT_EQ(At(*plan, "If").once, !draws);
    if (!draws) continue;
    ExpectBroken(
        plan, [](Plan& p) { At(p, "If").once = true; }, "once",
        "instruction 0 If If: it may do something else");
  }
}

// sum = s + t, which takes the memory of s; t goes on.
Ref<GraphFunction> SumLoopBody() {
  TestFunction b("sum");
  const Output s = b.Arg(kF, k5x5), t = b.Arg(kF, k5x5);
  return b.Finish(
      {b.Add("AddV2", {s, t}), b.Add("MatMul", {t, b.Add("Tanh", {t})})});
}

TEST_F(PlanVerifierTest, WhatIsTaken) {
  const Ref<GraphFunction> f = SumLoopBody();
  const auto expect = [&](void (*change)(Plan&, Instruction&),
                          const char* what) {
    const Ref<Plan> plan = MakeBody(*f);
    ASSERT_GE(At(*plan, "AddV2").take_from, 0) << plan->DebugString();
    ExpectBroken(
        plan, [&](Plan& p) { change(p, At(p, "AddV2")); }, "take", what);
  };
  const char* const other = "the result is of another type or shape";
  expect([](Plan&, Instruction& now) { now.take_to += now.num_outputs; },
         "goes to no output");
  expect([](Plan&, Instruction& now) { --now.take_to; }, "goes to no output");
  expect([](Plan&, Instruction& now) { now.take_from = -1; }, "no input");
  expect([](Plan&, Instruction& now) { now.may_forward = 0; },
         "its memory is not offered");
  expect([](Plan& p,
            Instruction& now) { p.slots[now.take_from].is_static = false; },
         other);
  expect(
      [](Plan& p, Instruction& now) { p.slots[now.take_to].is_static = false; },
      other);
  expect([](Plan& p,
            Instruction& now) { p.slots[now.take_to].shape = TensorShape{25}; },
         other);
  expect([](Plan& p,
            Instruction& now) { p.slots[now.take_to].home = Home::kArgument; },
         other);
  expect([](Plan&, Instruction& now) { now.kind = Instruction::Kind::kKernel; },
         "it is read after it is written over");
}

TEST_F(PlanVerifierTest, NextStatesFit) {
  const Ref<GraphFunction> f = SumLoopBody();
  const auto expect = [&](void (*change)(Plan&, NextState&)) {
    const Ref<Plan> plan = MakeBody(*f);
    ASSERT_EQ(plan->next_states.size(), 2u);
    for (Instruction& now : plan->instructions) {
      now.take_from = now.take_to = -1;  // has the same claims, before these
    }
    ExpectBroken(
        plan, [&](Plan& p) { change(p, p.next_states[1]); }, "state",
        "does not fit the state");
  };
  expect(
      [](Plan& p, NextState& n) { p.slots[n.from].dtype = DataType::kInt32; });
  expect([](Plan& p, NextState& n) { p.slots[n.from].is_static = false; });
  expect([](Plan& p, NextState& n) { p.slots[n.to].is_static = false; });
  expect(
      [](Plan& p, NextState& n) { p.slots[n.from].shape = TensorShape{25}; });
}

// Lists that go round a loop are nobody's spare memory.
TEST_F(PlanVerifierTest, ObjectsAreNotTakenOver) {
  TestFunction b("list");
  const DataType kV = DataType::kVariant;
  const Output list = b.Arg(kV, TensorShape()), x = b.Arg(kF, k5x5);
  const Output next =
      b.Add("TensorListPushBack", {list, x}, {{"element_dtype", kF}});
  const Ref<Plan> plan = MakeBody(*b.Finish({next, x}));
  ASSERT_TRUE(plan->is_closed) << plan->DebugString();
  ASSERT_EQ(plan->next_states.size(), 1u);
  ASSERT_TRUE(plan->next_states[0].moves);
  EXPECT_FALSE(plan->next_states[0].spares);
  ExpectBroken(
      plan, [](Plan& p) { p.next_states[0].spares = true; }, "state",
      "the old state's memory cannot take it");
}

// v += -x and w = x: one cluster, which shares x with w.
TEST_F(PlanVerifierTest, UpdatesHaveTheirPlaces) {
  TestFunction b("updates");
  const Output v = b.Arg(DataType::kResource, TensorShape());
  const Output w = b.Arg(DataType::kResource, TensorShape());
  for (const Output& o : {v, w}) {
    o.node->mutable_output(0).handle_data = {{kF, TensorShape{kSize}}};
  }
  const Output x = b.Arg(kF, TensorShape{kSize});
  const Output add = b.Add("AssignAddVariableOp", {v, b.Add("Neg", {x})});
  const Output assign = b.Add("AssignVariableOp", {w, x});
  const auto f = b.Finish({}, {add.node, assign.node});
  const auto make = [&] {
    const Ref<Plan> plan = Make(*f);
    EXPECT_EQ(plan->updates.size(), 2u) << plan->DebugString();
    return plan;
  };
  const auto shared = [](Plan& p) -> VariableUpdate& {
    for (VariableUpdate& u : p.updates) {
      if (u.shared_slot >= 0) return u;
    }
    ADD_FAILURE() << p.DebugString();
    return p.updates[0];
  };
  const auto of_cluster = [](Plan& p) -> VariableUpdate& {
    return p.updates[p.updates[0].result >= 0 ? 0 : 1];
  };
  const auto expect = [&](const Change& change, const char* what) {
    ExpectBroken(make(), change, "update", what);
  };
  expect([&](Plan& p) { shared(p).dtype = DataType::kInt32; }, "cannot share");
  expect(
      [&](Plan& p) {
        shared(p).shape = TensorShape{kSize, 1};
      },
      "cannot share");
  expect([&](Plan& p) { p.slots[shared(p).shared_slot].is_static = false; },
         "cannot share");
  expect([&](Plan& p) { shared(p).in_place = true; },
         "nothing is written in its place");
  expect([&](Plan& p) { of_cluster(p).result = -1; }, "no place, or several");
  // What an update keeps is not the instruction's to write over.
  ExpectBroken(
      make(),
      [&](Plan& p) {
        for (Instruction& now : p.instructions) {
          for (int k = 0; now.num_updates > 0 && k < now.num_inputs; ++k) {
            const SlotId s = p.inputs[now.first_input + k];
            if (s == shared(p).shared_slot) now.may_forward |= 1ull << k;
          }
        }
      },
      "forward", "an update needs it as well");
}

// An instruction that updates variables takes no memory besides.
TEST_F(PlanVerifierTest, UpdatesTakeNothing) {
  TestFunction b("updates");
  const Output v = b.Arg(DataType::kResource, TensorShape());
  v.node->mutable_output(0).handle_data = {{kF, TensorShape{kSize}}};
  const Output x = b.Arg(kF, TensorShape{kSize});
  const Output y = b.Add("Neg", {x});
  const Output add = b.Add("AssignAddVariableOp", {v, y});
  const Ref<Plan> plan = Make(*b.Finish({y}, {add.node}));
  ExpectBroken(
      plan,
      [](Plan& p) {
        Instruction& now = p.instructions[0];
        now.take_from = p.arguments[1];
        now.take_to = now.first_output;
        for (int k = 0; k < now.num_inputs; ++k) {
          if (p.inputs[now.first_input + k] == now.take_from) {
            now.may_forward |= 1ull << k;
          }
        }
      },
      "take", "the instruction updates variables");
}

}  // namespace
}  // namespace gk
