#include "runtime/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <unordered_map>

#include "graph/function_for_test.h"

namespace gk {
namespace {

constexpr int64_t kLarge = 4096;  // worth an update in a cluster

RewriteGraph GraphOf(TestFunction& b, std::vector<Output> results,
                      std::vector<Node*> control = {}) {
  return RewriteGraph::CloneOf(*b.Finish(std::move(results), control));
}

Output Variable(TestFunction& b, int64_t size) {
  const Output v = b.Arg(DataType::kResource, {});
  v.node->mutable_output(0).handle_data = {
      {DataType::kFloat, PartialTensorShape({size})}};
  return v;
}

Output Read(TestFunction& b, Output v, std::vector<Node*> control = {}) {
  return b.Add("ReadVariableOp", {v}, {{"dtype", DataType::kFloat}}, control);
}

// Where each node stands: all of one unit one after the other, as there.
std::unordered_map<std::string, int> Places(const std::vector<Unit>& units) {
  std::unordered_map<std::string, int> places;
  for (const Unit& unit : units) {
    for (const Node* n : unit.nodes) places[n->name()] = places.size();
  }
  return places;
}

void ExpectOrder(const RewriteGraph& f, const std::vector<Unit>& units) {
  const auto places = Places(units);
  for (const auto& node : f.graph->nodes()) {
    const auto at = places.find(node->name());
    if (at == places.end()) continue;
    const auto expect_before = [&](const Node* before) {
      ASSERT_TRUE(places.count(before->name())) << before->name();
      EXPECT_LT(places.at(before->name()), at->second)
          << before->name() << " before " << node->name();
    };
    for (const Output& in : node->inputs()) expect_before(in.node);
    for (const Node* c : node->control_inputs()) expect_before(c);
  }
}

TEST(Schedule, KeepsNodesThatAreNeededAndWhatTheyWaitFor) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {8});
  const Output v = Variable(b, 8);
  const Output first = b.Add("Exp", {x});
  b.Add("Sin", {x});
  const Output read = Read(b, v, {first.node});
  b.Add("AssignVariableOp", {v, x}, {{"dtype", DataType::kFloat}}, {read.node});
  const Output only = b.Add("Cos", {x});
  const RewriteGraph f = GraphOf(b, {b.Add("Neg", {x})}, {only.node});
  const auto units = ValueOrThrow(MakeSchedule(f));
  ExpectOrder(f, units);
  const auto places = Places(units);
  EXPECT_EQ(places.count("Sin"), 0u);
  for (const char* name : {"Exp", "Neg", "Cos", "ReadVariableOp"}) {
    EXPECT_EQ(places.count(name), 1u) << name;
  }
}

// What fails must fail before what waits for it, though they share nothing.
TEST(Schedule, ElementwiseNodesWaitForEachOther) {
  TestFunction b;
  const Output x = b.Arg(DataType::kInt32, {kLarge});
  const Output y = b.Arg(DataType::kInt32, {kLarge});
  const Output v = b.Arg(DataType::kResource, {});
  v.node->mutable_output(0).handle_data = {
      {DataType::kInt32, PartialTensorShape({kLarge})}};
  const Output first = b.Add("AddV2", {x, x});
  const Output quotient = b.Add("FloorDiv", {y, y});
  const Output sum = b.Add("AddV2", {first, x}, {}, {quotient.node});
  b.Add("AssignVariableOp", {v, sum}, {{"dtype", DataType::kInt32}});
  const RewriteGraph f = GraphOf(b, {quotient});
  ExpectOrder(f, ValueOrThrow(MakeSchedule(f)));
}

TEST(Schedule, ReadsBeforeAndAfterMergedUpdates) {
  TestFunction b;
  const Output v = Variable(b, kLarge);
  const Output x = b.Arg(DataType::kFloat, {kLarge});
  const Output old = Read(b, v);
  const Output add = b.Add("AssignAddVariableOp", {v, b.Add("Exp", {x})},
                           {{"dtype", DataType::kFloat}}, {old.node});
  const Output between = Read(b, v, {add.node});
  const Output sub =
      b.Add("AssignSubVariableOp", {v, b.Add("Neg", {between})},
            {{"dtype", DataType::kFloat}}, {add.node, between.node});
  const Output last = Read(b, v, {sub.node});
  const RewriteGraph f = GraphOf(
      b, {b.Add("Sin", {old}), b.Add("Cos", {between}), b.Add("Exp", {last})});
  for (bool merge : {true, false}) {
    ExpectOrder(f, ValueOrThrow(MakeSchedule(f, merge)));
  }
}

TEST(Schedule, ReportsCycles) {
  TestFunction b;
  const Output x = b.Arg(DataType::kFloat, {});
  const Output y = b.Add("Neg", {x});
  const Output z = b.Add("Exp", {y});
  y.node->AddControlInput(z.node);
  const RewriteGraph f = GraphOf(b, {z});
  EXPECT_FALSE(MakeSchedule(f).ok());
}

// Variables, reads, writes and elementwise ops over two domains, with control
// edges in program order and at random.
TEST(Schedule, RandomGraphsKeepTheirOrder) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](size_t n) { return random() % n; };
    TestFunction b;
    const int64_t sizes[] = {kLarge, 3};
    std::vector<Output> variables[2], values[2];
    std::vector<Node*> made;
    for (int d = 0; d < 2; ++d) {
      values[d].push_back(b.Arg(DataType::kFloat, {sizes[d]}));
      for (int i = 0; i < 2; ++i) {
        variables[d].push_back(Variable(b, sizes[d]));
      }
    }
    std::unordered_map<const Node*, std::vector<Node*>> uses;
    for (int i = 0; i < 30; ++i) {
      const int d = below(2);
      std::vector<Node*> control;
      if (!made.empty() && below(3) == 0) {
        control.push_back(made[below(made.size())]);
      }
      const Output value = values[d][below(values[d].size())];
      const Output variable = variables[d][below(2)];
      auto& before = uses[variable.node];
      Output out;
      switch (below(5)) {
        case 0:
          control.insert(control.end(), before.begin(), before.end());
          out = Read(b, variable, control);
          before.push_back(out.node);
          values[d].push_back(out);
          break;
        case 1:
        case 2: {
          const char* ops[] = {"AssignVariableOp", "AssignAddVariableOp",
                               "AssignSubVariableOp"};
          control.insert(control.end(), before.begin(), before.end());
          out = b.Add(ops[below(3)], {variable, value},
                      {{"dtype", DataType::kFloat}}, control);
          before.push_back(out.node);
          break;
        }
        default:
          out = b.Add(below(2) ? "Mul" : "AddV2",
                      {value, values[d][below(values[d].size())]}, {}, control);
          values[d].push_back(out);
      }
      made.push_back(out.node);
    }
    const RewriteGraph f =
        GraphOf(b, {values[0].back(), values[1].back(), values[0][0]});
    for (bool merge : {true, false}) {
      ExpectOrder(f, ValueOrThrow(MakeSchedule(f, merge)));
    }
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
}  // namespace gk
