#include "runtime/plan_passes.h"

namespace gk {

Status FindReaders(PlanDraft* draft) {
  const std::vector<Unit>& units = draft->units;
  std::vector<int> unit_of(draft->num_nodes(), -1);
  for (size_t u = 0; u < units.size(); ++u) {
    for (const Node* node : units[u].nodes) unit_of[node->id()] = u;
  }
  draft->read_outside.assign(draft->num_nodes(), false);
  for (const Output& r : draft->function().results) {
    draft->read_outside[r.node->id()] = true;
  }
  for (size_t u = 0; u < units.size(); ++u) {
    for (const Node* node : units[u].nodes) {
      for (const Output& in : node->inputs()) {
        if (unit_of[in.node->id()] != static_cast<int>(u)) {
          draft->read_outside[in.node->id()] = true;
        }
      }
    }
  }
  return OkStatus();
}

}  // namespace gk
