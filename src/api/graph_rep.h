// What public graphs and operations hold.
#ifndef GK_API_GRAPH_REP_H_
#define GK_API_GRAPH_REP_H_

#include <vector>

#include "api/inner.h"
#include "function/func_graph.h"
#include "graphkiln/graph.h"

namespace gk::api {

struct Operation::Rep {
  Ref<::gk::Graph> graph;
  Node* node;
};

inline Operation OuterNode(const Ref<::gk::Graph>& graph, Node* node) {
  return Operation(
      std::make_shared<const Operation::Rep>(Operation::Rep{graph, node}));
}

// Those of the graph; what is of others is done before.
std::vector<Node*> NodesOf(const std::vector<Operation>& operations,
                           const FuncGraph* graph);

// ValueError for a tensor of elsewhere.
Output EdgeIn(const FuncGraph& graph, const Tensor& tensor);

struct Graph::Rep {
  const Ref<FuncGraph> graph;
};

}  // namespace gk::api

#endif  // GK_API_GRAPH_REP_H_
