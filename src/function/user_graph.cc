#include "function/user_graph.h"

#include <atomic>
#include <utility>

#include "framework/op_registry.h"
#include "graph/attr_from_proto.h"

namespace gk {
namespace {

// Captured values of up to so many elements are shown where they are used.
constexpr int64_t kMaxShownElements = 128;

// The number or types of an op's only list argument, if they are not given.
void SetListAttrs(const OpRecord& record, std::span<const Tensor> inputs,
                  AttrMap* attrs) {
  const ArgDef* list = nullptr;
  size_t at = 0, single = 0;
  for (const ArgDef& arg : record.def->inputs) {
    if (!arg.is_list()) {
      ++single;
    } else if (list != nullptr) {
      return;
    } else {
      list = &arg;
      at = single;
    }
  }
  if (list == nullptr || inputs.size() < single) return;
  const size_t n = inputs.size() - single;
  if (!list->number_attr.empty()) {
    if (attrs->Find(list->number_attr) == nullptr) {
      attrs->Set(list->number_attr, static_cast<int64_t>(n));
    }
  } else if (attrs->Find(list->type_list_attr) == nullptr) {
    std::vector<DataType> types;
    for (size_t i = 0; i < n; ++i) types.push_back(inputs[at + i].dtype());
    attrs->Set(list->type_list_attr, std::move(types));
  }
}

// Errors of messages as those of arguments.
Status OfArgument(const Status& status) {
  switch (status.code()) {
    case Code::kNotFound:
      return RuntimeError("{}", status.message());
    case Code::kInvalidArgument:
      return ValueError("{}", status.message());
    default:
      return status;
  }
}

}  // namespace

Ref<FuncGraph> NewUserGraph() {
  auto graph = MakeRef<FuncGraph>("", OpBuilder::Eager());
  static std::atomic<uint64_t> last{0};
  graph->set_user_number(last.fetch_add(1, std::memory_order_relaxed) + 1);
  graph->set_is_function(false);
  graph->inputs().set_may_capture(false);
  return graph;
}

StatusOr<proto::GraphDef> GraphDefOf(
    const FuncGraph& graph, bool add_shapes,
    std::span<const GraphFunction* const> functions) {
  GraphDefOptions options;
  options.add_shapes = add_shapes;
  options.functions = functions;
  for (const FunctionCapture& c : graph.inputs().captures()) {
    const Tensor& t = c.external;
    if (t && !t.is_symbolic() && t.dtype() != DataType::kResource &&
        t.dtype() != DataType::kVariant &&
        t.num_elements() <= kMaxShownElements) {
      options.constants.emplace(c.placeholder, t);
    }
  }
  options.results = graph.results();
  if (graph.finished()) options.control_outputs = graph.control_outputs();
  return GraphToGraphDef(*graph.graph(), options);
}

StatusOr<std::vector<ImportedElement>> ImportInto(
    FuncGraph* graph, const proto::GraphDef& message,
    const GraphImport& import) {
  GK_RETURN_IF_ERROR(graph->CheckOpen());
  ImportGraphDefOptions options;
  for (const auto& [edge, tensor] : import.input_map) {
    GK_ASSIGN_OR_RETURN(const Tensor here, graph->inputs().Capture(tensor));
    options.input_map[edge] = Graph::OutputOf(here);
  }
  options.prefix = import.prefix;
  // A scope that is there, as of name scopes.
  const bool is_scope = options.prefix.ends_with('/');
  while (options.prefix.ends_with('/')) options.prefix.pop_back();
  if (!options.prefix.empty()) {
    Graph* const own = graph->graph().get();
    if (!is_scope) options.prefix.insert(0, graph->scopes().name());
    if (!is_scope || own->PeekUniqueName(options.prefix) == options.prefix) {
      options.prefix = own->UniqueName(options.prefix);
    }
  }
  std::map<std::string, std::string> renamed;
  options.renamed = &renamed;
  const StatusOr<std::vector<Node*>> nodes =
      ImportGraphDef(message, graph->graph().get(), options);
  if (nodes.status().code() == Code::kInvalidArgument) {
    return OfArgument(nodes.status());
  }
  GK_RETURN_IF_ERROR(nodes.status());
  graph->Adopt(*nodes);
  std::vector<ImportedElement> found;
  for (const std::string& name : import.elements) {
    GK_ASSIGN_OR_RETURN(const ImportedElement element,
                        FindImported(*nodes, options, name));
    found.push_back(element);
  }
  return found;
}

StatusOr<TensorVector> ImportEdges(FuncGraph* graph,
                                   const proto::GraphDef& message,
                                   GraphImport import,
                                   std::span<const std::string> edges) {
  for (const std::string& edge : edges) {
    if (!import.input_map.contains(edge)) import.elements.push_back(edge);
  }
  GK_ASSIGN_OR_RETURN(const std::vector<ImportedElement> made,
                      ImportInto(graph, message, import));
  TensorVector tensors;
  size_t next = 0;
  for (const std::string& edge : edges) {
    const auto given = import.input_map.find(edge);
    if (given != import.input_map.end()) {
      GK_ASSIGN_OR_RETURN(tensors.emplace_back(),
                          graph->inputs().Capture(given->second));
    } else {
      const ImportedElement& e = made[next++];
      tensors.push_back(graph->graph()->TensorOf({e.node, e.index}));
    }
  }
  return tensors;
}

StatusOr<Node*> AddNodeOf(FuncGraph* graph, const proto::NodeDef& message,
                          std::span<const Tensor> inputs) {
  GK_RETURN_IF_ERROR(graph->CheckOpen());
  const StatusOr<const OpRecord*> record = OpRegistry::Get().LookUp(message.op);
  GK_RETURN_IF_ERROR(OfArgument(record.status()));
  AttrMap attrs;
  for (const auto& [name, value] : message.attr) {
    const AttrDef* declared = (*record)->def->FindAttr(name);
    if (declared == nullptr && !name.starts_with('_')) {
      return ValueError("NodeDef mentions attr '{}' not in Op {}", name,
                        (*record)->name);
    }
    StatusOr<AttrValue> attr = AttrFromProto(value, declared, nullptr);
    GK_RETURN_IF_ERROR(OfArgument(attr.status()));
    attrs.Set(name, *std::move(attr));
  }
  SetListAttrs(**record, inputs, &attrs);
  const FuncGraph::Building building(graph);
  const std::string& name = message.name.empty() ? message.op : message.name;
  GK_RETURN_IF_ERROR(OfArgument(
      graph->Apply(**record, inputs, std::move(attrs), name).status()));
  return graph->graph()->nodes().back().get();
}

}  // namespace gk
