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
  if (control_outputs.empty()) return;
  for (const Output& r : results) {
    if (r.node->type() == "Identity" &&
        !IsGatheredBy(*r.node, control_outputs)) {
      waiting_.insert(r.node);
    }
  }
  // A node that others use might come before what it would wait for.
  for (const auto& node : graph.nodes()) {
    for (const Output& o : node->inputs()) waiting_.erase(o.node);
    for (const Node* c : node->control_inputs()) waiting_.erase(c);
  }
  for (const Node* c : control_outputs) waiting_.erase(c);
  name_ = "NoOp";
  for (int i = 1; graph.FindNode(name_) != nullptr; ++i) {
    name_ = fmt::format("NoOp_{}", i);
  }
}

}  // namespace gk
