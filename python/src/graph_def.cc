#include "graph_def.h"

#include "concrete_function.h"
#include "errors.h"
#include "framework/op_registry.h"
#include "func_graph_object.h"
#include "graph/attr_from_proto.h"
#include "graph/graph_def.h"
#include "graph/import_graph_def.h"
#include "graph/op_def_proto.h"
#include "graph/tensor_proto.h"
#include "op_function.h"
#include "operation_type.h"
#include "tensor_type.h"
#include "text_caster.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

// Captured values of up to so many elements are shown where they are used.
constexpr int64_t kMaxShownElements = 128;

[[noreturn]] void Throw(const Status& status) {
  Raise(status);
  throw nb::python_error();
}

template <class T>
T Check(StatusOr<T> value) {
  if (!value.ok()) Throw(value.status());
  return *std::move(value);
}

nb::bytes Bytes(const std::string& s) { return nb::bytes(s.data(), s.size()); }

PyGraph* GraphArgument(nb::handle o) {
  if (!IsGraph(o.ptr())) Throw(TypeError("expected a tf.Graph"));
  return GraphOf(o.ptr());
}

const GraphFunction* FunctionArgument(nb::handle concrete) {
  if (!IsConcreteFunction(concrete.ptr())) {
    Throw(TypeError("expected a ConcreteFunction"));
  }
  return ConcreteFunctionOf(concrete.ptr())->function->function().get();
}

nb::bytes GraphDefBytes(nb::handle graph, bool add_shapes,
                        nb::sequence functions) {
  const PyGraph* g = GraphArgument(graph);
  GraphDefOptions options;
  options.add_shapes = add_shapes;
  std::vector<const GraphFunction*> added;
  for (nb::handle f : functions) added.push_back(FunctionArgument(f));
  options.functions = added;
  if (g->func != nullptr) {
    for (const FunctionCapture& c : g->func->captures()) {
      const Tensor& t = c.external;
      if (t && !t.is_symbolic() && t.dtype() != DataType::kResource &&
          t.dtype() != DataType::kVariant &&
          t.num_elements() <= kMaxShownElements) {
        options.constants.emplace(c.placeholder, t);
      }
    }
    options.results = g->func->results();
    if (g->func->finished()) {
      options.control_outputs = g->func->control_outputs();
    }
  }
  return Bytes(Check(GraphToGraphDef(*g->graph, options)).Serialize());
}

nb::bytes FunctionDefBytes(nb::handle concrete) {
  const GraphFunction* f = FunctionArgument(concrete);
  return Bytes(Check(FunctionToFunctionDef(*f)).Serialize());
}

nb::bytes NodeDefBytes(const Operation& op) {
  return Bytes(Check(NodeToNodeDef(*op.node)).Serialize());
}

// The OpDef of a registered op.
nb::bytes OpDefBytes(const std::string& type) {
  const OpRecord* record = Check(OpRegistry::Get().LookUp(type));
  return Bytes(Check(OpDefToProto(*record->def)).Serialize());
}

// The attribute as an AttrValue message if people get it as a message
// (shapes, tensors, functions and lists of them), else None.
nb::object AttrMessage(const Operation& op, const std::string& name) {
  const AttrValue* v = op.node->attrs().Find(name);
  if (v == nullptr) return nb::none();
  if (!std::holds_alternative<PartialTensorShape>(*v) &&
      !std::holds_alternative<Tensor>(*v) &&
      !std::holds_alternative<FunctionAttr>(*v) &&
      !std::holds_alternative<std::vector<PartialTensorShape>>(*v) &&
      !std::holds_alternative<std::vector<Tensor>>(*v) &&
      !std::holds_alternative<std::vector<FunctionAttr>>(*v)) {
    return nb::none();
  }
  return Bytes(Check(AttrToProto(*v)).Serialize());
}

// The attribute with tensors and shapes as they are.
nb::object PlainAttr(const Operation& op, const std::string& name) {
  const AttrValue* v = op.node->attrs().Find(name);
  if (v == nullptr) {
    Throw(ValueError("Operation '{}' has no attr named '{}'.", op.node->name(),
                     name));
  }
  PyObject* value = AttrToPython(*v);
  if (value == nullptr) throw nb::python_error();
  return nb::steal(value);
}

