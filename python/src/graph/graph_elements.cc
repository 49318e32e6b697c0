#include "python/src/graph/graph_elements.h"

#include <algorithm>
#include <climits>
#include <string>

#include "graph/control_gather.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/graph/operation_type.h"
#include "python/src/tensors/tensor_type.h"

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

// The name of an element is a string; `what`: "Operation" or "Tensor".
bool IsElementName(PyObject* name, const char* what) {
  if (PyUnicode_Check(name)) return true;
  PyErr_Format(PyExc_TypeError, "%s names are strings (or similar), not %s.",
               what, Py_TYPE(name)->tp_name);
  return false;
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
  if (!IsElementName(name, "Operation")) return nullptr;
  const std::string_view text = StringView(name);
  if (text.find(':') != std::string_view::npos) {
    PyErr_Format(PyExc_ValueError,
                 "Name %R appears to refer to a Tensor, not a Operation.",
                 name);
    return nullptr;
  }
  Node* node = GraphOf(o)->graph->FindNode(text);
  if (node == nullptr) {
    PyErr_Format(PyExc_KeyError,
                 "The name %R refers to an Operation not in the graph.", name);
    return nullptr;
  }
  return OperationOf(GraphOf(o)->graph, node);
}

PyObject* GraphTensorByName(PyObject* o, PyObject* name) {
  static const char kForm[] =
      "Tensor names must be of the form \"<op_name>:<output_index>\".";
  if (!IsElementName(name, "Tensor")) return nullptr;
  const std::string text(StringView(name));
  const size_t colon = text.find(':');
  if (colon == std::string::npos) {
    const bool known = GraphOf(o)->graph->FindNode(text) != nullptr;
    PyErr_Format(
        PyExc_ValueError,
        known ? "The name %R refers to an Operation, not a Tensor. %s"
              : "The name %R looks like an (invalid) Operation name, not a "
                "Tensor. %s",
        name, kForm);
    return nullptr;
  }
  const std::string op = text.substr(0, colon);
  const std::string digits = text.substr(colon + 1);
  if (digits.empty() ||
      digits.find_first_not_of("0123456789") != std::string::npos) {
    PyErr_Format(PyExc_ValueError,
                 "The name %R looks a like a Tensor name, but is not a valid "
                 "one. %s",
                 name, kForm);
    return nullptr;
  }
  Node* node = GraphOf(o)->graph->FindNode(op);
  if (node == nullptr) {
    PyErr_Format(PyExc_KeyError,
                 "The name %R refers to a Tensor which does not exist. The "
                 "operation, '%s', does not exist in the graph.",
                 name, op.c_str());
    return nullptr;
  }
  const int index = digits.size() > 9 ? INT_MAX : std::stoi(digits);
  if (index >= node->num_outputs()) {
    PyErr_Format(PyExc_KeyError,
                 "The name %R refers to a Tensor which does not exist. The "
                 "operation, '%s', exists but only has %d outputs.",
                 name, op.c_str(), node->num_outputs());
    return nullptr;
  }
  return WrapTensor(GraphOf(o)->graph->TensorOf({node, index}));
}

PyObject* GraphElement(PyObject* graph, PyObject* obj, bool allow_tensor,
                       bool allow_operation) {
  nb::object element = nb::borrow(obj);
  if (nb::hasattr(element, "_as_graph_element")) {
    nb::object own = element.attr("_as_graph_element")();
    if (PyObject_IsTrue(own.ptr()) == 1) element = own;
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
  if (f == nullptr || !f->automatic_control()) return list.Release();
  const ControlGather gather(*GraphOf(o)->graph, f->results(),
                             f->control_outputs());
  std::vector<Node*> nodes = gather.controls();
  std::sort(nodes.begin(), nodes.end(),
            [](const Node* a, const Node* b) { return a->id() < b->id(); });
  for (Node* node : nodes) {
    PyRef op = PyRef::Steal(OperationOf(GraphOf(o)->graph, node));
    if (!list || !op || PyList_Append(list.get(), op.get()) < 0) return nullptr;
  }
  return list.Release();
}

}  // namespace gk::py
