#include "graph/control_gather.h"

#include <algorithm>

#include "framework/op_registry.h"

namespace gk {
namespace {

bool Gathers(const Node& node, std::span<Node* const> controls) {
  if (!node.op().Has(kOnlyOrders)) return false;
  const auto& gathered = node.control_inputs();
  return std::all_of(controls.begin(), controls.end(), [&](Node* n) {
    return std::find(gathered.begin(), gathered.end(), n) != gathered.end();
  });
}

bool IsGatheredBy(const Node& result, std::span<Node* const> controls) {
  return std::any_of(
      result.control_inputs().begin(), result.control_inputs().end(),
      [&](const Node* c) { return Gathers(*c, controls); });
}

}  // namespace

ControlGather::ControlGather(const Graph& graph,
                             std::span<const Output> results,
                             std::span<Node* const> control_outputs) {
  controls_.assign(control_outputs.begin(), control_outputs.end());
  for (const auto& node : graph.nodes()) {
    if (!node->op().Has(kRandom) && EffectsOf(*node).stateful) {
      controls_.push_back(node.get());
    }
  }
  std::sort(controls_.begin(), controls_.end(),
            [](Node* a, Node* b) { return a->name() < b->name(); });
  controls_.erase(std::unique(controls_.begin(), controls_.end()),
                  controls_.end());
  if (controls_.empty()) return;
  for (const Output& r : results) {
    if (r.node->op().Has(kIdentity) && !IsGatheredBy(*r.node, controls_)) {
      waiting_.insert(r.node);
    }
  }
  // A node that others use might come before what it would wait for.
  for (const auto& node : graph.nodes()) {
    for (const Output& o : node->inputs()) waiting_.erase(o.node);
    for (const Node* c : node->control_inputs()) waiting_.erase(c);
  }
  for (const Node* c : controls_) waiting_.erase(c);
  std::unordered_set<const Node*> used;
  for (const auto& node : graph.nodes()) {
    used.insert(node->control_inputs().begin(), node->control_inputs().end());
  }
  for (const auto& node : graph.nodes()) {
    if (!used.count(node.get()) && Gathers(*node, controls_)) {
      node_ = node.get();
      name_ = node->name();
      return;
    }
  }
  const std::string_view type = OpRegistry::Get().The(kOnlyOrders).name;
  name_ = type;
  for (int i = 1; graph.FindNode(name_) != nullptr; ++i) {
    name_ = Format("{}_{}", type, i);
  }
}

}  // namespace gk
