#include "runtime/plan_passes.h"
#include "runtime/purity.h"

namespace gk {

Status FindEscapes(PlanDraft* draft) {
  PlanSlots& slots = draft->slots;
  for (const Unit& unit : draft->units) {
    for (const Node* node : unit.nodes) {
      if (IsPure(*node) || draft->lowered.contains(node->id())) {
        slots.SetKeepsNothing(*node);
      }
    }
  }
  for (const Output& r : draft->function().results) slots.SetEscapes(r);
  // Readers before what they read: a view holds for whom holds the view.
  for (size_t u = draft->units.size(); u-- > 0;) {
    const std::vector<Node*>& nodes = draft->units[u].nodes;
    for (size_t k = nodes.size(); k-- > 0;) {
      const Node& node = *nodes[k];
      const bool view = IsStaticView(node);
      const bool holds =
          view ? slots.Escapes(node, 0) : !slots.KeepsNothing(node);
      if (!holds) continue;
      // Other inputs of a view (its new shape) are only read.
      const int held = view ? 1 : node.num_inputs();
      for (int i = 0; i < held; ++i) slots.SetEscapes(node.input(i));
    }
  }
  return OkStatus();
}

}  // namespace gk
