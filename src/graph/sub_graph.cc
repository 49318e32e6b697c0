#include "graph/sub_graph.h"

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "framework/op_registry.h"

namespace gk {
namespace {

bool IsControl(std::string_view input) { return input.starts_with('^'); }

// "x" of "x:1" and "^x".
std::string NodeOf(std::string_view input) {
  if (IsControl(input)) input.remove_prefix(1);
  return std::string(input.substr(0, input.find(':')));
}

bool PassesOneValue(const proto::NodeDef& node) {
  const OpRecord* op = OpRegistry::Get().Find(node.op);
  return op != nullptr && op->Has(kPassesValues) &&
         (op->Has(kIdentity) || op->Has(kElementwise)) && !node.input.empty() &&
         !IsControl(node.input[0]);
}

}  // namespace

StatusOr<proto::GraphDef> ExtractSubGraph(const proto::GraphDef& graph,
                                          std::span<const std::string> names) {
  std::unordered_map<std::string, const proto::NodeDef*> by_name;
  for (const proto::NodeDef& node : graph.node) by_name[node.name] = &node;
  std::unordered_set<std::string> needed;
  std::vector<std::string> todo;
  for (const std::string& name : names) {
    todo.push_back(NodeOf(name));
    if (by_name.count(todo.back()) == 0) {
      return ValueError("{} is not in graph", name);
    }
  }
  while (!todo.empty()) {
    const std::string name = std::move(todo.back());
    todo.pop_back();
    const auto it = by_name.find(name);
    if (it == by_name.end() || !needed.insert(name).second) continue;
    for (const std::string& input : it->second->input) {
      todo.push_back(NodeOf(input));
    }
  }
  proto::GraphDef part;
  for (const proto::NodeDef& node : graph.node) {
    if (needed.count(node.name) != 0) part.node.push_back(node);
  }
  part.library = graph.library;
  part.versions = graph.versions;
  return part;
}

proto::GraphDef RemoveTrainingNodes(const proto::GraphDef& graph,
                                    std::span<const std::string> kept) {
  const std::unordered_set<std::string> protect(kept.begin(), kept.end());
  std::unordered_set<std::string> checks, ordered;
  for (const proto::NodeDef& node : graph.node) {
    const OpRecord* op = OpRegistry::Get().Find(node.op);
    if (PassesOneValue(node) && !op->Has(kIdentity) &&
        protect.count(node.name) == 0) {
      checks.insert(node.name);
    }
  }
  // Nobody waits for a check that is gone.
  for (const proto::NodeDef& node : graph.node) {
    if (checks.count(node.name) != 0) continue;
    for (const std::string& input : node.input) {
      if (!IsControl(input) || checks.count(NodeOf(input)) != 0) continue;
      ordered.insert(NodeOf(input));
      ordered.insert(node.name);
    }
  }
  std::unordered_map<std::string, std::string> instead;  // what it passes on
  for (const proto::NodeDef& node : graph.node) {
    const bool passes = PassesOneValue(node) && protect.count(node.name) == 0 &&
                        ordered.count(node.name) == 0;
    if (passes || checks.count(node.name) != 0) {
      instead[node.name] = node.input[0];
    }
  }
  proto::GraphDef rest;
  rest.library = graph.library;
  rest.versions = graph.versions;
  for (const proto::NodeDef& node : graph.node) {
    if (instead.count(node.name) != 0) continue;
    proto::NodeDef& now = rest.node.emplace_back(node);
    now.input.clear();
    for (const std::string& input : node.input) {
      if (IsControl(input)) {
        if (checks.count(NodeOf(input)) == 0) now.input.push_back(input);
        continue;
      }
      std::string from = input;
      // In a circle of them nobody makes a value.
      for (size_t i = 0; i <= instead.size(); ++i) {
        const auto it = instead.find(NodeOf(from));
        if (it == instead.end()) break;
        from = it->second;
      }
      now.input.push_back(std::move(from));
    }
  }
  return rest;
}

}  // namespace gk
