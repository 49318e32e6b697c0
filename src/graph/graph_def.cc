#include "graph/graph_def.h"

#include "framework/host_function.h"
#include "framework/op_registry.h"
#include "framework/unregistered_op.h"
#include "graph/control_gather.h"
#include "graph/function_names.h"
#include "graph/tensor_proto.h"

namespace gk {
namespace {

StatusOr<proto::NodeDef> WriteNode(const Node& node, FunctionNames* functions) {
  proto::NodeDef message = RestOf(node.op());
  message.name = node.name();
  message.op = node.type();
  message.device = node.device();
  for (const Output& o : node.inputs()) {
    message.input.push_back(o.index == 0
                                ? o.node->name()
                                : Format("{}:{}", o.node->name(), o.index));
  }
  for (const Node* c : node.control_inputs()) {
    message.input.push_back("^" + c->name());
  }
  for (const auto& [name, value] : node.attrs()) {
    if (name == kHeldHostFunction) continue;
    GK_ASSIGN_OR_RETURN(message.attr[name], functions->WriteAttr(value));
  }
  return message;
}

Status WriteAsConstant(const Tensor& value, proto::NodeDef* message) {
  message->op = OpRegistry::Get().The(kConstant).name;
  message->attr.clear();
  message->attr["dtype"].set_type(static_cast<proto::DataType>(value.dtype()));
  GK_ASSIGN_OR_RETURN(message->attr["value"].mutable_tensor(),
                      TensorToProto(value));
  return OkStatus();
}

}  // namespace

StatusOr<proto::GraphDef> GraphToGraphDef(const Graph& graph,
                                          const GraphDefOptions& options) {
  proto::GraphDef message;
  FunctionNames functions;
  functions.set_handle_data(options.handle_data);
  functions.set_shapes(options.add_shapes);
  for (const GraphFunction* f : options.functions) {
    std::string name = functions.NameOf(*f);
    if (options.names != nullptr) options.names->emplace(f, std::move(name));
  }
  const ControlGather gather(graph, options.results, options.control_outputs);
  for (const auto& node : graph.nodes()) {
    GK_ASSIGN_OR_RETURN(proto::NodeDef n, WriteNode(*node, &functions));
    auto constant = options.constants.find(node.get());
    if (constant != options.constants.end()) {
      GK_RETURN_IF_ERROR(WriteAsConstant(constant->second, &n));
    }
    if (gather.Waits(node.get())) n.input.push_back("^" + gather.name());
    if (options.add_shapes) WriteOutputShapes(*node, &n);
    message.node.push_back(std::move(n));
  }
  if (gather.needed() && gather.node() == nullptr) {
    proto::NodeDef n;
    n.name = gather.name();
    n.op = OpRegistry::Get().The(kOnlyOrders).name;
    for (const Node* c : gather.controls()) {
      n.input.push_back("^" + c->name());
    }
    message.node.push_back(std::move(n));
  }
  proto::VersionDef& versions = message.versions.mut();
  versions.producer = kGraphDefProducer;
  proto::FunctionDefLibrary library;
  GK_RETURN_IF_ERROR(functions.WriteQueued(&library));
  if (!library.function.empty()) {
    message.library = std::move(library);
    // Readers before that version know no functions.
    versions.min_consumer = kGraphDefMinConsumer;
  }
  return message;
}

StatusOr<proto::FunctionDef> FunctionToFunctionDef(
    const GraphFunction& function) {
  FunctionNames functions;
  functions.NameOf(function);
  return WriteFunctionDef(function, &functions);
}

StatusOr<proto::NodeDef> NodeToNodeDef(const Node& node) {
  FunctionNames functions;
  return WriteNode(node, &functions);
}

}  // namespace gk
