// Nodes and edges of a graph by their names, "x" and "x:0".
#ifndef GK_GRAPH_GRAPH_ELEMENTS_H_
#define GK_GRAPH_GRAPH_ELEMENTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "framework/graph.h"

namespace gk {

// ValueError for the name of a tensor, NotFound if there is no such node.
StatusOr<Node*> FindOperation(const Graph& graph, std::string_view name);
// ValueError for what is no tensor's name, NotFound if there is no such edge.
StatusOr<Output> FindEdge(const Graph& graph, std::string_view name);

// As Python shows them: "<tf.Operation 'x' type=Add>",
// "<tf.Tensor 'x:0' shape=(2,) dtype=float32>".
std::string OperationText(const Node& node);
std::string EdgeText(const Output& edge);

// The groups of operations that are to run on one device: "loc:@x".
std::vector<std::string> ColocationGroupsOf(const Node& node);

}  // namespace gk

#endif  // GK_GRAPH_GRAPH_ELEMENTS_H_
