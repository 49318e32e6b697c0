#include "function/run_order.h"

#include "ops/fn/NoOp.h"

namespace gk {

void RunsAfter::Begin(FuncGraph* graph, const std::vector<Node*>& before) {
  for (Node* node : before) {
    node->mutable_attrs().Set("_has_manual_control_dependencies", true);
  }
  graph->scopes().PushControlInputs(before);
}

Node* MakerOf(const Tensor& t, const Graph* graph) {
  return t.is_symbolic() && Graph::GraphOf(t) == graph ? Graph::OutputOf(t).node
                                                       : nullptr;
}

Node* Group(FuncGraph* graph, const std::vector<Node*>& before,
            std::string_view name) {
  const RunsAfter order(graph, before);
  ops::NoOp(OpName(name));
  return graph->graph()->nodes().back().get();
}

}  // namespace gk
