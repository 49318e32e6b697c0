// Graphs and functions as messages of graph files: the writing side.
//
// What is written follows TensorFlow's own writer: names of arguments and
// results, the NoOp that gathers what must run, attributes and versions. The
// graphs are only read; calls are thread-safe on finished graphs.
#ifndef GK_GRAPH_GRAPH_DEF_H_
#define GK_GRAPH_GRAPH_DEF_H_

#include <span>
#include <unordered_map>

#include "framework/graph.h"
#include "proto/graph.gk.h"

namespace gk {

// Versions of the graph format that files are marked with.
inline constexpr int kGraphDefProducer = 2474;
inline constexpr int kGraphDefMinConsumer = 12;

struct GraphDefOptions {
  bool add_shapes = false;  // _output_shapes on every node, of functions too
  // Placeholders that are written as constants of these values.
  std::unordered_map<const Node*, Tensor> constants;
  // Of a function's body: its results wait for its control outputs.
  std::span<const Output> results;
  std::span<Node* const> control_outputs;
  // Written to the library even if no node calls them.
  std::span<const GraphFunction* const> functions;
  // Do functions say what is in the resources that they take? Saved models do.
  bool handle_data = false;
  // If given: gets what those are called in the library.
  std::unordered_map<const GraphFunction*, std::string>* names = nullptr;
};

// All nodes, and all functions that they call, directly or not.
StatusOr<proto::GraphDef> GraphToGraphDef(const Graph& graph,
                                          const GraphDefOptions& options = {});

StatusOr<proto::FunctionDef> FunctionToFunctionDef(
    const GraphFunction& function);

// One node as it stands in a GraphDef.
StatusOr<proto::NodeDef> NodeToNodeDef(const Node& node);

}  // namespace gk

#endif  // GK_GRAPH_GRAPH_DEF_H_
