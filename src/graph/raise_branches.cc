// Branches: an If or Case of Merges that belong together.
#include <algorithm>
#include <utility>

#include "framework/op_registry.h"
#include "graph/control_flow_raiser.h"

namespace gk {
namespace {

// What no graph of a program has.
constexpr size_t kMaxMerges = 4096;

}  // namespace

StatusOr<int> ControlFlowRaiser::RaiseIf(
    const std::vector<int>& group,
    const std::unordered_map<int, Choice>& choices,
    const std::vector<int>& within, const std::unordered_set<int>& borders) {
  const Choice& first = choices.at(group[0]);
  const int sides = static_cast<int>(first.side.size());
  const bool is_case = std::any_of(
      first.switches.begin(), first.switches.end(), [&](const auto& s) {
        return std::any_of(s.begin(), s.end(), [&](Edge e) {
          return g_.Is(e.node, LoweredOp::kSwitchN);
        });
      });
  if (!is_case && sides != 2) {
    return Wrong(group[0], "two branches are merged by a node of two inputs");
  }
  GK_ASSIGN_OR_RETURN(const std::set<int> switches,
                      SwitchesOf(group, choices, within));
  const std::set<int> until(group.begin(), group.end());
  for (int m : group) {
    if (choices.at(m).side.size() != size_t(sides)) {
      return Wrong(m, "it has another number of branches");
    }
  }
  std::vector<Part> parts(sides);
  std::vector<Edge> captured;
  std::map<Edge, int> index;
  std::vector<int> controls;
  const auto capture = [&](Edge e) {
    const auto [it, is_new] = index.emplace(e, int(captured.size()));
    if (is_new) captured.push_back(e);
    return it->second;
  };
  std::vector<std::map<Edge, int>> arguments(sides);
  std::set<int> all;
  for (int s = 0; s < sides; ++s) {
    Part& part = parts[s];
    part.nodes = Following(switches, s, within, until);
    for (int m : group) {
      const auto& side = choices.at(m).side;
      const size_t i = std::find(side.begin(), side.end(), s) - side.begin();
      if (i == side.size()) {
        return Wrong(m, "two of its inputs are of one branch");
      }
      part.results.push_back(g_.nodes()[m].inputs[i]);
    }
    const auto note = [&](Edge e) {
      if (part.nodes.count(e.node) != 0) return;
      const bool switched = switches.count(e.node) != 0;
      arguments[s][e] = capture(switched ? g_.nodes()[e.node].inputs[0] : e);
    };
    for (int n : part.nodes) {
      for (const Edge& e : g_.nodes()[n].inputs) note(e);
      for (int c : g_.nodes()[n].controls) {
        const int from = g_.StandsFor(c);
        if (from >= 0 && part.nodes.count(from) == 0 &&
            switches.count(from) == 0 && borders.count(from) == 0) {
          controls.push_back(from);
        }
      }
    }
    for (const Edge& e : part.results) note(e);
    for (int n : part.nodes) {
      if (!all.insert(n).second) {
        return Wrong(n, "it is part of two branches");
      }
    }
  }
  for (int w : switches) {
    for (int c : g_.nodes()[w].controls) {
      if (borders.count(c) == 0) controls.push_back(c);
    }
  }
  std::vector<DataType> types, results;
  for (const Edge& e : captured) {
    GK_ASSIGN_OR_RETURN(const DataType type, g_.TypeOf(e));
    types.push_back(type);
  }
  for (int m : group) {
    GK_ASSIGN_OR_RETURN(const DataType type, g_.TypeOf({m, 0}));
    results.push_back(type);
  }
  const std::string scope = Scope(g_.nodes()[group[0]].def.name);
  bool stateful = false;
  std::vector<std::string> names;
  // The number of the input that a Merge has passed on.
  std::vector<int> numbered;
  for (size_t k = 0; k < group.size(); ++k) {
    if (IsUsed({group[k], 1})) numbered.push_back(group[k]);
  }
  for (int s = 0; s < sides; ++s) {
    Part& part = parts[s];
    for (int m : numbered) {
      const auto& side = choices.at(m).side;
      const int number = std::find(side.begin(), side.end(), s) - side.begin();
      const int constant = AddNumber(scope, number, frame_[m]);
      part.nodes.insert(constant);
      part.results.push_back({constant, 0});
      all.insert(constant);
    }
    part.name = Unique(is_case ? Format("{}_branch_{}", scope, s)
                               : scope + (s == 1 ? "_true" : "_false"));
    part.types = types;
    part.arguments = captured;
    for (const auto& [edge, i] : arguments[s]) {
      if (captured[i] != edge) part.also.emplace(edge, i);
    }
    names.push_back(part.name);
    GK_RETURN_IF_ERROR(Make(part));
    stateful |= IsStateful(part.nodes);
  }
  const Control kind = is_case ? Control::kCase : Control::kIf;
  const int made =
      g_.AddNode(scope + "/raised", OpRegistry::Get().Of(kind, stateful).name);
  frame_.push_back(frame_[group[0]]);
  Node& node = g_.nodes()[made];
  node.inputs = {first.on};
  node.inputs.insert(node.inputs.end(), captured.begin(), captured.end());
  node.controls = std::move(controls);
  node.def.device = g_.nodes()[group[0]].def.device;
  for (size_t i = 0; i < numbered.size(); ++i) {
    results.push_back(DataType::kInt32);
  }
  node.def.attr["Tin"] = TypeList(types);
  node.def.attr["Tout"] = TypeList(results);
  if (is_case) {
    auto& list = node.def.attr["branches"].mutable_list();
    for (const std::string& name : names) {
      list.func.emplace_back().name = name;
    }
  } else {
    GK_ASSIGN_OR_RETURN(const DataType on, g_.TypeOf(first.on));
    node.def.attr["Tcond"].set_type(static_cast<proto::DataType>(on));
    node.def.attr["then_branch"] = FunctionNamed(names[1]);
    node.def.attr["else_branch"] = FunctionNamed(names[0]);
  }
  for (size_t k = 0; k < group.size(); ++k) {
    BecomeIdentity(group[k], {made, int(k)});
  }
  for (size_t k = 0; k < numbered.size(); ++k) {
    Redirect({numbered[k], 1}, {made, int(group.size() + k)});
  }
  for (int n : all) Remove(n, made);
  for (int w : switches) Remove(w, made);
  return made;
}

Status ControlFlowRaiser::RaiseBranches(
    std::vector<int> within, const std::unordered_set<int>& borders) {
  std::vector<int> unused;
  for (int i : within) {
    if (IsSwitch(i) && !IsUsedAtAll(i)) unused.push_back(i);
  }
  for (int i : unused) Remove(i, -1);
  std::erase_if(within, [&](int i) { return g_.nodes()[i].gone; });
  while (true) {
    std::vector<int> merges;
    std::unordered_map<int, Choice> choices;
    for (int i : within) {
      if (g_.Is(i, LoweredOp::kMerge)) merges.push_back(i);
    }
    if (merges.empty()) break;
    if (merges.size() > kMaxMerges) {
      return Unimplemented("More than {} branches in one graph", kMaxMerges);
    }
    bool raised = false;
    for (int m : merges) {
      GK_RETURN_IF_ERROR(CheckWork());
      StatusOr<Choice> choice = ChoiceOf(m, borders);
      // An inner Merge may hide what the choice is.
      if (!choice.ok()) continue;
      choices.emplace(m, *std::move(choice));
    }
    // Those first in whose branches there is no other: what it leaves of
    // Switches that lead nowhere does not stop those around it.
    for (const bool strictly : {true, false}) {
      for (int m : merges) {
        const std::vector<int> group = Together(m, merges, choices);
        GK_ASSIGN_OR_RETURN(const bool ready,
                            IsReady(group, choices, within, strictly));
        if (!ready) continue;
        GK_ASSIGN_OR_RETURN(const int made,
                            RaiseIf(group, choices, within, borders));
        within.push_back(made);
        std::erase_if(within, [&](int i) { return g_.nodes()[i].gone; });
        raised = true;
        break;
      }
      if (raised) break;
    }
    if (!raised) {
      GK_RETURN_IF_ERROR(ChoiceOf(merges[0], borders).status());
      return Wrong(merges[0], "its branches cannot be told apart");
    }
  }
  // Branches that nothing comes out of.
  for (int i : within) {
    if (!IsSwitch(i) || g_.nodes()[i].gone) continue;
    GK_RETURN_IF_ERROR(CheckWork());
    std::set<int> rest = Following({i}, -1, within, {});
    for (int n : rest) {
      const OpRecord* record = OpRegistry::Get().Find(g_.nodes()[n].def.op);
      if (record == nullptr || record->def->is_stateful) {
        return Wrong(n, "it runs in a branch that nothing comes out of");
      }
    }
    for (int n : rest) Remove(n, -1);
    Remove(i, -1);
  }
  return OkStatus();
}

bool ControlFlowRaiser::IsUsed(Edge e) const {
  return std::any_of(g_.nodes().begin(), g_.nodes().end(), [&](const Node& n) {
    return !n.gone &&
           std::find(n.inputs.begin(), n.inputs.end(), e) != n.inputs.end();
  });
}

void ControlFlowRaiser::Redirect(Edge from, Edge to) {
  users_.clear();
  for (Node& n : g_.nodes()) {
    std::replace(n.inputs.begin(), n.inputs.end(), from, to);
  }
}

int ControlFlowRaiser::AddNumber(const std::string& scope, int number,
                                 int frame) {
  users_.clear();
  const int made = g_.AddInteger(scope + "/value_index", number);
  frame_.push_back(frame);
  return made;
}

}  // namespace gk
