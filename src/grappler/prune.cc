#include "grappler/prune.h"

#include <vector>

#include "base/interrupt.h"

namespace gk {

Status Prune(RewriteGraph* function, bool* changed) {
  Graph& graph = *function->graph;
  std::vector<bool> keep(graph.num_nodes());
  std::vector<const Node*> todo;
  const auto need = [&](const Node* node) {
    if (keep[node->id()]) return;
    keep[node->id()] = true;
    todo.push_back(node);
  };
  for (const Node* n : function->arguments) need(n);
  for (const Output& r : function->results) need(r.node);
  for (const Node* n : function->control_outputs) need(n);
  for (const auto& n : graph.nodes()) {
    PollInterrupt();
    if (HasSideEffect(*n)) need(n.get());
  }
  while (!todo.empty()) {
    PollInterrupt();
    const Node* node = todo.back();
    todo.pop_back();
    for (const Output& in : node->inputs()) need(in.node);
    for (const Node* c : node->control_inputs()) need(c);
  }
  for (bool k : keep) {
    if (k) continue;
    graph.RemoveNodes(keep);
    *changed = true;
    break;
  }
  return OkStatus();
}

}  // namespace gk
