#include "python/src/graph/graph_elements.h"

#include <string>
#include <utility>
#include <vector>

#include "function/graph_facts.h"
#include "function/graph_part.h"
#include "graph/graph_elements.h"
#include "python/src/binding/text_caster.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/graph/operation_type.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

PyObject* OperationOf(Graph* graph, Node* node) {
  try {
    return WrapNode(graph, node).release().ptr();
  } catch (nanobind::python_error& e) {
    e.restore();
    return nullptr;
  }
}

// What is found under a name. `what`: "Operation" or "Tensor".
template <class Find, class Wrap>
PyObject* ByName(PyObject* name, const char* what, Find find, Wrap wrap) {
  if (!PyUnicode_Check(name)) {
    return PyErr_Format(PyExc_TypeError,
                        "%s names are strings (or similar), not %s.", what,
                        Py_TYPE(name)->tp_name);
  }
  const auto found = find(StringView(name));
  if (found.ok()) return wrap(*found);
  if (found.status().code() != Code::kNotFound) return Raise(found.status());
  PyErr_SetString(PyExc_KeyError,
                  std::string(found.status().message()).c_str());
  return nullptr;
}

}  // namespace

PyObject* GraphOperations(PyObject* o, PyObject*) {
  PyRef list = PyRef::Steal(PyList_New(0));
  for (const auto& node : GraphOf(o)->graph->nodes()) {
    PyRef op = PyRef::Steal(OperationOf(GraphOf(o)->graph, node.get()));
    if (!list || !op || PyList_Append(list.get(), op.get()) < 0) return nullptr;
  }
  return list.Release();
}
PyObject* GraphOperationByName(PyObject* o, PyObject* name) {
  Graph* const graph = GraphOf(o)->graph;
  return ByName(
      name, "Operation",
      [&](std::string_view text) { return FindOperation(*graph, text); },
      [&](Node* node) { return OperationOf(graph, node); });
}
PyObject* GraphTensorByName(PyObject* o, PyObject* name) {
  Graph* const graph = GraphOf(o)->graph;
  return ByName(
      name, "Tensor",
      [&](std::string_view text) { return FindEdge(*graph, text); },
      [&](Output edge) { return WrapTensor(graph->TensorOf(edge)); });
}

PyObject* GraphElement(PyObject* graph, PyObject* obj, bool allow_tensor,
                       bool allow_operation) {
  nb::object element = nb::borrow(obj);
  if (nb::hasattr(element, "_as_graph_element")) {
    nb::object own = element.attr("_as_graph_element")();
    if (PyObject_IsTrue(own.ptr()) == 1) element = own;
  }
  if (IsVariable(obj) && IsSymbolicTensor(element.attr("handle").ptr())) {
    // The read that was made with it, which feeds replace.
    const auto name =
        nb::cast<std::string>(element.attr("handle").attr("op").attr("name"));
    const auto read =
        FindEdge(*GraphOf(graph)->graph, name + "/Read/ReadVariableOp:0");
    if (read.ok()) {
      element = nb::steal(WrapTensor(GraphOf(graph)->graph->TensorOf(*read)));
    }
  }
  PyObject* o = element.ptr();
  if (PyUnicode_Check(o)) {
    const bool tensor =
        StringView(o).find(':') != std::string_view::npos && allow_tensor;
    // Without operations: an error that says why.
    return tensor || !allow_operation ? GraphTensorByName(graph, o)
                                      : GraphOperationByName(graph, o);
  }
  const char* kind = nullptr;
  const Graph* own = nullptr;
  const Operation* op = nullptr;
  if (IsTensor(o) && allow_tensor) {
    kind = "Tensor";
    if (IsSymbolicTensor(o)) own = Graph::GraphOf(TensorOf(o));
  } else if (allow_operation && nb::try_cast(element, op) && op != nullptr) {
    kind = "Operation";
    own = op->graph.get();
  } else {
    return PyErr_Format(PyExc_TypeError, "Can not convert a %s into a %s%s%s.",
                        Py_TYPE(o)->tp_name, allow_tensor ? "Tensor" : "",
                        allow_tensor && allow_operation ? " or " : "",
                        allow_operation ? "Operation" : "");
  }
  if (own == GraphOf(graph)->graph) return element.release().ptr();
  return PyErr_Format(PyExc_ValueError,
                      "%s %S is not an element of this graph.", kind, o);
}

