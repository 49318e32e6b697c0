#include "python/src/graph/graph_def.h"

#include "framework/op_registry.h"
#include "function/graph_collections.h"
#include "function/user_graph.h"
#include "graph/graph_file.h"
#include "graph/op_def_proto.h"
#include "graph/picture.h"
#include "graph/tensor_proto.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/message.h"
#include "python/src/binding/package_parts.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_error.h"
#include "python/src/function/concrete_function.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/graph/operation_type.h"
#include "python/src/ops/op_function.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/tensor_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

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

nb::bytes GraphDefBytes(nb::handle graph, bool add_shapes, nb::list functions) {
  const PyGraph* g = GraphArgument(graph);
  std::vector<const GraphFunction*> added;
  for (nb::handle f : functions) added.push_back(FunctionArgument(f));
  if (g->func != nullptr) {
    return Bytes(Check(GraphDefOf(*g->func, add_shapes, added)).Serialize());
  }
  GraphDefOptions options;
  options.add_shapes = add_shapes;
  options.functions = added;
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

// A message as bytes; an error that says what was wanted for what is none.
std::string Serialized(nb::handle message) {
  const nb::bytes data(message.attr("SerializeToString")());
  return std::string(data.c_str(), data.size());
}
proto::GraphDef ReadGraphDef(nb::handle given, const std::string& what) {
  if (!nb::hasattr(given, "SerializeToString")) {
    Throw(TypeError("{}{}", what, Py_TYPE(given.ptr())->tp_name));
  }
  proto::GraphDef message;
  const Status parsed = message.Parse(Serialized(given));
  if (!parsed.ok()) Throw(parsed);
  return message;
}

PyObject* Import(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *given, *input_map = Py_None, *elements = Py_None, *unused;
  const char* name = "import";
  if (!ParseArguments(args, kwargs, "O|OOzOO",
                      {"graph_def", "input_map", "return_elements", "name",
                       "op_dict", "producer_op_list"},
                      &given, &input_map, &elements, &name, &unused, &unused)) {
    return nullptr;
  }
  FuncGraph* builder = FuncGraph::Current();
  if (builder == nullptr) {
    return Raise(RuntimeError(
        "tf.import_graph_def adds to a graph: call it in a tf.function or "
        "under tf.Graph().as_default()."));
  }
  const proto::GraphDef message =
      ReadGraphDef(nb::handle(given),
                   "Argument `graph_def` must be a GraphDef proto. Received: ");
  GraphImport import;
  if (name != nullptr) import.prefix = name;
  if (elements != Py_None) {
    for (nb::handle e : nb::handle(elements)) {
      if (!nb::isinstance<nb::str>(e)) {
        return Raise(TypeError(
            "Argument `return_elements` must be a list of strings. Received: "
            "{}",
            nb::repr(nb::handle(elements)).c_str()));
      }
      import.elements.push_back(nb::cast<std::string>(e));
    }
  }
  if (input_map != Py_None) {
    for (nb::handle item : nb::handle(input_map).attr("items")()) {
      import.input_map[nb::cast<std::string>(item[0])] =
          Check(ToTensor(nb::object(item[1]).ptr()));
    }
  }
  const auto found = Check(ImportInto(builder, message, import));
  if (elements == Py_None) Py_RETURN_NONE;
  Graph* const graph = builder->graph().get();
  nb::list out;
  for (const auto& [node, index] : found) {
    out.append(index < 0
                   ? WrapNode(graph, node)
                   : nb::steal(WrapTensor(graph->TensorOf({node, index}))));
  }
  return out.release().ptr();
}

PyObject* WriteGraph(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *given, *folder, *name;
  int as_text = 1;
  if (!ParseArguments(args, kwargs, "OOO|p",
                      {"graph_or_graph_def", "logdir", "name", "as_text"},
                      &given, &folder, &name, &as_text)) {
    return nullptr;
  }
  nb::object message = nb::borrow(given);
  if (IsConcreteFunction(given)) message = message.attr("graph");
  if (IsGraph(message.ptr())) message = message.attr("as_graph_def")();
  const auto path = [](PyObject* part) {
    return nb::cast<std::string>(
        nb::module_::import_("os").attr("fsdecode")(nb::handle(part)));
  };
  const std::string data =
      as_text ? std::string(nb::str(message).c_str()) : [&] {
        const nb::bytes bytes(
            message.attr("SerializeToString")(nb::arg("deterministic") = true));
        return std::string(bytes.c_str(), bytes.size());
      }();
  return ToPyString(Check(WriteToFolder(path(folder), path(name), data)));
}

PyObject* AssertEqual(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *expected, *actual;
  if (!ParseArguments(args, kwargs, "OO", {"expected", "actual"}, &expected,
                      &actual)) {
    return nullptr;
  }
  const auto read = [](PyObject* given) {
    return ReadGraphDef(nb::handle(given), "Expected a GraphDef, got ");
  };
  const std::string difference = DifferenceOf(read(expected), read(actual));
  if (difference.empty()) Py_RETURN_NONE;
  PyErr_SetString(PyExc_AssertionError, difference.c_str());
  return nullptr;
}

PyMethodDef kGraphDefFunctions[] = {
    {"import_graph_def", AsCFunction(Guarded<Import>), kByName,
     "import_graph_def(graph_def, input_map=None, return_elements=None, "
     "name=None, op_dict=None, producer_op_list=None)\n--\n\n"
     "Adds the nodes of a GraphDef to the graph that is being built.\n\n"
     "`input_map` gives tensors in place of the message's edges, `name` is "
     "the\n"
     "prefix of all names (\"import\" if None, none if empty). Returns the\n"
     "operations (\"x\") and tensors (\"x:0\") of `return_elements`.\n\n"
     ">>> graph = tf.Graph()\n"
     ">>> with graph.as_default():\n"
     "...     one = tf.constant(1, name='one')\n"
     ">>> copy = tf.Graph()\n"
     ">>> with copy.as_default():\n"
     "...     tf.graph_util.import_graph_def(\n"
     "...         graph.as_graph_def(), name='copied')\n"
     ">>> [op.name for op in copy.get_operations()]\n"
     "['copied/one']"},
    {"write_graph", AsCFunction(Guarded<WriteGraph>), kByName,
     "write_graph(graph_or_graph_def, logdir, name, as_text=True)\n--\n\n"
     "Writes a graph to a file, as text or as bytes; returns its path.\n\n"
     ">>> import tempfile\n"
     ">>> graph = tf.Graph()\n"
     ">>> with tempfile.TemporaryDirectory() as folder:\n"
     "...     path = tf.io.write_graph(graph, folder, 'graph.pbtxt')"},
    {"assert_equal_graph_def", AsCFunction(Guarded<AssertEqual>), kByName,
     "assert_equal_graph_def(expected, actual)\n--\n\n"
     "AssertionError unless both GraphDefs have equal nodes (in any order)\n"
     "and libraries; versions are not compared.\n\n"
     ">>> graph = tf.Graph().as_graph_def()\n"
     ">>> tf.test.assert_equal_graph_def(graph, graph)"},
    {nullptr, nullptr, 0, nullptr}};

// An op of the graph. Throws what Python raises.
nb::object MakeOperation(PyGraph* g, const proto::NodeDef& message,
                         nb::handle inputs) {
  if (g->func == nullptr) {
    Throw(GraphCollections::Finalized());
  }
  TensorVector tensors;
  for (nb::handle input : inputs) {
    if (!IsTensor(input.ptr())) {
      Throw(TypeError("Input #{} is not a tensor: {}", tensors.size(),
                      nb::str(input).c_str()));
    }
    tensors.push_back(TensorOf(input.ptr()));
  }
  return WrapNode(g->graph, Check(AddNodeOf(g->func, message, tensors)));
}

PyObject* CreateOp(PyObject* o, PyObject* args, PyObject* kwargs) {
  const char *type, *name = nullptr;
  PyObject *inputs, *attrs = Py_None, *unused;
  if (!ParseArguments(args, kwargs, "sO|OOzOOOO",
                      {"op_type", "inputs", "dtypes", "input_types", "name",
                       "attrs", "op_def", "compute_shapes", "compute_device"},
                      &type, &inputs, &unused, &unused, &name, &attrs, &unused,
                      &unused, &unused)) {
    return nullptr;
  }
  proto::NodeDef message;
  message.op = type;
  if (name != nullptr) message.name = name;
  if (attrs != Py_None) {
    for (auto [key, value] : nb::cast<nb::dict>(nb::handle(attrs))) {
      proto::AttrValue attr;
      const Status parsed = attr.Parse(Serialized(value));
      if (!parsed.ok()) return Raise(parsed);
      message.attr[nb::cast<std::string>(key)] = std::move(attr);
    }
  }
  return MakeOperation(GraphOf(o), message, inputs).release().ptr();
}

PyObject* AsGraphDef(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* unused;
  int add_shapes = 0;
  if (!ParseArguments(args, kwargs, "|OpO",
                      {"from_version", "add_shapes", "use_pybind11_proto"},
                      &unused, &add_shapes, &unused)) {
    return nullptr;
  }
  nb::object kept = nb::getattr(nb::handle(o), kKeptFunctions, nb::dict());
  return Message("GraphDef", GraphDefBytes(nb::handle(o), add_shapes != 0,
                                           nb::cast<nb::dict>(kept).values()))
      .release()
      .ptr();
}

PyObject* GraphDefVersions(PyObject* o, void*) {
  PyRef none = PyRef::Steal(PyTuple_New(0));
  PyRef message =
      PyRef::Steal(none ? AsGraphDef(o, none.get(), nullptr) : nullptr);
  return message ? PyObject_GetAttrString(message.get(), "versions") : nullptr;
}

const auto kUnlocked = [](FunctionRef<void()> wait) {
  const GilRelease unlocked(true);
  wait();
};

PyObject* ReprHtml(PyObject* o, PyObject*) {
  const FuncGraph* f = GraphOf(o)->func;
  return ToPyString(
      GraphHtml(*GraphOf(o)->graph, f ? f->name() : "", kUnlocked));
}
PyObject* ReprSvg(PyObject* o, PyObject*) {
  const auto svg = GraphSvg(*GraphOf(o)->graph, kUnlocked);
  return svg ? ToPyString(*svg) : Py_NewRef(Py_None);
}

PyObject* Show(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* path = Py_None;
  if (!ParseArguments(args, kwargs, "|O", {"path"}, &path)) return nullptr;
  const nb::object page = nb::steal(ReprHtml(o, nullptr));
  if (!page.is_valid()) return nullptr;
  return nb::object(package::show_page.Held()(page, nb::handle(path)))
      .release()
      .ptr();
}

PyObject* OpDefForType(PyObject*, PyObject* args, PyObject* kwargs) {
  const char* type;
  if (!ParseArguments(args, kwargs, "s", {"type"}, &type)) return nullptr;
  const auto record = OpRegistry::Get().LookUp(type);
  if (!record.ok()) {
    return Raise(RuntimeError("{}", record.status().message()));
  }
  return Message("OpDef", OpDefBytes(type)).release().ptr();
}

PyMethodDef kGraphDefMethods[] = {
    {"as_graph_def", AsCFunction(Guarded<AsGraphDef>), kByName,
     "as_graph_def($self, from_version=None, add_shapes=False, "
     "use_pybind11_proto=False)\n--\n\n"
     "The graph as a GraphDef; `add_shapes` adds `_output_shapes` to nodes."},
    {"op_def_for_type", AsCFunction(Guarded<OpDefForType>), kByName,
     "op_def_for_type($self, type)\n--\n\n"
     "The OpDef of an op type. RuntimeError if there is none."},
    {"create_op", AsCFunction(Guarded<CreateOp>), kByName,
     "create_op($self, op_type, inputs, dtypes=None, input_types=None, "
     "name=None, attrs=None, op_def=None, compute_shapes=True, "
     "compute_device=True)\n--\n\n"
     "Adds an operation to this graph.\n\n"
     "Args:\n"
     "  op_type: the op's name (\"MatMul\").\n"
     "  inputs: its input tensors, flat.\n"
     "  dtypes, input_types: follow from the op and its inputs.\n"
     "  name: of the operation, below the current name scope; `op_type`\n"
     "    unless given.\n"
     "  attrs: AttrValue messages by name; those that the inputs tell may be\n"
     "    left out.\n"
     "  op_def, compute_shapes, compute_device: accepted for compatibility.\n"
     "\n"
     "Raises TypeError for an input that is no tensor, RuntimeError for an\n"
     "unknown op or a finalized graph, ValueError for what the op refuses.\n"
     "\n"
     ">>> g = tf.Graph()\n"
     ">>> with g.as_default():\n"
     "...     a = tf.constant(1.0)\n"
     ">>> g.create_op('Neg', [a], name='minus').outputs[0].name\n"
     "'minus:0'"},
    {"show", AsCFunction(Guarded<Show>), kByName,
     "show($self, path=None)\n--\n\n"
     "Shows the graph on a page: functions that it calls can be unfolded, and\n"
     "all drawings be zoomed. They are made by Graphviz; where that is not\n"
     "installed the page has lists.\n\n"
     "Args:\n"
     "  path: of the page that is written; if it is not given, a new one that\n"
     "    the web browser opens.\n\n"
     "Returns the path, None in a notebook, which shows it there."},
    {"_repr_svg_", Guarded<ReprSvg>, METH_NOARGS, nullptr},
    {"_repr_html_", Guarded<ReprHtml>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef attributes[] = {
    {"graph_def_versions", Guarded<GraphDefVersions>, nullptr,
     "The VersionDef of the graph's GraphDef.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

nb::object NodeDefOf(const Operation& op) {
  return Message("NodeDef", NodeDefBytes(op));
}
nb::object OpDefOf(const Operation& op) {
  return Message("OpDef", Bytes(Check(OpDefOf(*op.node)).Serialize()));
}
nb::object FunctionDefOf(nb::handle concrete) {
  return Message("FunctionDef", FunctionDefBytes(concrete));
}

nb::object AttrOf(const Operation& op, const std::string& name) {
  const nb::object data = AttrMessage(op, name);
  if (data.is_none()) return PlainAttr(op, name);
  nb::object value = Message("AttrValue", nb::bytes(data));
  const nb::str kind(value.attr("WhichOneof")("value"));
  if (std::string_view(kind.c_str()) != "list") return value.attr(kind);
  for (const char* field : {"shape", "tensor", "func"}) {
    // By way of an object: an accessor would be taken for a list as it is.
    const nb::object found = value.attr("list").attr(field);
    nb::list items(found);
    if (nb::len(items) > 0) return items;
  }
  return nb::list();
}

nb::object OperationOfNodeDef(nb::handle node_def, nb::handle graph,
                              nb::handle inputs, nb::handle control_inputs) {
  if (!IsGraph(graph.ptr())) {
    Throw(
        TypeError("Argument g must be a Graph. Received an instance of type {}",
                  nb::str(graph.type()).c_str()));
  }
  proto::NodeDef message;
  const Status parsed = message.Parse(Serialized(node_def));
  if (!parsed.ok()) Throw(parsed);
  nb::list before;
  if (!control_inputs.is_none()) before = nb::list(control_inputs);
  nb::object scope = graph.attr("control_dependencies")(before);
  scope.attr("__enter__")();
  struct Leave {
    nb::object scope;
    ~Leave() { scope.attr("__exit__")(); }
  } leave{scope};
  return MakeOperation(GraphOf(graph.ptr()), message,
                       inputs.is_none() ? nb::handle(nb::list()) : inputs);
}

void AddGraphMessages(TypeParts* parts) {
  parts->Add(kGraphDefMethods);
  parts->Add(attributes);
}

void AddGraphDef(nb::module_& m) {
  m.def("op_def", &OpDefBytes, nb::arg("type"));
  m.def("plain_attr", &PlainAttr, nb::arg("op"), nb::arg("name"));
  m.def(
      "graph_dot",
      [](nb::handle graph) { return GraphDot(*GraphArgument(graph)->graph); },
      nb::arg("graph"));
  m.def(
      "graph_layers",
      [](nb::handle graph) {
        const PyGraph* g = GraphArgument(graph);
        return GraphLayers(*g->graph, g->func ? g->func->name() : "");
      },
      nb::arg("graph"));
  if (PyModule_AddFunctions(m.ptr(), kGraphDefFunctions) < 0)
    throw nb::python_error();
}

}  // namespace gk::py
