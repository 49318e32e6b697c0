// Schedule: the order in which a plan runs nodes, and which elementwise nodes
// run together.
//
// Elementwise nodes wait until nothing else is ready; then all that are ready
// over one domain, directly or through each other, go at once. So clusters
// are as large as the graph allows and can never form a cycle. Writes of
// variables of the domain's shape go with them, and so do reads of what was
// written there: see variable_update.h.
#ifndef GK_RUNTIME_SCHEDULE_H_
#define GK_RUNTIME_SCHEDULE_H_

#include <utility>
#include <vector>

#include "base/status.h"
#include "grappler/rewrite_graph.h"

namespace gk {

struct Unit {
  std::vector<Node*> nodes;  // more than one only if fusable
  bool fusable = false;      // at least one of them computes elements
};

// Which output it is, to sort by.
inline std::pair<int, int> PlaceOf(const Output& o) {
  return {o.node->id(), o.index};
}

// The nodes that results, control outputs and side effects need, producers
// (data and control) first. Error on a cycle.
StatusOr<std::vector<Unit>> MakeSchedule(const RewriteGraph& function,
                                         bool merge_updates = true);

}  // namespace gk

#endif  // GK_RUNTIME_SCHEDULE_H_
