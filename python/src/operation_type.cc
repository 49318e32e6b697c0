#include "operation_type.h"

#include <algorithm>
#include <unordered_map>

#include "errors.h"
#include "func_graph_object.h"
#include "function/func_graph.h"
#include "graph/control_gather.h"
#include "tensor_type.h"
#include "text_caster.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

[[noreturn]] void Throw(const Status& status) {
  Raise(status);
  throw nb::python_error();
}

nb::object Steal(PyObject* o) {
  if (o == nullptr) throw nb::python_error();
  return nb::steal(o);
}

nb::object Edge(const Operation& op, Output o) {
  return Steal(WrapTensor(op.graph->TensorOf(o)));
}

nb::tuple Inputs(const Operation& op) {
  nb::list out;
  for (const Output& o : op.node->inputs()) out.append(Edge(op, o));
  return nb::tuple(out);
}
nb::list Outputs(const Operation& op) {
  nb::list out;
  for (int i = 0; i < op.node->num_outputs(); ++i) {
    out.append(Edge(op, {op.node, i}));
  }
  return out;
}
nb::list ControlInputs(const Operation& op) {
  nb::list out;
  for (Node* n : op.node->control_inputs()) {
    out.append(WrapNode(op.graph.get(), n));
  }
  const FuncGraph* f = FuncGraph::Of(op.graph.get());
  if (f == nullptr || !f->finished() || !op.node->op().Has(kIdentity)) {
    return out;
  }
  // The edges to what gathers effects are in written graphs only.
  const ControlGather gather(*op.graph, f->results(), f->control_outputs());
  if (gather.node() != nullptr && gather.Waits(op.node)) {
    out.append(WrapNode(op.graph.get(), const_cast<Node*>(gather.node())));
  }
  return out;
}
bool Uses(const Node& node, const Node* producer, int index) {
  return std::any_of(
      node.inputs().begin(), node.inputs().end(),
      [&](const Output& o) { return o.node == producer && o.index == index; });
}

nb::list Consumers(nb::handle tensor) {
  if (!IsSymbolicTensor(tensor.ptr())) {
    Throw(TypeError("expected a symbolic tensor"));
  }
  const Tensor t = TensorOf(tensor.ptr());
  Graph* graph = Graph::GraphOf(t);
  const Output o = Graph::OutputOf(t);
  nb::list out;
  for (const auto& node : graph->nodes()) {
    if (Uses(*node, o.node, o.index)) out.append(WrapNode(graph, node.get()));
  }
  return out;
}

nb::object GraphObject(const Operation& op) {
  return Steal(WrapGraph(op.graph.get()));
}

// The Operations that Python holds, by node. Under the GIL.
std::unordered_map<const Node*, PyObject*>& Operations() {
  static auto* operations = new std::unordered_map<const Node*, PyObject*>();
  return *operations;
}

PyObject* WrapOperationOf(const Tensor& t) {
  try {
    return WrapNode(Graph::GraphOf(t), Graph::OutputOf(t).node).release().ptr();
  } catch (nb::python_error& e) {
    e.restore();
    return nullptr;
  }
}

}  // namespace

Operation::~Operation() { Operations().erase(node); }

nb::object WrapNode(Graph* graph, Node* node) {
  auto [known, fresh] = Operations().try_emplace(node, nullptr);
  // One that is about to be freed does not come back.
  if (!fresh && known->second != nullptr && Py_REFCNT(known->second) > 0) {
    return nb::borrow(known->second);
  }
  nb::object made = nb::cast(new Operation(Ref<Graph>(graph), node),
                             nb::rv_policy::take_ownership);
  Operations()[node] = made.ptr();
  return made;
}

void AddOperation(nb::module_& m) {
  wrap_operation = WrapOperationOf;
  nb::class_<Operation>(m, "Operation", nb::is_weak_referenceable(),
                        "A node of a graph.")
      .def_prop_ro("name", [](const Operation& op) { return op.node->name(); })
      .def_prop_ro(
          "type",
          [](const Operation& op) { return std::string(op.node->type()); })
      .def_prop_ro("device",
                   [](const Operation& op) { return op.node->device(); })
      .def("_set_device",
           [](Operation& op, std::string device) {
             op.node->set_device(std::move(device));
           })
      .def_prop_ro("inputs", &Inputs)
      .def_prop_ro("outputs", &Outputs)
      .def_prop_ro("control_inputs", &ControlInputs)
      .def_prop_ro("graph", &GraphObject)
      .def_prop_ro("_source",
                   [](const Operation& op) { return op.node->source(); })
      .def("values", [](const Operation& op) { return nb::tuple(Outputs(op)); })
      .def("__eq__",
           [](const Operation& a, nb::handle b) {
             return nb::isinstance<Operation>(b) &&
                    nb::cast<const Operation&>(b).node == a.node;
           })
      .def("__hash__",
           [](const Operation& a) { return reinterpret_cast<size_t>(a.node); })
      .def("__str__", [](const Operation& op) { return NodeText(*op.node); })
      .def("__repr__", [](const Operation& op) {
        return Format("<tf.Operation '{}' type={}>", op.node->name(),
                      op.node->type());
      });
  m.def("consumers", &Consumers, nb::arg("tensor"));
}

}  // namespace gk::py
