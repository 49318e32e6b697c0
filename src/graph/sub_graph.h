// Parts of GraphDefs: what some nodes need, and a graph without what only
// training needs.
#ifndef GK_GRAPH_SUB_GRAPH_H_
#define GK_GRAPH_SUB_GRAPH_H_

#include <span>
#include <string>

#include "base/status.h"
#include "proto/graph.gk.h"

namespace gk {

// The nodes of these names and all that they need, in the graph's order, with
// its library and versions. AssertionError if a name is missing.
StatusOr<proto::GraphDef> ExtractSubGraph(const proto::GraphDef& graph,
                                          std::span<const std::string> names);

// Without identities, and without ops that check values and pass them on,
// unless their names are among `kept`: who reads them reads what they read.
// Identities that control edges touch stay.
proto::GraphDef RemoveTrainingNodes(const proto::GraphDef& graph,
                                    std::span<const std::string> kept);

}  // namespace gk

#endif  // GK_GRAPH_SUB_GRAPH_H_
