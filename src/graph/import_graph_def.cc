#include "graph/import_graph_def.h"

#include <charconv>

#include "graph/node_importer.h"
#include "graph/raise_control_flow.h"

namespace gk {
namespace {

void KeepFirst(size_t n, Graph* graph) {
  std::vector<bool> keep(graph->num_nodes(), false);
  std::fill(keep.begin(), keep.begin() + static_cast<ptrdiff_t>(n), true);
  graph->RemoveNodes(keep);
}

StatusOr<std::vector<Node*>> ImportNodes(const proto::GraphDef& message,
                                         Graph* graph,
                                         const ImportGraphDefOptions& options) {
  FunctionReader functions(*message.library, options.ops);
  GK_RETURN_IF_ERROR(functions.Init());
  NodeImporter importer(NodeImporter::kGraphForm, options.prefix, &functions,
                        graph);
  importer.set_carries(options.unknown_ops == UnknownOps::kCarry);
  for (const auto& [edge, type] : options.read) importer.Read(edge, type);
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
  if (options.renamed != nullptr) *options.renamed = importer.renamed();
  return std::move(importer.nodes());
}

}  // namespace

StatusOr<std::vector<Node*>> ImportGraphDef(
    const proto::GraphDef& message, Graph* graph,
    const ImportGraphDefOptions& options) {
  if (options.unknown_ops == UnknownOps::kRefuse) {
    FunctionReader functions(*message.library);
    GK_RETURN_IF_ERROR(functions.Init());
    const UnregisteredNodes unregistered = functions.unregistered();
    for (const proto::NodeDef& node : message.node) {
      if (unregistered.Has(node)) return OpNotRegistered(node.op, node.name);
    }
  }
  if (!HasLoweredControlFlow(message)) {
    return ImportNodes(message, graph, options);
  }
  std::map<std::string, DataType> outside;
  for (const auto& [edge, o] : options.input_map) {
    if (o.node == nullptr || o.index >= o.node->num_outputs()) continue;
    const DataType type = o.node->output(o.index).dtype;
    outside[edge] = type;
    // "x" and "x:0" are one edge.
    if (edge.ends_with(":0")) {
      outside[edge.substr(0, edge.size() - 2)] = type;
    } else if (edge.find(':') == std::string::npos) {
      outside[edge + ":0"] = type;
    }
  }
  GK_ASSIGN_OR_RETURN(const proto::GraphDef raised,
                      RaiseControlFlow(message, outside, options.ops));
  return ImportNodes(raised, graph, options);
}

StatusOr<ImportedElement> FindImported(std::span<Node* const> nodes,
                                       const ImportGraphDefOptions& options,
                                       std::string_view name) {
  const size_t colon = name.find(':');
  ImportedElement found{nullptr, -1};
  bool valid = true;
  if (colon != std::string_view::npos) {
    const char* end = name.data() + name.size();
    const auto [last, error] =
        std::from_chars(name.data() + colon + 1, end, found.index);
    valid = error == std::errc() && last == end && found.index >= 0;
  }
  for (Node* node : nodes) {
    std::string_view own = node->name();
    if (options.renamed != nullptr) {
      const auto it = options.renamed->find(node->name());
      if (it != options.renamed->end()) own = it->second;
    }
    if (!options.prefix.empty()) own.remove_prefix(options.prefix.size() + 1);
    if (own == name.substr(0, colon)) found.node = node;
  }
  if (!valid || found.node == nullptr ||
      found.index >= found.node->num_outputs()) {
    return ValueError("Requested return_element '{}' not found in graph_def.",
                      name);
  }
  return found;
}

}  // namespace gk
