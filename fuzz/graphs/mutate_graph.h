// Changes to graph messages that keep them messages.
#ifndef GK_FUZZ_GRAPHS_MUTATE_GRAPH_H_
#define GK_FUZZ_GRAPHS_MUTATE_GRAPH_H_

#include "driver/mutate_bytes.h"
#include "proto/graph.gk.h"

namespace gk::fuzz {

// One change: of a node's op, name, inputs or attributes, of a function's
// signature or results, of what a constant holds, of who calls whom.
void MutateGraph(Random& random, proto::GraphDef* graph);

}  // namespace gk::fuzz

#endif  // GK_FUZZ_GRAPHS_MUTATE_GRAPH_H_
