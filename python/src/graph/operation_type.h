// tf.Operation: a node of a graph.
#ifndef GK_PYTHON_OPERATION_TYPE_H_
#define GK_PYTHON_OPERATION_TYPE_H_

#include <nanobind/nanobind.h>

#include "framework/graph.h"

namespace gk::py {

// Keeps the graph alive; equal to every other Operation of the node.
// While Python holds one, its node has no other.
struct Operation {
  Operation(Ref<Graph> graph, Node* node)
      : graph(std::move(graph)), node(node) {}
  Operation(const Operation&) = delete;
  ~Operation();

  Ref<Graph> graph;
  Node* node;
};

nanobind::object WrapNode(Graph* graph, Node* node);

}  // namespace gk::py

#endif  // GK_PYTHON_OPERATION_TYPE_H_
