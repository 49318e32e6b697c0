#include "graph/raise_control_flow.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "framework/op_registry.h"
#include "graph/lowered_graph.h"

namespace gk {
namespace {

using Edge = LoweredGraph::Edge;
using Node = LoweredGraph::Node;

// What no graph of a program has; files come from anywhere.
constexpr size_t kMaxMerges = 4096, kMaxFrames = 1024;
constexpr int64_t kMaxWork = int64_t{1} << 28;  // edges looked at

// Raises what is in one graph or function; new functions go to a library.
class Raiser {
 public:
  Raiser(LoweredGraph* graph, std::string function_prefix,
         std::set<std::string>* taken,
         std::vector<proto::FunctionDef>* functions)
      : g_(*graph),
        prefix_(std::move(function_prefix)),
        taken_(*taken),
        functions_(*functions) {}

  Status Run() {
    GK_RETURN_IF_ERROR(FindFrames());
    // Innermost loops first: a frame comes after the one that it is in.
    for (int f = static_cast<int>(frames_.size()) - 1; f > 0; --f) {
      GK_RETURN_IF_ERROR(RaiseLoop(f));
    }
    std::vector<int> all;
    for (int i = 0; i < g_.size(); ++i) {
      if (!g_.nodes()[i].gone) all.push_back(i);
    }
    return RaiseBranches(all, {});
  }

 private:
  struct Frame {
    int parent = -1;
    std::string name;
  };

  Status Wrong(int node, std::string_view what) const {
    const proto::NodeDef& def = g_.nodes()[node].def;
    return InvalidArgument("Node '{}' ({}): {}", def.name, def.op, what);
  }

  Status CheckWork() const {
    if (work_ <= kMaxWork) return OkStatus();
    return Unimplemented("Branches and loops of this size are not raised");
  }

  // --- Frames.

  // The frame that each node runs in, from those of its inputs.
  Status FindFrames() {
    const int n = g_.size();
    frames_.push_back({});
    frame_.assign(n, -1);
    std::vector<std::vector<int>> users(n);
    std::map<std::pair<int, std::string>, int> ids;
    std::vector<int> todo;
    for (int i = 0; i < n; ++i) {
      const Node& node = g_.nodes()[i];
      for (const Edge& e : node.inputs) users[e.node].push_back(i);
      for (int c : node.controls) users[c].push_back(i);
      if (node.inputs.empty() && node.controls.empty()) {
        frame_[i] = 0;
        todo.push_back(i);
      }
    }
    while (!todo.empty()) {
      const int i = todo.back();
      todo.pop_back();
      int out = frame_[i];
      if (g_.Is(i, "Enter")) {
        const auto& attrs = g_.nodes()[i].def.attr;
        const auto name = attrs.find("frame_name");
        const std::pair key{
            out, name == attrs.end() ? std::string() : name->second.s};
        const auto [it, is_new] = ids.emplace(key, int(frames_.size()));
        if (is_new) frames_.push_back({out, key.second});
        if (frames_.size() > kMaxFrames) {
          return Unimplemented("More than {} loops in one graph", kMaxFrames);
        }
        out = it->second;
        enters_.emplace(i, out);
      } else if (g_.Is(i, "Exit")) {
        if (out == 0) return Wrong(i, "it leaves no loop");
        out = frames_[out].parent;
      }
      for (int user : users[i]) {
        if (frame_[user] >= 0) {
          if (frame_[user] != out && !g_.nodes()[user].is_external) {
            return Wrong(user, "its inputs are of different loops");
          }
          continue;
        }
        frame_[user] = out;
        todo.push_back(user);
      }
    }
    for (int i = 0; i < n; ++i) {
      if (frame_[i] < 0) return Wrong(i, "it is part of a cycle");
    }
    return OkStatus();
  }

  // --- Functions.

  struct Part {
    std::string name;
    std::vector<Edge> arguments;
    // Other edges that are arguments: (edge, which).
    std::map<Edge, int> also;
    std::vector<DataType> types;
    std::vector<Edge> results;
    std::set<int> nodes;
  };

  // All that `to` follow from, as far as `stops`.
  template <class Stops>
  std::set<int> Cone(const std::vector<Edge>& to, const Stops& stops) const {
    std::set<int> cone;
    std::vector<int> todo;
    const auto visit = [&](Edge e, bool control) {
      ++work_;
      if (!stops(e, control) && cone.insert(e.node).second) {
        todo.push_back(e.node);
      }
    };
    for (const Edge& e : to) visit(e, false);
    while (!todo.empty()) {
      const int i = todo.back();
      todo.pop_back();
      for (const Edge& e : g_.nodes()[i].inputs) visit(e, false);
      for (int c : g_.nodes()[i].controls) visit({g_.StandsFor(c), -1}, true);
    }
    return cone;
  }

