// Graphs whose functions are called alike in all programs.
#ifndef GK_COMMAND_LINE_CANONICAL_GRAPH_H_
#define GK_COMMAND_LINE_CANONICAL_GRAPH_H_

#include "proto/graph.gk.h"

namespace gk::command {

// A copy in which functions are numbered in the order of their names' stems and
// numbers: "__inference_f_4711" becomes "__inference_f#0".
proto::GraphDef CanonicalGraph(const proto::GraphDef& graph);

}  // namespace gk::command

#endif  // GK_COMMAND_LINE_CANONICAL_GRAPH_H_
