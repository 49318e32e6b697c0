// Imports, runs and differentiates whatever a message describes.
#ifndef GK_FUZZ_GRAPHS_RUN_GRAPH_H_
#define GK_FUZZ_GRAPHS_RUN_GRAPH_H_

#include "proto/graph.gk.h"

namespace gk::fuzz {

// Starts what a program would have started. Once a process.
void StartRuntime();

// Reads the graph twice: it runs with values for its placeholders, and its
// gradients for its sources are made and run. Errors are looked at and
// forgotten: none may be INTERNAL. What takes long is cancelled.
void RunGraphDef(const proto::GraphDef& message);

}  // namespace gk::fuzz

#endif  // GK_FUZZ_GRAPHS_RUN_GRAPH_H_
