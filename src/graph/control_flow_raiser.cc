#include "graph/control_flow_raiser.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "framework/op_registry.h"

namespace gk {
namespace {

// What no graph of a program has; files come from anywhere.
constexpr size_t kMaxFrames = 1024;
constexpr int64_t kMaxWork = int64_t{1} << 28;  // edges looked at

}  // namespace

Status ControlFlowRaiser::Run() {
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

Status ControlFlowRaiser::Wrong(int node, std::string_view what) const {
  const proto::NodeDef& def = g_.nodes()[node].def;
  return InvalidArgument("Node '{}' ({}): {}", def.name, def.op, what);
}

Status ControlFlowRaiser::CheckWork() const {
  if (work_ <= kMaxWork) return OkStatus();
  return Unimplemented("Branches and loops of this size are not raised");
}

Status ControlFlowRaiser::FindFrames() {
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
    if (g_.Is(i, LoweredOp::kEnter)) {
      const auto& attrs = g_.nodes()[i].def.attr;
      const auto name = attrs.find("frame_name");
      const std::pair key{out,
                          name == attrs.end() ? std::string() : name->second.s};
      const auto [it, is_new] = ids.emplace(key, int(frames_.size()));
      if (is_new) frames_.push_back({out, key.second});
      if (frames_.size() > kMaxFrames) {
        return Unimplemented("More than {} loops in one graph", kMaxFrames);
      }
      out = it->second;
      enters_.emplace(i, out);
    } else if (g_.Is(i, LoweredOp::kExit)) {
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

std::set<int> ControlFlowRaiser::Cone(
    const std::vector<Edge>& to,
    FunctionRef<bool(Edge, bool control)> stops) const {
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

std::string ControlFlowRaiser::Unique(const std::string& name) {
  std::string clean = prefix_;
  for (char c : name) clean += std::isalnum((unsigned char)c) ? c : '_';
  std::string unique = clean;
  for (int i = 1; !taken_.insert(unique).second; ++i) {
    unique = Format("{}_{}", clean, i);
  }
  return unique;
}

Status ControlFlowRaiser::Make(const Part& part) {
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
    const bool unregistered = record == nullptr && g_.IsUnregistered(i);
    if (unregistered || (record != nullptr && record->def->is_stateful)) {
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

bool ControlFlowRaiser::IsStateful(const std::set<int>& nodes) const {
  return std::any_of(nodes.begin(), nodes.end(), [&](int i) {
    const OpRecord* record = OpRegistry::Get().Find(g_.nodes()[i].def.op);
    return record == nullptr || record->def->is_stateful ||
           record->Has(kCallsFunction);
  });
}

const std::vector<std::vector<int>>& ControlFlowRaiser::Users() const {
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

void ControlFlowRaiser::Remove(int node, int moved_to) {
  users_.clear();
  g_.nodes()[node].gone = true;
  g_.nodes()[node].moved_to = moved_to;
}

void ControlFlowRaiser::BecomeIdentity(int node, Edge of) {
  users_.clear();
  Node& n = g_.nodes()[node];
  n.SetOp(OpRegistry::Get().The(kIdentity).name);
  std::erase_if(n.def.attr, [](const auto& a) {
    return a.first != "T" && a.first[0] != '_';
  });
  n.inputs = {of};
}

std::string ControlFlowRaiser::Scope(const std::string& name) {
  const size_t slash = name.rfind('/');
  return slash == std::string::npos ? name : name.substr(0, slash);
}

}  // namespace gk
