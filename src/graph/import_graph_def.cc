#include "graph/import_graph_def.h"

#include "graph/node_importer.h"

namespace gk {
namespace {

void KeepFirst(size_t n, Graph* graph) {
  std::vector<bool> keep(graph->num_nodes(), false);
  std::fill(keep.begin(), keep.begin() + static_cast<ptrdiff_t>(n), true);
  graph->RemoveNodes(keep);
}

}  // namespace

StatusOr<std::vector<Node*>> ImportGraphDef(
    const proto::GraphDef& message, Graph* graph,
    const ImportGraphDefOptions& options) {
  FunctionReader functions(*message.library);
  GK_RETURN_IF_ERROR(functions.Init());
  NodeImporter importer(NodeImporter::kGraphForm, options.prefix, &functions,
                        graph);
  for (const auto& [edge, output] : options.input_map) {
    if (output.node == nullptr || output.index >= output.node->num_outputs()) {
      return InvalidArgument("input_map: nothing stands for '{}'", edge);
    }
    importer.Define(edge, output);
    // "x" and "x:0" are one edge.
    if (edge.ends_with(":0")) {
      importer.Define(edge.substr(0, edge.size() - 2), output);
    } else if (edge.find(':') == std::string::npos) {
      importer.Define(edge + ":0", output);
    }
  }
  const size_t before = graph->num_nodes();
  const Status status = importer.Import(message.node);
  if (!status.ok()) {
    KeepFirst(before, graph);
    return status;
  }
  return std::move(importer.nodes());
}

}  // namespace gk
