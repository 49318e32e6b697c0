// Loops: a While of each frame.
#include <algorithm>
#include <utility>

#include "framework/op_registry.h"
#include "graph/control_flow_raiser.h"

namespace gk {

int ControlFlowRaiser::EntersTo(int enter) const {
  const auto it = enters_.find(enter);
  return it == enters_.end() ? -1 : it->second;
}

std::vector<int> ControlFlowRaiser::Members(
    int frame, const std::unordered_set<int>& without) const {
  std::vector<int> all;
  for (int i = 0; i < g_.size(); ++i) {
    if (frame_[i] == frame && !g_.nodes()[i].gone && without.count(i) == 0) {
      all.push_back(i);
    }
  }
  return all;
}

void ControlFlowRaiser::AddRest(const std::vector<int>& inner,
                                const std::vector<Variable>& variables,
                                Part* test, Part* body) const {
  std::unordered_set<int> in_body =
      body->nodes.empty()
          ? std::unordered_set<int>()
          : std::unordered_set<int>(body->nodes.begin(), body->nodes.end());
  for (const Variable& v : variables) {
    if (v.test >= 0) in_body.insert(v.test);
  }
  const std::unordered_set<int> inside(inner.begin(), inner.end());
  std::vector<int> todo(in_body.begin(), in_body.end());
  while (!todo.empty()) {
    const int from = todo.back();
    todo.pop_back();
    for (int i : Users()[from]) {
      if (inside.count(i) == 0 || test->nodes.count(i) != 0 ||
          !in_body.insert(i).second) {
        continue;
      }
      body->nodes.insert(i);
      todo.push_back(i);
    }
  }
  for (int i : inner) {
    if (in_body.count(i) == 0) test->nodes.insert(i);
  }
}

Status ControlFlowRaiser::RaiseLoop(int frame) {
  std::vector<int> members, enters, exits;
  int condition = -1;
  for (int i = 0; i < g_.size(); ++i) {
    if (g_.nodes()[i].gone) continue;
    if (g_.Is(i, LoweredOp::kEnter) && EntersTo(i) == frame) {
      enters.push_back(i);
    }
    if (frame_[i] != frame) continue;
    members.push_back(i);
    if (g_.Is(i, LoweredOp::kLoopCond)) {
      if (condition >= 0) return Wrong(i, "the loop has two conditions");
      condition = i;
    } else if (g_.Is(i, LoweredOp::kExit)) {
      exits.push_back(i);
    }
  }
  if (condition < 0 || g_.nodes()[condition].inputs.size() != 1) {
    return InvalidArgument("The loop '{}' has no condition",
                           frames_[frame].name);
  }
  std::vector<Variable> variables;
  std::unordered_map<int, int> of_merge;
  std::set<int> used_enters;
  std::vector<int> controls;
  for (int i : members) {
    if (!g_.Is(i, LoweredOp::kMerge)) continue;
    Variable v;
    v.merge = i;
    for (const Edge& e : g_.nodes()[i].inputs) {
      if (g_.Is(e.node, LoweredOp::kEnter)) v.enter = e.node;
      if (g_.Is(e.node, LoweredOp::kNextIteration)) v.next = e.node;
    }
    if (v.enter < 0 && v.next < 0) continue;  // of a branch
    if (v.enter < 0 || v.next < 0 || g_.nodes()[i].inputs.size() != 2 ||
        g_.nodes()[v.next].inputs.size() != 1) {
      return Wrong(i,
                   "a loop's Merge takes one Enter and one NextIteration");
    }
    used_enters.insert(v.enter);
    of_merge[i] = variables.size();
    variables.push_back(v);
  }
  for (int i : members) {
    if (!g_.Is(i, LoweredOp::kSwitch) || g_.nodes()[i].inputs.size() != 2) {
      continue;
    }
    const auto at = of_merge.find(g_.nodes()[i].inputs[0].node);
    if (g_.nodes()[i].inputs[1].node == condition && at != of_merge.end()) {
      if (variables[at->second].test >= 0) {
        return Wrong(i, "a value of the loop has two Switches");
      }
      variables[at->second].test = i;
    }
  }
  // Values that stay: one for each edge that enters.
  std::vector<int> invariants;
  for (int e : enters) {
    if (g_.nodes()[e].inputs.size() != 1) return Wrong(e, "it has no input");
    controls.insert(controls.end(), g_.nodes()[e].controls.begin(),
                    g_.nodes()[e].controls.end());
    if (used_enters.count(e) == 0) invariants.push_back(e);
  }
  Part test, body;
  std::vector<Edge> inputs;
  const auto add = [&](int enter) -> Status {
    inputs.push_back(g_.nodes()[enter].inputs[0]);
    GK_ASSIGN_OR_RETURN(const DataType type, g_.TypeOf(inputs.back()));
    test.types.push_back(type);
    return OkStatus();
  };
  std::unordered_set<int> structure{condition};
  for (size_t k = 0; k < variables.size(); ++k) {
    const Variable& v = variables[k];
    GK_RETURN_IF_ERROR(add(v.enter));
    test.arguments.push_back({v.merge, 0});
    body.also.emplace(Edge{v.merge, 0}, int(k));
    body.arguments.push_back(
        Edge{v.test >= 0 ? v.test : v.enter, v.test >= 0 ? 1 : 0});
    body.results.push_back(g_.nodes()[v.next].inputs[0]);
    structure.insert({v.merge, v.next});
    if (v.test >= 0) structure.insert(v.test);
  }
  for (int e : invariants) {
    GK_RETURN_IF_ERROR(add(e));
    test.arguments.push_back({e, 0});
    body.arguments.push_back({e, 0});
    body.results.push_back({e, 0});
  }
  structure.insert(enters.begin(), enters.end());
  structure.insert(exits.begin(), exits.end());
  body.types = test.types;
  std::vector<int> inner;
  for (int i : members) {
    if (structure.count(i) == 0) inner.push_back(i);
  }
  GK_RETURN_IF_ERROR(RaiseBranches(inner, structure));
  inner = Members(frame, structure);
  const auto stops = [&](Edge e, bool) {
    return e.node < 0 || structure.count(e.node) != 0;
  };
  test.results = {g_.nodes()[condition].inputs[0]};
  test.nodes = Cone(test.results, stops);
  body.nodes = Cone(body.results, stops);
  AddRest(inner, variables, &test, &body);
  const std::string scope = Scope(g_.nodes()[condition].def.name);
  test.name = Unique(scope + "_cond");
  body.name = Unique(scope + "_body");
  GK_RETURN_IF_ERROR(Make(test));
  GK_RETURN_IF_ERROR(Make(body));
  const bool stateful = IsStateful(test.nodes) || IsStateful(body.nodes);
  const int loop = g_.AddNode(
      scope + "/raised", OpRegistry::Get().Of(Control::kWhile, stateful).name);
  frame_.push_back(frames_[frame].parent);
  Node& node = g_.nodes()[loop];
  node.inputs = inputs;
  node.controls = std::move(controls);
  node.def.device = g_.nodes()[condition].def.device;
  node.def.attr["T"] = TypeList(test.types);
  node.def.attr["cond"] = FunctionNamed(test.name);
  node.def.attr["body"] = FunctionNamed(body.name);
  // Nothing is known of the shapes that later turns have.
  auto& shapes = node.def.attr["output_shapes"].mutable_list();
  proto::TensorShapeProto unknown;
  unknown.unknown_rank = true;
  shapes.shape.assign(inputs.size(), unknown);
  for (int x : exits) {
    const auto& from = g_.nodes()[x].inputs;
    const auto v = std::find_if(
        variables.begin(), variables.end(), [&](const Variable& variable) {
          return from.size() == 1 && variable.test == from[0].node;
        });
    if (v == variables.end() || from[0].index != 0) {
      return Wrong(x, "it gives no value of the loop");
    }
    BecomeIdentity(x, {loop, int(v - variables.begin())});
    frame_[x] = frames_[frame].parent;
  }
  for (int i : members) {
    if (frame_[i] == frame) Remove(i, loop);
  }
  for (int i = 0; i < g_.size(); ++i) {
    if (frame_[i] == frame && !g_.nodes()[i].gone) Remove(i, loop);
  }
  for (int e : enters) Remove(e, loop);
  return OkStatus();
}

}  // namespace gk