// [(attribute, function's name, its Graph)] of what a node calls.
nb::list CalledFunctions(const Operation& op) {
  nb::list out;
  auto add = [&](const std::string& attr, const FunctionAttr& f) {
    const auto* function =
        dynamic_cast<const GraphFunction*>(f.definition.get());
    if (function == nullptr) return;
    PyObject* graph = WrapGraph(function->graph_ref().get());
    if (graph == nullptr) throw nb::python_error();
    out.append(nb::make_tuple(attr, f.name, nb::steal(graph)));
  };
  for (const auto& [name, value] : op.node->attrs()) {
    if (const auto* f = std::get_if<FunctionAttr>(&value)) add(name, *f);
    if (const auto* l = std::get_if<std::vector<FunctionAttr>>(&value)) {
      for (const FunctionAttr& f : *l) add(name, f);
    }
  }
  return out;
}

// import_graph_def(graph, bytes, {edge: tensor}, prefix) -> [Operation]
nb::list ImportBytes(nb::handle graph, nb::bytes bytes, nb::dict input_map,
                     const std::string& prefix) {
  PyGraph* g = GraphArgument(graph);
  if (g->func == nullptr || g->func->finished()) {
    Throw(RuntimeError("Graph is finalized and cannot be modified."));
  }
  proto::GraphDef message;
  const Status parsed =
      message.Parse(std::string_view(bytes.c_str(), bytes.size()));
  if (!parsed.ok()) Throw(parsed);
  ImportGraphDefOptions options;
  options.prefix = prefix;
  for (auto [key, value] : input_map) {
    if (!IsSymbolicTensor(value.ptr()) ||
        Graph::GraphOf(TensorOf(value.ptr())) != g->graph) {
      Throw(ValueError("input_map: a value is no tensor of the graph"));
    }
    options.input_map[nb::cast<std::string>(key)] =
        Graph::OutputOf(TensorOf(value.ptr()));
  }
  const std::vector<Node*> nodes =
      Check(ImportGraphDef(message, g->graph, options));
  nb::list out;
  g->func->Adopt(nodes);
  for (Node* node : nodes) out.append(WrapNode(g->graph, node));
  return out;
}

// The number or types of an op's only list argument, if they are not given.
void SetListAttrs(const OpRecord& record, const TensorVector& inputs,
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

// create_op(graph, NodeDef bytes, tensors) -> Operation: the graph's builder
// makes a node of the message's op, attributes and name.
nb::object CreateOp(nb::handle graph, nb::bytes bytes, nb::list inputs) {
  PyGraph* g = GraphArgument(graph);
  if (g->func == nullptr) {
    Throw(RuntimeError("Graph is finalized and cannot be modified."));
  }
  proto::NodeDef message;
  const Status parsed =
      message.Parse(std::string_view(bytes.c_str(), bytes.size()));
  if (!parsed.ok()) Throw(parsed);
  const OpRecord* record = Check(OpRegistry::Get().LookUp(message.op));
  AttrMap attrs;
  for (const auto& [name, value] : message.attr) {
    const AttrDef* declared = record->def->FindAttr(name);
    if (declared == nullptr && !name.starts_with('_')) {
      Throw(ValueError("NodeDef mentions attr '{}' not in Op {}", name,
                       record->name));
    }
    attrs.Set(name, Check(AttrFromProto(value, declared, nullptr)));
  }
  TensorVector tensors;
  for (nb::handle input : inputs) {
    if (!IsTensor(input.ptr())) Throw(TypeError("an input is not a tensor"));
    tensors.push_back(TensorOf(input.ptr()));
  }
  SetListAttrs(*record, tensors, &attrs);
  Check(g->func->Apply(*record, tensors, std::move(attrs), message.name));
  return WrapNode(g->graph, g->graph->nodes().back().get());
}

}  // namespace

void AddGraphDef(nb::module_& m) {
  m.def("graph_def", &GraphDefBytes, nb::arg("graph"), nb::arg("add_shapes"),
        nb::arg("functions"));
  m.def("function_def", &FunctionDefBytes, nb::arg("concrete_function"));
  m.def("node_def", &NodeDefBytes, nb::arg("op"));
  m.def("op_def", &OpDefBytes, nb::arg("type"));
  m.def("attr_message", &AttrMessage, nb::arg("op"), nb::arg("name"));
  m.def("plain_attr", &PlainAttr, nb::arg("op"), nb::arg("name"));
  m.def("called_functions", &CalledFunctions, nb::arg("op"));
  m.def("create_op", &CreateOp, nb::arg("graph"), nb::arg("bytes"),
        nb::arg("inputs"));
  m.def("import_graph_def", &ImportBytes, nb::arg("graph"), nb::arg("bytes"),
        nb::arg("input_map"), nb::arg("prefix"));
}

}  // namespace gk::py
