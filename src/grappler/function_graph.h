// FunctionGraph: the rewriting view of a function. Passes change the graph and
// keep arguments, results and control outputs pointing at the right nodes.
//
// A value; the graph is a private clone, owned by one thread while passes run
// and constant afterwards.
#ifndef GK_GRAPPLER_FUNCTION_GRAPH_H_
#define GK_GRAPPLER_FUNCTION_GRAPH_H_

#include <string>
#include <vector>

#include "base/ref.h"
#include "graph/graph.h"

namespace gk {

struct FunctionGraph {
  std::string name;
  Ref<Graph> graph;
  std::vector<Node*> arguments;
  std::vector<Output> results;
  std::vector<Node*> control_outputs;

  // A clone of the function's graph: the visible one stays as it is.
  static FunctionGraph CloneOf(const GraphFunction& function);
  FunctionGraph Clone() const;
};

// Must run although nobody uses what it returns.
bool HasSideEffect(const Node& node);

}  // namespace gk

#endif  // GK_GRAPPLER_FUNCTION_GRAPH_H_
