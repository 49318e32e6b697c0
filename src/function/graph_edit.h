// Making functions out of functions: a clone of the graph with nodes added.
#ifndef GK_FUNCTION_GRAPH_EDIT_H_
#define GK_FUNCTION_GRAPH_EDIT_H_

#include <span>
#include <string_view>
#include <vector>

#include "framework/graph.h"

namespace gk {

// A node added to a graph that nobody builds.
StatusOr<Node*> AddNodeTo(Graph* graph, const OpRecord& op,
                          std::span<const Output> inputs, AttrMap attrs,
                          std::string_view name = {});
// A placeholder for a new argument.
StatusOr<Node*> AddArgumentTo(Graph* graph, std::string_view name,
                              DataType dtype, const PartialTensorShape& shape,
                              HandleData handle_data);

// `graph` is a clone of `function`'s, `map` its nodes by old id: a function
// over it with other results and arguments appended to the old.
Ref<GraphFunction> CloneFunction(const GraphFunction& function,
                                 Ref<Graph> graph,
                                 const std::vector<Node*>& map,
                                 std::vector<Output> results,
                                 const std::vector<Node*>& more_arguments);

// The same function under another name: an object of its own over the same
// graph.
Ref<GraphFunction> ShareGraph(const GraphFunction& function);

// The attribute with which a node names `function`.
FunctionAttr AttrOf(const GraphFunction& function);

bool AnyStateful(std::span<const Ref<GraphFunction>> functions);

// What an If or Case over `functions` is made of.
struct BranchNodeParts {
  const OpRecord* record = nullptr;
  AttrMap attrs;
};
StatusOr<BranchNodeParts> BranchNode(
    bool is_if, DataType selector,
    std::span<const Ref<GraphFunction>> functions);

// What the attributes of a While (or StatelessWhile) say of its functions;
// `shapes` of all its state.
void SetLoopAttrs(const Ref<GraphFunction>& condition,
                  const Ref<GraphFunction>& body,
                  std::vector<PartialTensorShape> shapes, AttrMap* attrs);
// Indices of inputs that are resources which `functions` only read; before
// their arguments the node has `leading` inputs of its own.
std::vector<int64_t> ReadOnlyInputs(
    std::span<const Ref<GraphFunction>> functions, int leading);

}  // namespace gk

#endif  // GK_FUNCTION_GRAPH_EDIT_H_
