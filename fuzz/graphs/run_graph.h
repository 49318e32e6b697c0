// Imports, runs and differentiates whatever a message describes, and runs
// functions.
#ifndef GK_FUZZ_GRAPHS_RUN_GRAPH_H_
#define GK_FUZZ_GRAPHS_RUN_GRAPH_H_

#include "base/function_ref.h"
#include "function/concrete_function.h"
#include "proto/graph.gk.h"

namespace gk::fuzz {

// Starts what a program would have started. Once a process.
void StartRuntime();

// Reads the graph twice: it runs with values for its placeholders, and its
// gradients for its sources are made and run. Errors are looked at and
// forgotten: none may be INTERNAL. What takes long is cancelled.
void RunGraphDef(const proto::GraphDef& message);

// Calls the function with values for its arguments, then with gradients for
// those that can have them. The same holds of errors and of time.
void RunFunction(const ConcreteFunction& function);

// Runs what may throw; the error is looked at.
void Guarded(FunctionRef<void()> work);

}  // namespace gk::fuzz

#endif  // GK_FUZZ_GRAPHS_RUN_GRAPH_H_
