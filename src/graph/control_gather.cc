#include "graph/control_gather.h"

#include <algorithm>

namespace gk {
namespace {

bool IsGatheredBy(const Node& result, std::span<Node* const> controls) {
  for (const Node* c : result.control_inputs()) {
    if (c->type() != "NoOp") continue;
    const auto& gathered = c->control_inputs();
    if (std::all_of(controls.begin(), controls.end(), [&](Node* n) {
          return std::find(gathered.begin(), gathered.end(), n) !=
                 gathered.end();
        })) {
      return true;
    }
  }
  return false;
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
    if (r.node->type() == "Identity" &&
        !IsGatheredBy(*r.node, controls_)) {
      waiting_.insert(r.node);
    }
  }
  // A node that others use might come before what it would wait for.
  for (const auto& node : graph.nodes()) {
    for (const Output& o : node->inputs()) waiting_.erase(o.node);
    for (const Node* c : node->control_inputs()) waiting_.erase(c);
  }
  for (const Node* c : controls_) waiting_.erase(c);
  name_ = "NoOp";
  for (int i = 1; graph.FindNode(name_) != nullptr; ++i) {
    name_ = Format("NoOp_{}", i);
  }
}

}  // namespace gk