  std::string Unique(const std::string& name) {
    std::string clean = prefix_;
    for (char c : name) clean += std::isalnum((unsigned char)c) ? c : '_';
    std::string unique = clean;
    for (int i = 1; !taken_.insert(unique).second; ++i) {
      unique = Format("{}_{}", clean, i);
    }
    return unique;
  }

  Status Make(const Part& part) {
    proto::FunctionDef f;
    LoweredGraph::Names names;
    proto::OpDef& signature = f.signature.mut();
    signature.name = part.name;
    std::set<std::string> node_names;
    for (int i : part.nodes) node_names.insert(g_.nodes()[i].def.name);
    for (size_t i = 0; i < part.arguments.size(); ++i) {
      std::string name = Format("arg_{}", i);
      while (node_names.count(name) != 0) name += "_";
      names.emplace(part.arguments[i], name);
      proto::OpDef::ArgDef arg;
      arg.name = std::move(name);
      arg.type = static_cast<proto::DataType>(part.types[i]);
      signature.input_arg.push_back(std::move(arg));
    }
    for (const auto& [edge, i] : part.also) {
      names.emplace(edge, signature.input_arg[i].name);
    }
    const auto inside = [&](int n) { return part.nodes.count(n) != 0; };
    for (int i : part.nodes) {
      for (const Edge& e : g_.nodes()[i].inputs) {
        if (names.count(e) == 0 && !inside(e.node)) {
          return Wrong(i, "an input comes from another branch or loop");
        }
      }
      GK_ASSIGN_OR_RETURN(proto::NodeDef def,
                          g_.WriteInFunction(i, names, inside));
      f.node_def.push_back(std::move(def));
      const OpRecord* record = OpRegistry::Get().Find(g_.nodes()[i].def.op);
      if (record != nullptr && record->def->is_stateful) {
        const std::string& name = g_.nodes()[i].def.name;
        f.control_ret[name] = name;
        signature.control_output.push_back(name);
        signature.is_stateful = true;
      }
    }
    for (size_t i = 0; i < part.results.size(); ++i) {
      const Edge e = part.results[i];
      if (names.count(e) == 0 && !inside(e.node)) {
        return Wrong(e.node,
                     "it is a result of a branch or loop that it is "
                     "no part of");
      }
      proto::OpDef::ArgDef arg;
      arg.name = Format("out_{}", i);
      GK_ASSIGN_OR_RETURN(const DataType type, g_.TypeOf(e));
      arg.type = static_cast<proto::DataType>(type);
      GK_ASSIGN_OR_RETURN(f.ret[arg.name], g_.NameInFunction(e, names));
      signature.output_arg.push_back(std::move(arg));
    }
    functions_.push_back(std::move(f));
    return OkStatus();
  }

  bool IsStateful(const std::set<int>& nodes) const {
    return std::any_of(nodes.begin(), nodes.end(), [&](int i) {
      const OpRecord* record = OpRegistry::Get().Find(g_.nodes()[i].def.op);
      return record == nullptr || record->def->is_stateful ||
             record->Has(kCallsFunction);
    });
  }

  const std::vector<std::vector<int>>& Users() const {
    if (!users_.empty()) return users_;
    users_.resize(g_.size());
    for (int i = 0; i < g_.size(); ++i) {
      const Node& node = g_.nodes()[i];
      if (node.gone) continue;
      for (const Edge& e : node.inputs) users_[e.node].push_back(i);
      for (int c : node.controls) {
        const int from = g_.StandsFor(c);
        if (from >= 0) users_[from].push_back(i);
      }
    }
    work_ += g_.size();
    return users_;
  }

  void Remove(int node, int moved_to) {
    users_.clear();
    g_.nodes()[node].gone = true;
    g_.nodes()[node].moved_to = moved_to;
  }

  void BecomeIdentity(int node, Edge of) {
    users_.clear();
    Node& n = g_.nodes()[node];
    n.def.op = OpRegistry::Get().The(kIdentity).name;
    std::erase_if(n.def.attr, [](const auto& a) {
      return a.first != "T" && a.first[0] != '_';
    });
    n.inputs = {of};
  }

  // --- Loops.

  struct Variable {
    int enter = -1, merge = -1, next = -1, test = -1, exit = -1;
  };

