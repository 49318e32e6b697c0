// What public graphs and operations hold.
#ifndef GK_API_GRAPH_REP_H_
#define GK_API_GRAPH_REP_H_

#include <any>
#include <map>
#include <string>
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

struct Graph::Rep {
  explicit Rep(Ref<FuncGraph> graph) : graph(std::move(graph)) {}

  const Ref<FuncGraph> graph;
  std::map<std::string, std::vector<std::any>> collections;
};

}  // namespace gk::api

#endif  // GK_API_GRAPH_REP_H_
