// RewriteGraph: the rewriting view of a function. Passes change the graph and
// keep arguments, results and control outputs pointing at the right nodes.
//
// A value; the graph is a private clone, owned by one thread while passes run
// and constant afterwards.
#ifndef GK_GRAPPLER_REWRITE_GRAPH_H_
#define GK_GRAPPLER_REWRITE_GRAPH_H_

#include <string>
#include <vector>

#include "base/ref.h"
#include "framework/graph.h"

namespace gk {

// A node that a pass put a function's body in the place of, or dropped as a
// loop that makes no turn.
struct SplicedNode {
  std::string node;
  const GraphFunction* body = nullptr;  // null: the loop is dropped
  int first_input = 0;  // the node's input that is the body's argument 0
  // The names of the body's nodes in the new place, by their ids; empty for
  // arguments.
  std::vector<std::string> copies;
};

struct RewriteGraph {
  std::string name;
  Ref<Graph> graph;
  std::vector<Node*> arguments;
  std::vector<Output> results;
  std::vector<Node*> control_outputs;
  // What passes spliced since the list was emptied; kept while passes are
  // checked (check_passes.h).
  std::vector<SplicedNode> spliced;

  // A clone of the function's graph: the visible one stays as it is.
  static RewriteGraph CloneOf(const GraphFunction& function);
  RewriteGraph Clone() const;
};

// The graph of the function that an attribute names; null if there is none.
const GraphFunction* GraphOf(const FunctionAttr* f);

// Must run although nobody uses what it returns.
bool HasSideEffect(const Node& node);

// Its place among other such nodes shows: it has a side effect, or reads what
// others write. Drawing random numbers alone does not count.
bool KeepsPlace(const Node& node);

}  // namespace gk

#endif  // GK_GRAPPLER_REWRITE_GRAPH_H_
