#include "grappler/order_effects.h"

#include "graph/automatic_control.h"

namespace gk {

Status OrderEffects(FunctionGraph* function, bool*) {
  GK_ASSIGN_OR_RETURN(const std::vector<Node*> order,
                      function->graph->TopologicalOrder());
  AutomaticControl control;
  for (Node* node : order) {
    if (KeepsPlace(*node)) control.Order(node);
  }
  return OkStatus();
}

}  // namespace gk
