// Inlining and loops without turns, by the edges that they leave; the check of
// passes looks at the same from the other side.
#include "grappler/splice.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/checks.h"
#include "graph/function_for_test.h"
#include "grappler/inline_calls.h"
#include "grappler/optimize.h"
#include "grappler/order_effects.h"

namespace gk {
namespace {

const AttrMap kFloatType{{"dtype", DataType::kFloat}};
const std::vector<DataType> kOneFloat{DataType::kFloat};

Output VariableArg(TestFunction& b) {
  const Output v = b.Arg(DataType::kResource, {});
  v.node->mutable_output(0).handle_data = {
      {DataType::kFloat, PartialTensorShape({3})}};
  return v;
}

Output Read(TestFunction& b, Output v, std::vector<Node*> control = {}) {
  return b.Add("ReadVariableOp", {v}, kFloatType, std::move(control));
}

Output Assign(TestFunction& b, Output v, Output value,
              std::vector<Node*> control = {}) {
  return b.Add("AssignVariableOp", {v, value}, kFloatType, std::move(control));
}

Output Call(TestFunction& b, const Ref<GraphFunction>& f,
            std::vector<Output> inputs, std::vector<Node*> control = {}) {
  return b.Add(f->is_stateful() ? "StatefulPartitionedCall" : "PartitionedCall",
               std::move(inputs),
               {{"Tout", f->output_types()}, {"f", FunctionAttr{"g", f}}},
               std::move(control));
}

// Whether `late` comes after `early` by the edges of the graph.
bool Waits(const RewriteGraph& f, const char* late, const char* early) {
  const Node* first = f.graph->FindNode(early);
  const Node* last = f.graph->FindNode(late);
  EXPECT_NE(first, nullptr) << early;
  EXPECT_NE(last, nullptr) << late;
  if (first == nullptr || last == nullptr) return false;
  std::vector<const Node*> todo{last};
  std::vector<bool> seen(f.graph->num_nodes());
  while (!todo.empty()) {
    const Node* node = todo.back();
    todo.pop_back();
    if (node == first) return true;
    if (seen[node->id()]) continue;
    seen[node->id()] = true;
    for (const Output& in : node->inputs()) todo.push_back(in.node);
    for (const Node* c : node->control_inputs()) todo.push_back(c);
  }
  return false;
}

class SpliceTest : public testing::Test {
 protected:
  const ChecksScope checks_{true};
};

RewriteGraph OptimizedCopy(const Ref<GraphFunction>& f) {
  return ValueOrThrow(Optimize(*f));
}

constexpr const char* kReadOp = "StatefulPartitionedCall/ReadVariableOp";

TEST_F(SpliceTest, WritesWaitForReadsInCalls) {
  TestFunction g("g"), b;
  const auto reads = g.Finish({Read(g, VariableArg(g))});
  const Output v = VariableArg(b);
  const Output x = b.Arg(DataType::kFloat, {3});
  const Output call = Call(b, reads, {v});
  Assign(b, v, x, {call.node});
  const RewriteGraph f = OptimizedCopy(b.Finish({call}));
  EXPECT_TRUE(Waits(f, "AssignVariableOp", kReadOp));
}

TEST_F(SpliceTest, ReadsThatNobodyUsesKeepTheirPlaceToo) {
  TestFunction inner("inner"), g("g"), b;
  const auto reads = inner.Finish({Read(inner, VariableArg(inner))});
  const Output gv = VariableArg(g);
  Call(g, reads, {gv});
  const auto middle = g.Finish({});
  const Output v = VariableArg(b);
  const Output x = b.Arg(DataType::kFloat, {3});
  const Output call = Call(b, middle, {v});
  Assign(b, v, x, {call.node});
  const RewriteGraph f = OptimizedCopy(b.Finish({}));
  EXPECT_TRUE(Waits(f, "AssignVariableOp",
                    "StatefulPartitionedCall/StatefulPartitionedCall/"
                    "ReadVariableOp"));
}

TEST_F(SpliceTest, ReadsInCallsWaitForEarlierWrites) {
  TestFunction g("g"), b;
  const auto reads = g.Finish({Read(g, VariableArg(g))});
  const Output v = VariableArg(b);
  const Output x = b.Arg(DataType::kFloat, {3});
  const Output assign = Assign(b, v, x);
  const Output call = Call(b, reads, {v}, {assign.node});
  const RewriteGraph f = OptimizedCopy(b.Finish({call}));
  EXPECT_TRUE(Waits(f, kReadOp, "AssignVariableOp"));
}

// A call begins when its inputs are there, whether it uses them or not.
TEST_F(SpliceTest, BodiesWaitForWhatTheInputsFollowFrom) {
  TestFunction g("g"), b;
  const Output gv = VariableArg(g);
  const Output gx = g.Arg(DataType::kFloat, {3});
  g.Arg(DataType::kFloat, {3});
  Assign(g, gv, gx);
  const auto writes = g.Finish({});
  const Output v = VariableArg(b);
  const Output x = b.Arg(DataType::kFloat, {3});
  const Output old = Read(b, v);
  Call(b, writes, {v, x, b.Add("Neg", {old})});
  const RewriteGraph f = OptimizedCopy(b.Finish({old}));
  EXPECT_TRUE(
      Waits(f, "StatefulPartitionedCall/AssignVariableOp", "ReadVariableOp"));
}

// Whoever uses a value of a call runs when all of the call is done.
TEST_F(SpliceTest, UsersOfOneResultWaitForAllOfTheCall) {
  TestFunction g("g"), b;
  const Output gv = VariableArg(g);
  const Output gx = g.Arg(DataType::kFloat, {3});
  const auto reads = g.Finish({Read(g, gv), g.Add("Neg", {gx})});
  const Output v = VariableArg(b);
  const Output x = b.Arg(DataType::kFloat, {3});
  const Output call = Call(b, reads, {v, x});
  Assign(b, v, b.Add("Exp", {{call.node, 1}}));
  const RewriteGraph f = OptimizedCopy(b.Finish({call}));
  EXPECT_TRUE(Waits(f, "AssignVariableOp", kReadOp));
}

TEST_F(SpliceTest, CallsWithoutEffectsPassOrderOn) {
  TestFunction g("g"), b;
  const Output gx = g.Arg(DataType::kFloat, {3});
  const auto pure = g.Finish({g.Add("Neg", {gx})});
  const Output v = VariableArg(b), w = VariableArg(b);
  const Output x = b.Arg(DataType::kFloat, {3});
  const Output old = Read(b, v);
  const Output call = Call(b, pure, {old});
  const Output unused = Call(b, pure, {x}, {old.node});
  Assign(b, v, x, {call.node});
  Assign(b, w, x, {unused.node});
  const RewriteGraph f = OptimizedCopy(b.Finish({}));
  EXPECT_TRUE(Waits(f, "AssignVariableOp", "PartitionedCall/Neg"));
  EXPECT_TRUE(Waits(f, "AssignVariableOp", "ReadVariableOp"));
  EXPECT_TRUE(Waits(f, "AssignVariableOp_1", "ReadVariableOp"));
}

// What a body was told to run is waited for though it has no effect.
TEST_F(SpliceTest, ControlOutputsAreWaitedFor) {
  TestFunction g("g"), b;
  const Output gx = g.Arg(DataType::kFloat, {3});
  const Output noted = g.Add("Exp", {gx});
  const auto notes = g.Finish({g.Add("Neg", {gx})}, {noted.node});
  const Output v = VariableArg(b);
  const Output x = b.Arg(DataType::kFloat, {3});
  const Output call = Call(b, notes, {x});
  Assign(b, v, x, {call.node});
  const RewriteGraph f = OptimizedCopy(b.Finish({}, {call.node}));
  EXPECT_TRUE(Waits(f, "AssignVariableOp", "PartitionedCall/Exp"));
  ASSERT_EQ(f.control_outputs.size(), 1u);
  EXPECT_EQ(f.control_outputs[0]->name(), "PartitionedCall/Exp");
}

TEST_F(SpliceTest, CallsAfterCalls) {
  TestFunction g("g"), b;
  const Output gv = VariableArg(g);
  const Output gx = g.Arg(DataType::kFloat, {3});
  const Output read = Read(g, gv);
  Assign(g, gv, gx, {read.node});
  const auto swaps = g.Finish({read, gx});
  const Output v = VariableArg(b);
  const Output x = b.Arg(DataType::kFloat, {3});
  const Output first = Call(b, swaps, {v, x});
  const Output second = Call(b, swaps, {v, {first.node, 1}});
  const RewriteGraph f = OptimizedCopy(b.Finish({first, second}));
  EXPECT_TRUE(Waits(f, "StatefulPartitionedCall_1/ReadVariableOp",
                    "StatefulPartitionedCall/AssignVariableOp"));
}

TEST_F(SpliceTest, KnownBranchesKeepTheirPlace) {
  const auto branch = [](const char* name, bool writes) {
    TestFunction g(name);
    const Output v = VariableArg(g);
    const Output x = g.Arg(DataType::kFloat, {3});
    const Output read = Read(g, v);
    if (writes) Assign(g, v, x, {read.node});
    return FunctionAttr{name, g.Finish({read})};
  };
  TestFunction b;
  const Output v = VariableArg(b);
  const Output x = b.Arg(DataType::kFloat, {3});
  const Output yes = b.Add(
      "Less", {b.Const(Tensor::Scalar(1.0f)), b.Const(Tensor::Scalar(2.0f))});
  const Output before = Assign(b, v, x);
  const Output taken = b.Add("If", {yes, v, x},
                             {{"Tout", kOneFloat},
                              {"then_branch", branch("reads", false)},
                              {"else_branch", branch("writes", true)}},
                             {before.node});
  Assign(b, v, b.Add("Neg", {x}), {taken.node});
  const RewriteGraph f = OptimizedCopy(b.Finish({taken}));
  EXPECT_EQ(f.graph->FindNode("If"), nullptr);
  EXPECT_TRUE(Waits(f, "ReadVariableOp", "AssignVariableOp"));
  EXPECT_TRUE(Waits(f, "AssignVariableOp_1", "ReadVariableOp"));
}

Ref<GraphFunction> LoopBetween(bool turns) {
  TestFunction test("test"), step("step"), b;
  const Output limit = test.Const(Tensor::Scalar<int32_t>(10));
  const Output i = test.Arg(DataType::kInt32, {});
  VariableArg(test);
  const FunctionAttr cond{"test", test.Finish({test.Add("Less", {i, limit})})};
  const Output j = step.Arg(DataType::kInt32, {});
  const Output u = VariableArg(step);
  const Output read = Read(step, u);
  const Output write = Assign(step, u, step.Add("Neg", {read}), {read.node});
  const Output one = step.Const(Tensor::Scalar<int32_t>(1));
  const FunctionAttr body{
      "step", step.Finish({step.Add("AddV2", {j, one}), u}, {write.node})};
  const Output v = VariableArg(b);
  const Output x = b.Arg(DataType::kFloat, {3});
  const Output first = Assign(b, v, x);
  const Output start = b.Const(Tensor::Scalar<int32_t>(turns ? 8 : 10));
  const Output loop = b.Add(
      "While", {start, v},
      {{"T", std::vector<DataType>{DataType::kInt32, DataType::kResource}},
       {"cond", cond},
       {"body", body}},
      {first.node});
  const Output last = Read(b, v, {loop.node});
  return b.Finish({last, loop}, {loop.node});
}

TEST_F(SpliceTest, LoopsWithoutTurnsPassOrderOn) {
  const RewriteGraph f = OptimizedCopy(LoopBetween(false));
  EXPECT_EQ(f.graph->FindNode("While"), nullptr);
  EXPECT_TRUE(Waits(f, "ReadVariableOp", "AssignVariableOp"));
  EXPECT_NE(OptimizedCopy(LoopBetween(true)).graph->FindNode("While"), nullptr);
}

TEST_F(SpliceTest, ManyThatAreWaitedForAreGathered) {
  TestFunction g("g"), h("h"), b;
  std::vector<Output> results, variables;
  for (int i = 0; i < 30; ++i) results.push_back(Read(g, VariableArg(g)));
  const auto reads = g.Finish(results);
  const Output hx = h.Arg(DataType::kFloat, {3});
  for (int i = 0; i < 30; ++i) Assign(h, VariableArg(h), hx);
  const auto writes = h.Finish({});
  for (int i = 0; i < 30; ++i) variables.push_back(VariableArg(b));
  const Output x = b.Arg(DataType::kFloat, {3});
  const Output first = Call(b, reads, variables);
  std::vector<Output> inputs{x};
  inputs.insert(inputs.end(), variables.begin(), variables.end());
  const Output second = Call(b, writes, inputs, {first.node});
  const Output third = Call(b, reads, variables, {second.node});
  results.clear();
  for (int i = 0; i < 30; ++i) {
    results.push_back({first.node, i});
    results.push_back({third.node, i});
  }
  const RewriteGraph f = OptimizedCopy(b.Finish(results, {second.node}));
  EXPECT_EQ(f.control_outputs.size(), 30u);
  size_t edges = 0;
  for (const auto& node : f.graph->nodes()) {
    edges += node->control_inputs().size();
  }
  EXPECT_LT(edges, 400u);
  EXPECT_TRUE(Waits(f, "StatefulPartitionedCall_2/ReadVariableOp_7",
                    "StatefulPartitionedCall_1/AssignVariableOp_9"));
}

// A write that follows from a read by its shape alone waits for the read.
TEST_F(SpliceTest, OrderThroughValuesBecomesAnEdge) {
  TestFunction b;
  const Output v = VariableArg(b);
  const Output read = Read(b, v);
  Assign(b, v, b.Add("ZerosLike", {read}));
  const RewriteGraph f = OptimizedCopy(b.Finish({read}));
  EXPECT_EQ(f.graph->FindNode("ZerosLike"), nullptr);
  EXPECT_TRUE(Waits(f, "AssignVariableOp", "ReadVariableOp"));
}

TEST_F(SpliceTest, WhatAGraphLeavesOpenGetsTheOrderOfItsNodes) {
  TestFunction b;
  const Output v = VariableArg(b);
  const Output x = b.Arg(DataType::kFloat, {3});
  Assign(b, v, x);
  const Output read = Read(b, v);
  Assign(b, v, b.Add("Neg", {x}));
  const RewriteGraph f = OptimizedCopy(b.Finish({read}));
  EXPECT_TRUE(Waits(f, "ReadVariableOp", "AssignVariableOp"));
  EXPECT_TRUE(Waits(f, "AssignVariableOp_1", "ReadVariableOp"));
}

TEST_F(SpliceTest, BodiesThatDoNotFitStayCalls) {
  TestFunction g("g"), b;
  const Output gx = g.Arg(DataType::kFloat, {2, 3});
  const Output gy = g.Arg(DataType::kFloat, {2, 3});
  const auto adds = g.Finish({g.Add("AddV2", {gx, gy})});
  const Output x = b.Arg(DataType::kFloat, {2, 3});
  const Output y = b.Arg(DataType::kFloat, {4, 5});
  const RewriteGraph f = OptimizedCopy(b.Finish({Call(b, adds, {x, y})}));
  EXPECT_NE(f.graph->FindNode("PartitionedCall"), nullptr);
}

TEST_F(SpliceTest, BodiesOfOtherTypesStayCalls) {
  TestFunction g("g"), h("h"), b;
  const auto one = g.Finish({g.Add("Neg", {g.Arg(DataType::kFloat, {3})})});
  const Output hx = h.Arg(DataType::kFloat, {3});
  const auto two = h.Finish({hx, h.Add("Neg", {hx})});
  const Output x = b.Arg(DataType::kInt32, {3});
  const Output y = b.Arg(DataType::kFloat, {3});
  const auto call = [&](const Ref<GraphFunction>& f, std::vector<Output> in,
                        std::vector<DataType> out) {
    return b.Add("PartitionedCall", std::move(in),
                 {{"Tout", std::move(out)}, {"f", FunctionAttr{"g", f}}});
  };
  std::vector<Output> results;
  try {
    results = {call(one, {x}, {DataType::kFloat}),
               call(one, {y}, {DataType::kInt32}),
               call(one, {y, y}, {DataType::kFloat}),
               call(two, {y}, {DataType::kFloat})};
  } catch (const Error& e) {
    GTEST_SKIP() << "no such graph can be built: " << e.status().ToString();
  }
  RewriteGraph f = RewriteGraph::CloneOf(*b.Finish(results));
  ThrowIfError(InlineCalls(nullptr, &f));
  for (const char* name : {"PartitionedCall", "PartitionedCall_1",
                           "PartitionedCall_2", "PartitionedCall_3"}) {
    EXPECT_NE(f.graph->FindNode(name), nullptr) << name;
  }
}

// A node that waits hands on what it waits for to a call that has its value.
TEST_F(SpliceTest, BodiesWaitForWhatTheInputsWaitFor) {
  TestFunction g("g"), b;
  const Output gv = VariableArg(g);
  g.Arg(DataType::kFloat, {3});
  const auto reads = g.Finish({Read(g, gv)});
  const Output v = VariableArg(b);
  const Output x = b.Arg(DataType::kFloat, {3});
  const Output assign = Assign(b, v, x);
  const Output later = b.Add("Exp", {x}, {}, {assign.node});
  const Output call = Call(b, reads, {v, b.Add("Neg", {later})});
  const RewriteGraph f = OptimizedCopy(b.Finish({call}));
  EXPECT_TRUE(Waits(f, kReadOp, "AssignVariableOp"));
}

// The same for what follows from a call: by a value, then by an edge.
TEST_F(SpliceTest, OrderIsCarriedByEdges) {
  TestFunction g("g"), b;
  const Output gv = VariableArg(g);
  const Output gx = g.Arg(DataType::kFloat, {3});
  Read(g, gv);
  const auto reads = g.Finish({g.Add("Neg", {gx})});
  const Output v = VariableArg(b);
  const Output x = b.Arg(DataType::kFloat, {3});
  const Output call = Call(b, reads, {v, x});
  const Output value = b.Add("Exp", {call});
  const Output waits = b.Add("Sin", {x}, {}, {value.node});
  Assign(b, v, waits);
  const RewriteGraph f = OptimizedCopy(b.Finish({call}));
  EXPECT_TRUE(Waits(f, "AssignVariableOp", kReadOp));
}

// What a call only hands on is waited for where it comes from.
TEST_F(SpliceTest, CallsThatHandOnAnArgument) {
  TestFunction g("g"), b;
  const Output gx = g.Arg(DataType::kFloat, {3});
  const Output unused = g.Add("Exp", {gx}, {}, {gx.node});
  const auto same = g.Finish({gx}, {gx.node, unused.node});
  const Output v = VariableArg(b);
  const Output x = b.Arg(DataType::kFloat, {3});
  const Output read = Read(b, v);
  const Output call = Call(b, same, {read});
  const Output assign = Assign(b, v, x, {call.node});
  const RewriteGraph f = OptimizedCopy(b.Finish({call}, {assign.node}));
  EXPECT_EQ(f.graph->FindNode("PartitionedCall"), nullptr);
  EXPECT_EQ(f.results[0].node->name(), "ReadVariableOp");
  EXPECT_TRUE(Waits(f, "AssignVariableOp", "ReadVariableOp"));
}

// Errors of a body name the user's line: the node's, or else the call's.
TEST_F(SpliceTest, CopiesKnowTheirSource) {
  TestFunction g("g"), b;
  const Output gx = g.Arg(DataType::kFloat, {3});
  const Output of_body = g.Add("Exp", {gx}), of_call = g.Add("Sin", {gx});
  of_body.node->set_source(7);
  const auto callee = g.Finish({of_body, of_call});
  const Output call = Call(b, callee, {b.Arg(DataType::kFloat, {3})});
  call.node->set_source(5);
  RewriteGraph f = RewriteGraph::CloneOf(*b.Finish({call, {call.node, 1}}));
  ThrowIfError(InlineCalls(nullptr, &f));
  EXPECT_EQ(f.graph->FindNode("PartitionedCall/Exp")->source(), 7u);
  EXPECT_EQ(f.graph->FindNode("PartitionedCall/Sin")->source(), 5u);
}

// The branch is known and its body fails: so does the node, if it runs.
TEST_F(SpliceTest, KnownBranchesThatDoNotFitStay) {
  TestFunction g("g"), b;
  const Output gx = g.Arg(DataType::kFloat, {2, 3});
  const Output gy = g.Arg(DataType::kFloat, {2, 3});
  const FunctionAttr adds{"g", g.Finish({g.Add("AddV2", {gx, gy})})};
  const Output x = b.Arg(DataType::kFloat, {2, 3});
  const Output y = b.Arg(DataType::kFloat, {4, 5});
  const Output choice = b.Add(
      "StatelessIf", {b.Const(Tensor::Scalar(true)), x, y},
      {{"Tout", kOneFloat}, {"then_branch", adds}, {"else_branch", adds}});
  RewriteGraph f = RewriteGraph::CloneOf(*b.Finish({choice}));
  bool changed = false;
  ThrowIfError(TakeKnownBranches(&f, &changed));
  EXPECT_FALSE(changed);
  EXPECT_EQ(f.results[0].node->name(), "StatelessIf");
}

// A condition of two elements is none where one is asked for, and no number
// of a branch.
TEST_F(SpliceTest, ConditionsThatCannotBeAskedStay) {
  const auto stays = [](const char* op, bool marked, Tensor condition) {
    TestFunction g("g"), b;
    const FunctionAttr same{
        "g", g.Finish({g.Add("Neg", {g.Arg(DataType::kFloat, {})})})};
    AttrMap attrs{{"Tout", kOneFloat}};
    if (std::string_view(op) == "Case") {
      attrs.Set("branches", std::vector{same, same});
    } else {
      attrs.Set("then_branch", same);
      attrs.Set("else_branch", same);
    }
    if (marked) attrs.Set("_lower_using_switch_merge", true);
    const Output c = b.Const(std::move(condition));
    const Output x = b.Arg(DataType::kFloat, {});
    RewriteGraph f =
        RewriteGraph::CloneOf(*b.Finish({b.Add(op, {c, x}, attrs)}));
    bool changed = false;
    ThrowIfError(TakeKnownBranches(&f, &changed));
    return !changed;
  };
  const std::vector<int32_t> two{1, 1}, one{1};
  EXPECT_FALSE(stays("If", false, Tensor::Vector<int32_t>(two)));
  EXPECT_TRUE(stays("If", true, Tensor::Vector<int32_t>(two)));
  EXPECT_FALSE(stays("If", true, Tensor::Vector<int32_t>(one)));
  EXPECT_FALSE(stays("Case", false, Tensor::Scalar<int32_t>(1)));
  try {
    EXPECT_TRUE(stays("Case", false, Tensor::Vector<int32_t>(one)));
  } catch (const Error& e) {
    EXPECT_EQ(e.status().code(), Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace gk
