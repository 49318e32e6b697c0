#include "grappler/order_effects.h"

#include <algorithm>

#include "base/interrupt.h"
#include "graph/automatic_control.h"

namespace gk {

Status OrderEffects(RewriteGraph* function, bool*) {
  const auto& nodes = function->graph->nodes();
  if (std::none_of(nodes.begin(), nodes.end(),
                   [](const auto& node) { return KeepsPlace(*node); })) {
    return OkStatus();
  }
  GK_ASSIGN_OR_RETURN(const std::vector<Node*> order,
                      function->graph->TopologicalOrder());
  AutomaticControl control;
  for (Node* node : order) {
    PollInterrupt();
    if (KeepsPlace(*node)) control.Order(node);
  }
  return OkStatus();
}

}  // namespace gk
