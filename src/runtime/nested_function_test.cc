#include "runtime/nested_function.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "graph/function_for_test.h"
#include "runtime/error_origin.h"
#include "runtime/executor.h"

namespace gk {
namespace {

using BodyMaker = std::function<std::vector<Output>(TestFunction&,
                                               const std::vector<Output>&)>;
using Specs = std::vector<std::pair<DataType, PartialTensorShape>>;

constexpr DataType kV = DataType::kVariant;

FunctionAttr Function(const std::string& name, const Specs& specs,
                      const BodyMaker& body) {
  TestFunction b(name);
  std::vector<Output> arguments;
  for (const auto& [dtype, shape] : specs) {
    arguments.push_back(b.Arg(dtype, shape));
  }
  std::vector<Output> results = body(b, arguments);
  return {name, b.Finish(std::move(results))};
}

std::vector<DataType> TypesOf(const Specs& specs) {
  std::vector<DataType> types;
  for (const auto& spec : specs) types.push_back(spec.first);
  return types;
}

std::vector<Output> OutputsOf(Output first, size_t n) {
  std::vector<Output> out;
  for (size_t i = 0; i < n; ++i) out.push_back({first.node, int(i)});
  return out;
}

Output IntConst(TestFunction& b, int32_t v) {
  return b.Const(Tensor::Scalar<int32_t>(v));
}

// state[0] counts from 0 to n; `step` gives the other states.
std::vector<Output> Count(TestFunction& b, int n, const Specs& rest,
                          std::vector<Output> state, const BodyMaker& step) {
  Specs specs{{kI, TensorShape()}};
  specs.insert(specs.end(), rest.begin(), rest.end());
  state.insert(state.begin(), IntConst(b, 0));
  const FunctionAttr test =
      Function("test", specs, [n](TestFunction& c, const auto& s) {
        return std::vector{c.Add("Less", {s[0], IntConst(c, n)})};
      });
  const FunctionAttr body =
      Function("step", specs, [&](TestFunction& c, const auto& s) {
        std::vector<Output> next = step(c, s);
        next.insert(next.begin(), c.Add("AddV2", {s[0], IntConst(c, 1)}));
        return next;
      });
  return OutputsOf(
      b.Add("StatelessWhile", state,
            {{"T", TypesOf(specs)}, {"cond", test}, {"body", body}}),
      specs.size());
}

struct Outcome {
  Status status;
  TensorVector values;
  std::string origin;
};

Outcome RunWith(bool lower, const Specs& specs, const BodyMaker& make,
                const TensorVector& in) {
  InitRuntime();
  SetControlFlowLowering(lower);
  const FunctionAttr f = Function("main", specs, make);
  const auto& graph = *f.definition;
  Outcome o;
  // Twice: what the first run left must not be seen by the second.
  for (int i = 0; i < 2; ++i) {
    o.status = RunFunction(graph, in, &o.values);
    if (!o.status.ok()) {
      o.origin = LastErrorOrigin().function + ":" + LastErrorOrigin().node;
    }
  }
  SetControlFlowLowering(true);
  return o;
}

Outcome RunBoth(const Specs& specs, const BodyMaker& make,
                const TensorVector& in) {
  const Outcome a = RunWith(true, specs, make, in);
  const Outcome b = RunWith(false, specs, make, in);
  EXPECT_EQ(a.status.ToString(), b.status.ToString());
  EXPECT_EQ(a.origin, b.origin);
  EXPECT_EQ(a.values.size(), b.values.size());
  for (size_t i = 0; i < a.values.size() && i < b.values.size(); ++i) {
    EXPECT_EQ(a.values[i].shape(), b.values[i].shape());
    EXPECT_EQ(std::memcmp(a.values[i].raw_data(), b.values[i].raw_data(),
                          a.values[i].byte_size()),
              0)
        << a.values[i].DebugString() << " " << b.values[i].DebugString();
  }
  return a;
}

const TensorShape k3x3{3, 3};

// What no turn changes is computed in the first one.
TEST(NestedFunction, InvariantsRunOnce) {
  const Specs specs{{kF, k3x3}, {kF, k3x3}};
  const BodyMaker step = [](TestFunction& c, const std::vector<Output>& s) {
    const Output fixed = c.Add("MatMul", {s[2], s[2]});
    return std::vector{c.Add("Tanh", {c.Add("MatMul", {s[1], fixed})}), s[2]};
  };
  const BodyMaker make = [&](TestFunction& b, const std::vector<Output>& in) {
    return Count(b, 5, specs, {in[0], in[1]}, step);
  };
  const Outcome o = RunBoth(specs, make, {Ramp(k3x3, -1), Ramp(k3x3, -1)});
  ASSERT_TRUE(o.status.ok()) << o.status.ToString();
  Specs all = specs;
  all.insert(all.begin(), {kI, TensorShape()});
  const FunctionAttr body =
      Function("step", all, [&](TestFunction& c, const auto& s) {
        std::vector<Output> next = step(c, s);
        next.insert(next.begin(), s[0]);
        return next;
      });
  const auto& graph = *body.definition;
  const Ref<Plan> plan = *(*CompiledFunction::Of(graph))->LoopBodyPlan();
  const std::string text = plan->DebugString();
  EXPECT_NE(text.find("once kernel MatMul"), std::string::npos) << text;
  EXPECT_EQ(text.find("once"), text.rfind("once")) << text;
}

// So is a loop within a loop, or a branch, if all that it takes is unchanged.
TEST(NestedFunction, InvariantLoopsRunOnce) {
  const Specs inner{{kF, k3x3}};
  const Specs specs{{kF, k3x3}, {kF, k3x3}};
  const BodyMaker step = [&](TestFunction& c, const std::vector<Output>& s) {
    const std::vector<Output> fixed =
        Count(c, 4, inner, {s[2]},
              [](TestFunction& d, const std::vector<Output>& t) {
                return std::vector{d.Add("Tanh", {t[1]})};
              });
    const std::vector<Output> changing =
        Count(c, 2, inner, {s[1]},
              [](TestFunction& d, const std::vector<Output>& t) {
                return std::vector{d.Add("Neg", {t[1]})};
              });
    return std::vector{c.Add("MatMul", {changing[1], fixed[1]}), s[2]};
  };
  const BodyMaker make = [&](TestFunction& b, const std::vector<Output>& in) {
    return Count(b, 5, specs, {in[0], in[1]}, step);
  };
  const Outcome o = RunBoth(specs, make, {Ramp(k3x3, -1), Ramp(k3x3, -1)});
  ASSERT_TRUE(o.status.ok()) << o.status.ToString();
  Specs all = specs;
  all.insert(all.begin(), {kI, TensorShape()});
  const FunctionAttr body =
      Function("step", all, [&](TestFunction& c, const auto& s) {
        std::vector<Output> next = step(c, s);
        next.insert(next.begin(), s[0]);
        return next;
      });
  const auto& graph = *body.definition;
  const Ref<Plan> plan = *(*CompiledFunction::Of(graph))->LoopBodyPlan();
  const std::string text = plan->DebugString();
  EXPECT_NE(text.find("once loop StatelessWhile"), std::string::npos) << text;
  EXPECT_EQ(text.find("once"), text.rfind("once")) << text;
}

// What follows from states that only change places is another value in each
// turn.
TEST(NestedFunction, WhatIsMadeOfSwappedStates) {
  const Specs rest{{kF, k3x3}, {kF, k3x3}, {kF, k3x3}};
  const BodyMaker make = [&](TestFunction& b, const std::vector<Output>& in) {
    const Output other = b.Add("Neg", {b.Add("Tanh", {in[0]})});
    return Count(b, 5, rest, {in[0], other, in[0]},
                 [](TestFunction& c, const std::vector<Output>& s) {
                   const Output square = c.Add("MatMul", {s[1], s[1]});
                   return std::vector{s[2], s[1],
                                      c.Add("AddV2", {s[3], square})};
                 });
  };
  const Outcome o = RunBoth({{kF, k3x3}}, make, {Ramp(k3x3, -1)});
  ASSERT_TRUE(o.status.ok()) << o.status.ToString();
}

// A list that is used after the loop stays as it is, however many states come
// before it and die there.
TEST(NestedFunction, LoopsOfManyStates) {
  Specs rest(64, {kF, TensorShape()});
  rest.push_back({kV, TensorShape()});
  const AttrMap floats{{"element_dtype", kF}};
  const BodyMaker make = [&](TestFunction& b, const std::vector<Output>& in) {
    const Output shape = b.Const(Tensor::Vector<int32_t>(std::vector{1}));
    const Output list = b.Add(
        "TensorListPushBack",
        {b.Add("EmptyTensorList", {shape, IntConst(b, -1)}, floats), in[1]},
        floats);
    std::vector<Output> state(64, b.Const(Tensor::Scalar(1.0f)));
    state[0] = b.Add("Neg", {in[0]});
    state.push_back(list);
    const std::vector<Output> end = Count(
        b, 3, rest, state, [&](TestFunction& c, const std::vector<Output>& s) {
          std::vector<Output> next(s.begin() + 1, s.end());
          next[0] = c.Add("AddV2", {s[1], s[2]});
          const Output row = c.Const(Ramp(TensorShape{1}, -1));
          next[64] = c.Add("TensorListPushBack", {s[65], row}, floats);
          return next;
        });
    const auto stack = [&](Output l) {
      return b.Add("TensorListStack", {l, shape}, floats);
    };
    return std::vector{end[1], stack(end[65]), stack(list)};
  };
  const Outcome o = RunBoth({{kF, TensorShape()}, {kF, TensorShape{1}}}, make,
                            {Tensor::Scalar(2.0f), Ramp(TensorShape{1}, -1)});
  ASSERT_TRUE(o.status.ok()) << o.status.ToString();
  EXPECT_EQ(o.values[0].scalar<float>(), 1);
  EXPECT_EQ(o.values[1].shape(), TensorShape({4, 1}));
  EXPECT_EQ(o.values[2].shape(), TensorShape({1, 1}));
}

// States that change places, that are one value, that become a constant.
TEST(NestedFunction, StatesChangePlaces) {
  const Specs rest{{kF, k3x3}, {kF, k3x3}, {kF, k3x3}, {kF, k3x3}};
  const BodyMaker make = [&](TestFunction& b, const std::vector<Output>& in) {
    return Count(b, 7, rest, {in[0], in[1], in[0], in[1]},
                 [](TestFunction& c, const std::vector<Output>& s) {
                   const Output y = c.Add("AddV2", {s[1], s[4]});
                   const Output k = c.Const(Ramp(k3x3, -1));
                   return std::vector{s[2], y, y, c.Add("Mul", {s[3], k})};
                 });
  };
  const Outcome o =
      RunBoth({{kF, k3x3}, {kF, k3x3}}, make,
              {Ramp(k3x3, -1), Ramp(k3x3, -1)});
  ASSERT_TRUE(o.status.ok()) << o.status.ToString();
}

// A state that every turn makes anew from what no turn changes: it is moved
// from turn to turn, so it is no invariant.
TEST(NestedFunction, StatesMadeOfInvariants) {
  const Specs rest{{kF, k3x3}, {kF, k3x3}, {kF, k3x3}};
  const BodyMaker make = [&](TestFunction& b, const std::vector<Output>& in) {
    return Count(b, 5, rest, {in[0], in[0], in[1]},
                 [](TestFunction& c, const std::vector<Output>& s) {
                   const Output fixed = c.Add("MatMul", {s[3], s[3]});
                   return std::vector{c.Add("AddV2", {s[1], s[2]}),
                                      c.Add("Softmax", {fixed}), s[3]};
                 });
  };
  const Outcome o = RunBoth({{kF, k3x3}, {kF, k3x3}}, make,
                            {Ramp(k3x3, -1), Ramp(k3x3, -1)});
  ASSERT_TRUE(o.status.ok()) << o.status.ToString();
}

// A body that draws random numbers in a loop or a branch of its own does so in
// every turn.
TEST(NestedFunction, RandomNumbersAreNoInvariants) {
  const Specs rest{{kF, k3x3}, {kF, k3x3}};
  const BodyMaker make = [&](TestFunction& b, const std::vector<Output>& in) {
    return Count(
        b, 4, rest, {in[0], in[1]},
        [](TestFunction& c, const std::vector<Output>& s) {
          const auto draw = [](TestFunction& d) {
            const Output dims =
                d.Const(Tensor::Vector<int32_t>(std::vector<int32_t>{3, 3}));
            return d.Add("RandomUniform", {dims},
                         {{"dtype", kF}, {"seed", int64_t{5}}});
          };
          const Output here = draw(c);
          const auto branch = [&](const char* op) {
            return Function(op, {{kF, k3x3}},
                            [&](TestFunction& d, const auto& a) {
                              return std::vector{
                                  d.Add(op, {d.Add("AddV2", {a[0], draw(d)})})};
                            });
          };
          // Of nothing that a turn changes.
          const Output first = c.Const(Tensor::Scalar(0.5f));
          const Output at = c.Const(Tensor::Scalar<int32_t>(0));
          const Output more = c.Add(
              "Less", {first, c.Add("Max", {s[2], at})});
          const Output below = c.Add("StatelessIf", {more, s[2]},
                                     {{"Tout", std::vector{kF}},
                                      {"then_branch", branch("Neg")},
                                      {"else_branch", branch("Tanh")}});
          return std::vector{
              c.Add("AddV2", {c.Add("Sub", {s[1], below}),
                              c.Add("MatMul", {here, s[2]})}),
              s[2]};
        });
  };
  const Outcome a = RunWith(true, {{kF, k3x3}, {kF, k3x3}}, make,
                            {Ramp(k3x3, -1), Ramp(k3x3, -1)});
  const Outcome b = RunWith(false, {{kF, k3x3}, {kF, k3x3}}, make,
                            {Ramp(k3x3, -1), Ramp(k3x3, -1)});
  ASSERT_TRUE(a.status.ok()) << a.status.ToString();
  ASSERT_TRUE(b.status.ok()) << b.status.ToString();
  EXPECT_EQ(std::memcmp(a.values[1].raw_data(), b.values[1].raw_data(),
                        a.values[1].byte_size()),
            0)
      << a.values[1].DebugString() << b.values[1].DebugString();
}

// A list that every turn makes anew of one that no turn changes.
TEST(NestedFunction, ListsAreNoInvariants) {
  const Specs rest{{kV, TensorShape()}, {kV, TensorShape()}, {kF, k3x3}};
  const AttrMap floats{{"element_dtype", kF}};
  const Specs in_branch{{kV, TensorShape()}, {kF, k3x3}};
  const auto push = [&](const char* op) {
    return Function(op, in_branch, [&](TestFunction& d, const auto& a) {
      return std::vector{
          d.Add("TensorListPushBack", {a[0], d.Add(op, {a[1]})}, floats)};
    });
  };
  const BodyMaker make = [&](TestFunction& b, const std::vector<Output>& in) {
    const Output shape =
        b.Const(Tensor::Vector<int32_t>(std::vector<int32_t>{3, 3}));
    const Output empty =
        b.Add("EmptyTensorList", {shape, IntConst(b, -1)}, floats);
    const Output list =
        b.Add("TensorListPushBack", {empty, b.Add("Neg", {in[0]})}, floats);
    const std::vector<Output> end = Count(
        b, 4, rest, {list, empty, in[0]},
        [&](TestFunction& c, const std::vector<Output>& s) {
          const Output some = c.Add(
              "Less", {c.Add("Sum", {s[3], c.Const(Tensor::Vector<int32_t>(
                                               std::vector{0, 1}))}),
                       c.Const(Tensor::Scalar(0.0f))});
          const Output longer = c.Add("StatelessIf", {some, s[1], s[3]},
                                      {{"Tout", std::vector{kV}},
                                       {"then_branch", push("Exp")},
                                       {"else_branch", push("Tanh")}});
          const Output more =
              c.Add("TensorListPushBack", {longer, s[3]}, floats);
          return std::vector{s[1], more, s[3]};
        });
    return std::vector{b.Add("TensorListStack", {end[1], shape}, floats),
                       b.Add("TensorListStack", {end[2], shape}, floats)};
  };
  const Outcome o = RunBoth({{kF, k3x3}}, make, {Ramp(k3x3, -1)});
  ASSERT_TRUE(o.status.ok()) << o.status.ToString();
  EXPECT_EQ(o.values[0].shape(), TensorShape({1, 3, 3}));
  EXPECT_EQ(o.values[1].shape(), TensorShape({3, 3, 3}));
}

// A state that a turn gives another shape than the condition takes.
TEST(NestedFunction, ConditionsAreHeldToTheirArguments) {
  const Specs rest{{kF, TensorShape()}};
  for (int turns : {0, 1, 2}) {
    const BodyMaker make = [&](TestFunction& b, const std::vector<Output>& in) {
      return Count(b, turns, rest, {in[0]},
                   [](TestFunction& c, const std::vector<Output>& s) {
                     const Output one =
                         c.Const(Tensor::Vector<int32_t>(std::vector{1}));
                     return std::vector{c.Add("Reshape", {s[1], one})};
                   });
    };
    const Outcome o = RunBoth(rest, make, {Tensor::Scalar(1.0f)});
    EXPECT_EQ(o.status.ok(), turns == 0) << o.status.ToString();
  }
}

// States are held to what body and condition declare, in the first turn too.
TEST(NestedFunction, StatesThatDoNotFit) {
  const auto run = [](int64_t test_size, int64_t step_size, int64_t size,
                      int turns) {
    const PartialTensorShape any({-1});
    const BodyMaker make = [&](TestFunction& b, const std::vector<Output>& in) {
      const auto specs = [](int64_t n) {
        return Specs{{kI, TensorShape()}, {kF, TensorShape{n}}};
      };
      const FunctionAttr test = Function(
          "test", specs(test_size), [&](TestFunction& c, const auto& s) {
            return std::vector{c.Add("Less", {s[0], IntConst(c, turns)})};
          });
      const FunctionAttr step = Function(
          "step", specs(step_size), [](TestFunction& c, const auto& s) {
            return std::vector{c.Add("AddV2", {s[0], IntConst(c, 1)}),
                               c.Add("Neg", {s[1]})};
          });
      return OutputsOf(
          b.Add("StatelessWhile", {IntConst(b, 0), in[0]},
                {{"T", std::vector{kI, kF}},
                 {"output_shapes",
                  std::vector{PartialTensorShape(TensorShape()), any}},
                 {"cond", test},
                 {"body", step}}),
          2);
    };
    return RunBoth({{kF, any}}, make, {Ramp(TensorShape{size})}).status.code();
  };
  EXPECT_EQ(run(3, 3, 3, 2), Code::kOk);
  EXPECT_EQ(run(3, 3, 4, 2), Code::kInvalidArgument);
  EXPECT_EQ(run(4, 3, 3, 2), Code::kInvalidArgument);
  EXPECT_EQ(run(4, 3, 4, 1), Code::kInvalidArgument);
  EXPECT_EQ(run(4, 3, 4, 0), Code::kOk) << "the body is not asked";
}

// Bodies and conditions of other numbers of results, and conditions that are
// numbers.
TEST(NestedFunction, WhatLoopsAreMadeOf) {
  InitRuntime();
  const Specs one{{kI, TensorShape()}};
  const auto graph = [&](const BodyMaker& body) {
    return Function("f", one, body).definition;
  };
  const auto run = [&](const BodyMaker& test, const BodyMaker& step) {
    const auto cond = graph(test), body = graph(step);
    TensorVector state{Tensor::Scalar<int32_t>(3)};
    const Status s = RunWhileLoop(
        *cond,
        *body, &state,
        +[](const Tensor& t) -> StatusOr<bool> {
          return t.dtype() == DataType::kBool ? t.scalar<bool>()
                                              : t.scalar<int32_t>() != 0;
        },
        nullptr);
    if (!s.ok()) return std::string(s.message());
    return Format("{}", state[0].scalar<int32_t>());
  };
  const BodyMaker down = [](TestFunction& c, const auto& s) {
    return std::vector{c.Add("Sub", {s[0], IntConst(c, 1)})};
  };
  const BodyMaker itself = [](TestFunction&, const auto& s) {
    return std::vector{s[0]};
  };
  const BodyMaker both = [](TestFunction& c, const auto& s) {
    return std::vector{s[0], c.Add("Neg", {s[0]})};
  };
  for (bool lower : {true, false}) {
    SetControlFlowLowering(lower);
    EXPECT_EQ(run(itself, down), "0");
    EXPECT_NE(run(both, down).find("Expected a single scalar return value"),
              std::string::npos);
    EXPECT_NE(run(itself, both).find("returned 2 values, expected 1"),
              std::string::npos);
  }
  SetControlFlowLowering(true);
}

// Shapes that are not declared: the body gets a plan for those it meets, and
// keeps its invariants like any other.
TEST(NestedFunction, UndeclaredShapesThatStay) {
  const PartialTensorShape any = PartialTensorShape::UnknownOfRank(2);
  const Specs rest{{kF, any}, {kF, any}};
  const BodyMaker make = [&](TestFunction& b, const std::vector<Output>& in) {
    return Count(b, 6, rest, {in[0], in[1]},
                 [](TestFunction& c, const std::vector<Output>& s) {
                   const Output w = c.Add("MatMul", {s[2], s[2]});
                   return std::vector{
                       c.Add("Tanh", {c.Add("MatMul", {s[1], w})}), s[2]};
                 });
  };
  for (const int64_t n : {3, 5, 3, 3}) {
    const Tensor x = Ramp(TensorShape({n, n}));
    const Outcome o = RunBoth({{kF, any}, {kF, any}}, make, {x, x});
    ASSERT_TRUE(o.status.ok()) << o.status.ToString();
    EXPECT_EQ(o.values[1].shape(), x.shape());
  }
}

// An invariant that fails does so in the first turn, if there is one.
TEST(NestedFunction, InvariantsFailWhereTheyStand) {
  const Specs specs{{kI, TensorShape{2}}, {kI, TensorShape{2}}};
  const BodyMaker step = [](TestFunction& c, const std::vector<Output>& s) {
    return std::vector{c.Add("AddV2", {s[1], c.Add("FloorDiv", {s[1], s[2]})}),
                       s[2]};
  };
  for (int turns : {0, 1, 3}) {
    const BodyMaker make = [&](TestFunction& b, const std::vector<Output>& in) {
      return Count(b, turns, specs, {in[0], in[1]}, step);
    };
    const std::vector<int32_t> zeros{1, 0};
    const Tensor x = Tensor::Vector<int32_t>(zeros);
    const Outcome o = RunBoth(specs, make, {x, x});
    EXPECT_EQ(o.status.ok(), turns == 0);
    EXPECT_EQ(o.origin, turns == 0 ? "" : "step:FloorDiv");
  }
}

// A list grows in place through loops and branches, and what was shared
// before stays as it was.
TEST(NestedFunction, ListsAndBranches) {
  const Specs rest{{kV, TensorShape()}, {kF, k3x3}};
  const AttrMap floats{{"element_dtype", kF}};
  const BodyMaker step = [&](TestFunction& c, const std::vector<Output>& s) {
    const Output odd = c.Add(
        "Equal", {c.Add("FloorMod", {s[0], IntConst(c, 2)}), IntConst(c, 1)});
    const auto push = [&](const char* op) {
      return Function(op, rest, [&](TestFunction& d, const auto& a) {
        const Output y = d.Add(op, {a[1]});
        return std::vector{d.Add("TensorListPushBack", {a[0], y}, floats), y};
      });
    };
    return OutputsOf(c.Add("StatelessIf", {odd, s[1], s[2]},
                           {{"Tout", std::vector{kV, kF}},
                            {"then_branch", push("Neg")},
                            {"else_branch", push("Tanh")}}),
                     2);
  };
  const BodyMaker make = [&](TestFunction& b, const std::vector<Output>& in) {
    const Output shape =
        b.Const(Tensor::Vector<int32_t>(std::vector<int32_t>{3, 3}));
    const Output empty =
        b.Add("EmptyTensorList", {shape, IntConst(b, -1)}, floats);
    const std::vector<Output> end = Count(b, 6, rest, {empty, in[0]}, step);
    const std::vector<Output> more = Count(b, 3, rest, {end[1], end[2]}, step);
    const auto stack = [&](Output list) {
      return b.Add("TensorListStack", {list, shape}, floats);
    };
    return std::vector{stack(end[1]), stack(more[1]), more[2]};
  };
  const Outcome o = RunBoth({{kF, k3x3}}, make, {Ramp(k3x3, -1)});
  ASSERT_TRUE(o.status.ok()) << o.status.ToString();
  EXPECT_EQ(o.values[0].shape(), TensorShape({6, 3, 3}));
  EXPECT_EQ(o.values[1].shape(), TensorShape({9, 3, 3}));
}

// Shapes that change from turn to turn.
TEST(NestedFunction, GrowingState) {
  const Specs rest{{kF, PartialTensorShape::Make({{-1}}).value()}};
  const BodyMaker make = [&](TestFunction& b, const std::vector<Output>& in) {
    return Count(
        b, 4, rest, {in[0]}, [](TestFunction& c, const std::vector<Output>& s) {
          return std::vector{c.Add("ConcatV2", {s[1], s[1], IntConst(c, 0)},
                                   {{"N", int64_t{2}}})};
        });
  };
  const Outcome o =
      RunBoth({{kF, TensorShape{2}}}, make, {Ramp(TensorShape{2})});
  ASSERT_TRUE(o.status.ok()) << o.status.ToString();
  EXPECT_EQ(o.values[1].shape(), TensorShape({32}));
}

// An argument of the caller is not changed by a loop that updates in place.
TEST(NestedFunction, CallersTensorsStay) {
  const Specs rest{{kF, k3x3}};
  const BodyMaker make = [&](TestFunction& b, const std::vector<Output>& in) {
    return Count(b, 3, rest, {in[0]},
                 [](TestFunction& c, const std::vector<Output>& s) {
                   return std::vector{c.Add("AddV2", {s[1], s[1]})};
                 });
  };
  const Tensor in = Ramp(k3x3, -1);
  RunBoth(rest, make, {in});
  EXPECT_EQ(in.data<float>()[0], -1.0f);
  EXPECT_EQ(in.data<float>()[8], 1.0f);
}

}  // namespace
}  // namespace gk
