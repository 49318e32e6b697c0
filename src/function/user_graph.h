// Graphs that programs make for their own sake and fill op by op, out of
// messages of files too, and any graph that is being built as such a message.
#ifndef GK_FUNCTION_USER_GRAPH_H_
#define GK_FUNCTION_USER_GRAPH_H_

#include <map>
#include <span>
#include <string>
#include <vector>

#include "function/func_graph.h"
#include "graph/graph_def.h"
#include "graph/import_graph_def.h"

namespace gk {

// An empty graph outside of all others, which nobody calls.
Ref<FuncGraph> NewUserGraph();

// What was built so far. Small values that are captured stand in it as
// constants. `functions`: added to the library, called or not.
StatusOr<proto::GraphDef> GraphDefOf(
    const FuncGraph& graph, bool add_shapes = false,
    std::span<const GraphFunction* const> functions = {});

struct GraphImport {
  // Of all names, made unique below the current scope; none if empty.
  std::string prefix = "import";
  // What stands in for edges ("x", "x:1") of the message; may be captured.
  std::map<std::string, Tensor> input_map;
  // What is asked for: nodes "x" and their outputs "x:0".
  std::vector<std::string> elements;
};
// Adds the nodes of a message to the graph. ValueError for what is wrong with
// the message.
StatusOr<std::vector<ImportedElement>> ImportInto(
    FuncGraph* graph, const proto::GraphDef& message,
    const GraphImport& import);

// The same with other elements: the tensors that stand for edges "x:1" of the
// message, those of the input map among them.
StatusOr<TensorVector> ImportEdges(FuncGraph* graph,
                                   const proto::GraphDef& message,
                                   GraphImport import,
                                   std::span<const std::string> edges);

// Adds a node of the message's op, attributes and name (made unique) to the
// graph; what the inputs tell of the attributes may be left out. RuntimeError
// for an unknown op and a graph that is finished, ValueError for what the op
// refuses.
StatusOr<Node*> AddNodeOf(FuncGraph* graph, const proto::NodeDef& message,
                          std::span<const Tensor> inputs);

}  // namespace gk

#endif  // GK_FUNCTION_USER_GRAPH_H_
