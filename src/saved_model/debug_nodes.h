// What a program checks and prints for whoever writes it, taken out of a graph.
#ifndef GK_SAVED_MODEL_DEBUG_NODES_H_
#define GK_SAVED_MODEL_DEBUG_NODES_H_

#include "proto/graph.gk.h"

namespace gk {

// Assert and PrintV2 become NoOp, CheckNumerics and Print the Identity of their
// first input, in the graph and its functions. What they waited for they still
// wait for.
void StripDebugNodes(proto::GraphDef* graph);

}  // namespace gk

#endif  // GK_SAVED_MODEL_DEBUG_NODES_H_
