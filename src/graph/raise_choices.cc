// What the Merges of branches merge.
#include <algorithm>
#include <utility>

#include "framework/op_registry.h"
#include "graph/control_flow_raiser.h"

namespace gk {

ControlFlowRaiser::Edge ControlFlowRaiser::Value(Edge e) const {
  constexpr int kMaxChain = 1000;
  const std::string_view identity = OpRegistry::Get().The(kIdentity).name;
  for (int i = 0; i < kMaxChain; ++i) {
    if (!g_.Is(e.node, identity) || g_.nodes()[e.node].inputs.empty()) {
      break;
    }
    e = g_.nodes()[e.node].inputs[0];
  }
  return e;
}

bool ControlFlowRaiser::IsSwitch(int i) const {
  return (g_.Is(i, LoweredOp::kSwitch) || g_.Is(i, LoweredOp::kSwitchN)) &&
         g_.nodes()[i].inputs.size() == 2;
}

ControlFlowRaiser::Edge ControlFlowRaiser::On(int node) const {
  return Value(g_.nodes()[node].inputs[1]);
}

StatusOr<ControlFlowRaiser::Choice> ControlFlowRaiser::ChoiceOf(
    int merge, const std::unordered_set<int>& borders) {
  Choice choice;
  std::vector<std::map<Edge, std::set<int>>> sides;
  for (const Edge& input : g_.nodes()[merge].inputs) {
    std::set<Edge>& switches = choice.switches.emplace_back();
    choice.cones.push_back(Cone({input}, [&](Edge e, bool control) {
      if (e.node < 0 || borders.count(e.node) != 0) return true;
      if (IsSwitch(e.node)) {
        if (!control) switches.insert(e);
        return true;
      }
      if (g_.Is(e.node, LoweredOp::kMerge)) choice.is_ready = false;
      return false;
    }));
    auto& side = sides.emplace_back();
    for (const Edge& e : switches) side[On(e.node)].insert(e.index);
  }
  // What all branches but one at most depend on, each by a side of its own.
  std::vector<Edge> candidates;
  std::set<Edge> seen;
  for (const auto& of_input : sides) {
    for (const auto& [on, at] : of_input) {
      if (!seen.insert(on).second) continue;
      std::set<int> distinct;
      size_t known = 0;
      for (const auto& other : sides) {
        const auto it = other.find(on);
        if (it == other.end()) continue;
        ++known;
        if (it->second.size() == 1) distinct.insert(*it->second.begin());
      }
      if (distinct.size() == known && known + 1 >= sides.size()) {
        candidates.push_back(on);
      }
    }
  }
  if (candidates.size() > 1) {
    std::erase_if(candidates, [&](Edge on) {
      return std::any_of(sides.begin(), sides.end(),
                         [&](const auto& s) { return s.count(on) == 0; });
    });
  }
  if (candidates.size() != 1) {
    return Wrong(merge, "its inputs are not the branches of one condition");
  }
  choice.on = candidates[0];
  std::set<int> taken;
  for (const auto& of_input : sides) {
    const auto it = of_input.find(choice.on);
    choice.side.push_back(it == of_input.end() ? -1 : *it->second.begin());
    taken.insert(choice.side.back());
  }
  for (int& side : choice.side) {
    for (int s = 0; side < 0; ++s) {
      if (taken.insert(s).second) side = s;
    }
  }
  for (auto& switches : choice.switches) {
    std::erase_if(switches, [&](Edge e) { return On(e.node) != choice.on; });
  }
  return choice;
}

std::vector<int> ControlFlowRaiser::Together(
    int merge, const std::vector<int>& merges,
    const std::unordered_map<int, Choice>& choices) const {
  if (choices.count(merge) == 0) return {};
  const Choice& first = choices.at(merge);
  std::set<int> nodes, group{merge};
  const auto take = [&](const Choice& choice) {
    for (const auto& switches : choice.switches) {
      for (const Edge& e : switches) nodes.insert(e.node);
    }
  };
  take(first);
  bool more = true;
  while (more) {
    more = false;
    for (int m : merges) {
      const auto it = choices.find(m);
      if (group.count(m) != 0 || it == choices.end() ||
          it->second.on != first.on) {
        continue;
      }
      const bool shares = std::any_of(
          it->second.switches.begin(), it->second.switches.end(),
          [&](const std::set<Edge>& switches) {
            return std::any_of(
                switches.begin(), switches.end(),
                [&](const Edge& e) { return nodes.count(e.node) != 0; });
          });
      if (!shares) continue;
      group.insert(m);
      take(it->second);
      more = true;
    }
  }
  return {group.begin(), group.end()};
}

std::set<int> ControlFlowRaiser::Following(const std::set<int>& switches,
                                           int side,
                                           const std::vector<int>& within,
                                           const std::set<int>& until) const {
  const std::unordered_set<int> inside(within.begin(), within.end());
  std::set<int> found;
  std::vector<int> todo;
  const auto follow = [&](int from, bool is_switch) {
    for (int user : Users()[from]) {
      ++work_;
      const Node& node = g_.nodes()[user];
      if (found.count(user) != 0 || inside.count(user) == 0 ||
          until.count(user) != 0 || g_.Is(user, LoweredOp::kMerge)) {
        continue;
      }
      const bool uses =
          !is_switch ||
          std::any_of(node.inputs.begin(), node.inputs.end(), [&](Edge e) {
            return e.node == from && (side < 0 || e.index == side);
          });
      if (!uses) continue;
      found.insert(user);
      todo.push_back(user);
    }
  };
  for (int i : switches) follow(i, true);
  while (!todo.empty()) {
    const int i = todo.back();
    todo.pop_back();
    follow(i, false);
  }
  return found;
}

StatusOr<std::set<int>> ControlFlowRaiser::SwitchesOf(
    const std::vector<int>& group,
    const std::unordered_map<int, Choice>& choices,
    const std::vector<int>& within) const {
  std::set<int> switches;
  for (int m : group) {
    for (const auto& of_input : choices.at(m).switches) {
      for (const Edge& e : of_input) switches.insert(e.node);
    }
  }
  const Edge on = choices.at(group[0]).on;
  const std::set<int> until(group.begin(), group.end());
  std::set<int> branches = Following(switches, -1, within, until);
  for (int m : group) {
    for (const auto& cone : choices.at(m).cones) {
      branches.insert(cone.begin(), cone.end());
    }
  }
  std::vector<std::pair<int, std::set<int>>> others;
  for (int i : within) {
    if (!IsSwitch(i) || On(i) != on || switches.count(i) != 0) continue;
    GK_RETURN_IF_ERROR(CheckWork());
    others.emplace_back(i, Following({i}, -1, within, until));
  }
  bool more = true;
  while (more) {
    more = false;
    for (auto& [i, after] : others) {
      GK_RETURN_IF_ERROR(CheckWork());
      work_ += after.size();
      if (std::none_of(after.begin(), after.end(),
                       [&](int n) { return branches.count(n) != 0; })) {
        continue;
      }
      switches.insert(i);
      branches.merge(after);
      after.clear();
      more = true;
    }
  }
  return switches;
}

StatusOr<bool> ControlFlowRaiser::IsReady(
    const std::vector<int>& group,
    const std::unordered_map<int, Choice>& choices,
    const std::vector<int>& within, bool strictly) const {
  if (group.empty() || !std::all_of(group.begin(), group.end(), [&](int m) {
        return choices.at(m).is_ready;
      })) {
    return false;
  }
  if (!strictly) return true;
  GK_ASSIGN_OR_RETURN(const std::set<int> switches,
                      SwitchesOf(group, choices, within));
  const std::set<int> until(group.begin(), group.end());
  const std::set<int> branches = Following(switches, -1, within, until);
  return std::none_of(branches.begin(), branches.end(), [&](int i) {
    return IsSwitch(i) && switches.count(i) == 0 && IsUsedAtAll(i);
  });
}

bool ControlFlowRaiser::IsUsedAtAll(int node) const {
  return !Users()[node].empty();
}

}  // namespace gk