PyObject* GraphControlOutputs(PyObject* o, void*) {
  PyRef list = PyRef::Steal(PyList_New(0));
  const FuncGraph* f = GraphOf(o)->func;
  if (f == nullptr) return list.Release();
  for (Node* node : ControlOutputsOf(*f)) {
    PyRef op = PyRef::Steal(OperationOf(GraphOf(o)->graph, node));
    if (!list || !op || PyList_Append(list.get(), op.get()) < 0) return nullptr;
  }
  return list.Release();
}

namespace {

nb::handle unliftable_error;  // the class, for ever

GraphPart PartOf(nb::handle graph, nb::handle feeds, nb::handle fetches) {
  const FuncGraph* const builder =
      IsGraph(graph.ptr()) ? GraphOf(graph.ptr())->func : nullptr;
  if (builder == nullptr) {
    throw Error(TypeError("expected a graph that is built or traced"));
  }
  const auto element = [&](nb::handle h) {
    const Operation* op = nullptr;
    if (IsSymbolicTensor(h.ptr())) {
      const Output o = Graph::OutputOf(TensorOf(h.ptr()));
      return ImportedElement{o.node, o.index};
    }
    if (!nb::try_cast(h, op) || op == nullptr) {
      throw Error(TypeError("expected a tensor of the graph or an operation"));
    }
    return ImportedElement{op->node, -1};
  };
  std::vector<Output> inputs;
  std::vector<ImportedElement> outputs;
  for (nb::handle h : feeds) {
    const ImportedElement e = element(h);
    inputs.push_back({e.node, e.index});
  }
  for (nb::handle h : fetches) outputs.push_back(element(h));
  StatusOr<GraphPart> part =
      GraphPart::Between(builder, std::move(inputs), std::move(outputs));
  if (part.status().code() == Code::kFailedPrecondition) {
    PyErr_SetString(unliftable_error.ptr(),
                    std::string(part.status().message()).c_str());
    throw nb::python_error();
  }
  return ValueOrThrow(std::move(part));
}

nb::list ArgumentsOfPart(nb::handle graph, nb::handle feeds,
                         nb::handle fetches) {
  const GraphPart part = PartOf(graph, feeds, fetches);
  nb::list names;
  for (size_t i = 0; i < nb::len(feeds); ++i) {
    names.append(nb::cast(part.ArgumentName(i)));
  }
  return names;
}

nb::list CopyPart(nb::handle graph, nb::handle feeds, nb::handle fetches,
                  nb::handle given) {
  FuncGraph* const to = FuncGraph::Current();
  if (to == nullptr) throw Error(RuntimeError("no graph is built here"));
  TensorVector tensors;
  for (nb::handle t : given) tensors.push_back(TensorOf(t.ptr()));
  nb::list out;
  for (Tensor& t :
       ValueOrThrow(PartOf(graph, feeds, fetches).CopyInto(to, tensors))) {
    out.append(t ? nb::steal(WrapTensor(std::move(t))) : nb::none());
  }
  return out;
}

}  // namespace

void AddGraphElements(nb::module_& m) {
  unliftable_error = nb::object(m.attr("UnliftableError")).release();
  m.def("part_arguments", ArgumentsOfPart, nb::arg("graph"), nb::arg("feeds"),
        nb::arg("fetches"),
        "What the arguments of a function of a part are called.");
  m.def("copy_part", CopyPart, nb::arg("graph"), nb::arg("feeds"),
        nb::arg("fetches"), nb::arg("given"),
        "Copies what lies between feeds and fetches into the graph that is "
        "built, where `given` stand for the feeds; gives what stands for the "
        "fetches, None for operations.");
}

}  // namespace gk::py