  Status RaiseLoop(int frame) {
    std::vector<int> members, enters, exits;
    int condition = -1;
    for (int i = 0; i < g_.size(); ++i) {
      if (g_.nodes()[i].gone) continue;
      if (g_.Is(i, "Enter") && EntersTo(i) == frame) enters.push_back(i);
      if (frame_[i] != frame) continue;
      members.push_back(i);
      if (g_.Is(i, "LoopCond")) {
        if (condition >= 0) return Wrong(i, "the loop has two conditions");
        condition = i;
      } else if (g_.Is(i, "Exit")) {
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
      if (!g_.Is(i, "Merge")) continue;
      Variable v;
      v.merge = i;
      for (const Edge& e : g_.nodes()[i].inputs) {
        if (g_.Is(e.node, "Enter")) v.enter = e.node;
        if (g_.Is(e.node, "NextIteration")) v.next = e.node;
      }
      if (v.enter < 0 && v.next < 0) continue;  // of a branch
      if (v.enter < 0 || v.next < 0 || g_.nodes()[i].inputs.size() != 2 ||
          g_.nodes()[v.next].inputs.size() != 1) {
        return Wrong(i,
                     "a loop's Merge takes one Enter and one "
                     "NextIteration");
      }
      used_enters.insert(v.enter);
      of_merge[i] = variables.size();
      variables.push_back(v);
    }
    for (int i : members) {
      if (!g_.Is(i, "Switch") || g_.nodes()[i].inputs.size() != 2) continue;
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
    const int loop =
        g_.AddNode(scope + "/raised",
                   OpRegistry::Get().Of(Control::kWhile, stateful).name);
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

  int EntersTo(int enter) const {
    const auto it = enters_.find(enter);
    return it == enters_.end() ? -1 : it->second;
  }

  std::vector<int> Members(int frame,
                           const std::unordered_set<int>& without) const {
    std::vector<int> all;
    for (int i = 0; i < g_.size(); ++i) {
      if (frame_[i] == frame && !g_.nodes()[i].gone && without.count(i) == 0) {
        all.push_back(i);
      }
    }
    return all;
  }

  // What no value of the loop follows from, and runs for its effect.
  void AddRest(const std::vector<int>& inner,
               const std::vector<Variable>& variables, Part* test,
               Part* body) const {
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

  static std::string Scope(const std::string& name) {
    const size_t slash = name.rfind('/');
    return slash == std::string::npos ? name : name.substr(0, slash);
  }

  // --- Branches.

  struct Choice {                          // where a Merge's branches begin
    Edge on;                               // what is branched on
    std::vector<std::set<Edge>> switches;  // by input of the Merge
    std::vector<std::set<int>> cones;
    std::vector<int> side;  // of each input
    bool is_ready = true;   // no Merge within
  };

  // Through Identity: the same value.
  Edge Value(Edge e) const {
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

  bool IsSwitch(int i) const {
    return (g_.Is(i, "Switch") || g_.Is(i, "_SwitchN")) &&
           g_.nodes()[i].inputs.size() == 2;
  }

  Edge On(int node) const { return Value(g_.nodes()[node].inputs[1]); }

  StatusOr<Choice> ChoiceOf(int merge, const std::unordered_set<int>& borders) {
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
        if (g_.Is(e.node, "Merge")) choice.is_ready = false;
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

  Status RaiseBranches(std::vector<int> within,
                       const std::unordered_set<int>& borders) {
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
        if (g_.Is(i, "Merge")) merges.push_back(i);
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

  // Whether there is no branching left within the branches, neither that they
  // give results of nor, `strictly`, for effects alone.
  StatusOr<bool> IsReady(const std::vector<int>& group,
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

  bool IsUsedAtAll(int node) const { return !Users()[node].empty(); }

  // The Merges of one If: those that branch on the same and share a Switch, a
  // node, or what waits for one.
  std::vector<int> Together(
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

  // What follows from a side (-1: any) of these Switches.
  std::set<int> Following(const std::set<int>& switches, int side,
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
            until.count(user) != 0 || g_.Is(user, "Merge")) {
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

  // The Switches that lead into the branches of these Merges: on the way to
  // their inputs, or as what follows from them is part of these branches, too.
  StatusOr<std::set<int>> SwitchesOf(
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

  StatusOr<int> RaiseIf(const std::vector<int>& group,
                        const std::unordered_map<int, Choice>& choices,
                        const std::vector<int>& within,
                        const std::unordered_set<int>& borders) {
    const Choice& first = choices.at(group[0]);
    const int sides = static_cast<int>(first.side.size());
    const bool is_case = std::any_of(
        first.switches.begin(), first.switches.end(), [&](const auto& s) {
          return std::any_of(s.begin(), s.end(),
                             [&](Edge e) { return g_.Is(e.node, "_SwitchN"); });
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
        const int number =
            std::find(side.begin(), side.end(), s) - side.begin();
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
    const int made = g_.AddNode(scope + "/raised",
                                OpRegistry::Get().Of(kind, stateful).name);
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

  bool IsUsed(Edge e) const {
    return std::any_of(
        g_.nodes().begin(), g_.nodes().end(), [&](const Node& n) {
          return !n.gone && std::find(n.inputs.begin(), n.inputs.end(), e) !=
                                n.inputs.end();
        });
  }

  void Redirect(Edge from, Edge to) {
    users_.clear();
    for (Node& n : g_.nodes()) {
      std::replace(n.inputs.begin(), n.inputs.end(), from, to);
    }
  }

  int AddNumber(const std::string& scope, int number, int frame) {
    users_.clear();
    const int made = g_.AddInteger(scope + "/value_index", number);
    frame_.push_back(frame);
    return made;
  }

  LoweredGraph& g_;
  const std::string prefix_;
  std::set<std::string>& taken_;
  std::vector<proto::FunctionDef>& functions_;
  std::vector<Frame> frames_;
  std::vector<int> frame_;               // by node
  std::unordered_map<int, int> enters_;  // the frame that an Enter leads to
  // Who uses or waits for each node; empty if that has changed.
  mutable std::vector<std::vector<int>> users_;
  mutable int64_t work_ = 0;
};

}  // namespace

bool HasLoweredControlFlow(const proto::GraphDef& graph) {
  const auto& functions = graph.library->function;
  return AnyLowered(graph.node) ||
         std::any_of(functions.begin(), functions.end(),
                     [](const auto& f) { return AnyLowered(f.node_def); });
}

StatusOr<proto::GraphDef> RaiseControlFlow(
    const proto::GraphDef& graph,
    const std::map<std::string, DataType>& outside) {
  std::set<std::string> taken;
  std::unordered_map<std::string, const proto::FunctionDef*> defs;
  for (const proto::FunctionDef& f : graph.library->function) {
    taken.insert(f.signature->name);
    defs.emplace(f.signature->name, &f);
  }
  const auto find = [&](const std::string& name) -> const proto::FunctionDef* {
    const auto it = defs.find(name);
    return it == defs.end() ? nullptr : it->second;
  };
  proto::GraphDef raised = graph;
  std::vector<proto::FunctionDef> made;
  for (proto::FunctionDef& f : raised.library.mut().function) {
    if (!AnyLowered(f.node_def)) continue;
    LoweredGraph body(LoweredGraph::kFunctionForm, find);
    for (const auto& arg : f.signature->input_arg) {
      body.DefineExternal(arg.name, static_cast<DataType>(arg.type));
    }
    GK_RETURN_IF_ERROR(body.Add(f.node_def));
    GK_RETURN_IF_ERROR(
        Raiser(&body, f.signature->name + "_", &taken, &made).Run());
    GK_ASSIGN_OR_RETURN(f.node_def, body.Write());
    for (auto& [name, edge] : f.ret) {
      GK_ASSIGN_OR_RETURN(const Edge e, body.Parse(edge));
      if (body.nodes()[e.node].gone) {
        return InvalidArgument("'{}', a result of {}, is in a branch or loop",
                               edge, f.signature->name);
      }
      GK_ASSIGN_OR_RETURN(edge, body.NameOf(e));
    }
    for (auto& [name, node] : f.control_ret) {
      const int stands = body.StandsFor(body.FindNode(node));
      if (stands >= 0) node = body.nodes()[stands].def.name;
    }
  }
  if (AnyLowered(graph.node)) {
    LoweredGraph nodes(LoweredGraph::kGraphForm, find);
    for (const auto& [edge, type] : outside) nodes.DefineExternal(edge, type);
    GK_RETURN_IF_ERROR(nodes.Add(graph.node));
    GK_RETURN_IF_ERROR(Raiser(&nodes, "raised_", &taken, &made).Run());
    GK_ASSIGN_OR_RETURN(raised.node, nodes.Write());
  }
  auto& functions = raised.library.mut().function;
  std::move(made.begin(), made.end(), std::back_inserter(functions));
  return raised;
}

}  // namespace gk
