#include "python/src/graph/operation_members.h"

#include <algorithm>

#include "function/func_graph.h"
#include "function/graph_facts.h"
#include "graph/control_gather.h"
#include "graph/graph_elements.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_error.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/graph/graph_def.h"
#include "python/src/graph/operation_type.h"
#include "python/src/graph/session_object.h"
#include "python/src/graph/source_location.h"
#include "python/src/tensors/tensor_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

nb::object Steal(PyObject* o) {
  if (o == nullptr) throw nb::python_error();
  return nb::steal(o);
}

nb::object Edge(const Operation& op, Output o) {
  return Steal(WrapTensor(op.graph->TensorOf(o)));
}

nb::tuple InputsOf(const Operation& op) {
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
// Where it was made: the user's frames, outermost first.
nb::object Traceback(const Operation& op) {
  nb::module_ traceback = nb::module_::import_("traceback");
  nb::list frames;
  for (nb::handle at : Steal(SourceLinesOf(op.node->source()))) {
    frames.append(traceback.attr("FrameSummary")(
        at[0], at[1], at[2], nb::arg("lookup_line") = false));
  }
  return traceback.attr("StackSummary").attr("from_list")(frames);
}

// The operations that run after this one because they were told to.
nb::list ControlOutputs(const Operation& op) {
  nb::list out;
  for (const auto& node : op.graph->nodes()) {
    const auto& before = node->control_inputs();
    if (std::find(before.begin(), before.end(), op.node) != before.end()) {
      out.append(WrapNode(op.graph.get(), node.get()));
    }
  }
  return out;
}

nb::list ColocationGroups(const Operation& op) {
  nb::list out;
  for (const std::string& group : ColocationGroupsOf(*op.node)) {
    out.append(nb::bytes(group.data(), group.size()));
  }
  return out;
}

nb::object GraphObject(const Operation& op) {
  return Steal(WrapGraph(op.graph.get()));
}

const Operation& Of(nb::handle self) {
  return nb::cast<const Operation&>(self);
}

nb::object Values(nb::handle self) { return nb::tuple(Outputs(Of(self))); }

nb::object GetAttr(nb::handle self, nb::handle name) {
  if (!PyUnicode_Check(name.ptr())) {
    Throw(TypeError("The name of an attribute is a str, not {}",
                    Py_TYPE(name.ptr())->tp_name));
  }
  return AttrOf(Of(self), nb::cast<std::string>(name));
}

nb::object Groups(nb::handle self) { return ColocationGroups(Of(self)); }

nb::object RunInSession(nb::handle self, nb::handle feed_dict,
                        nb::handle session) {
  const nb::tuple args = nb::make_tuple(feed_dict, session);
  return Owned(EvaluateInSession(self.ptr(), args.ptr(), nullptr));
}

nb::object FromNodeDef(nb::handle, nb::handle node_def, nb::handle g,
                       nb::handle inputs, nb::handle, nb::handle control_inputs,
                       nb::handle, nb::handle, nb::handle) {
  return OperationOfNodeDef(node_def, g, inputs, control_inputs);
}

PyMethodDef operation_methods[] = {
    GK_METHOD("values", "", Values, "The outputs, a tuple."),
    GK_METHOD("get_attr", "name", GetAttr,
              "The value of an attribute: a Python value, or a message for "
              "shapes,\ntensors and functions. ValueError if there is no such "
              "attribute."),
    GK_METHOD("colocation_groups", "", Groups,
              "The groups of operations that are to run on one device."),
    GK_METHOD("run", "feed_dict=None, session=None", RunInSession,
              "Runs it in the session given or the default one.\n\n"
              ">>> with tf.Graph().as_default():\n"
              "...     v = tf.Variable(1.0)\n"
              "...     with tf.compat.v1.Session() as session:\n"
              "...         v.initializer.run()\n"
              "...         print(session.run(v).item())\n"
              "1.0"),
    GK_STATIC_METHOD(
        "from_node_def",
        "node_def, g, inputs=None, output_types=None, control_inputs=None, "
        "input_types=None, original_op=None, op_def=None",
        FromNodeDef,
        "Adds the operation that a NodeDef describes to the graph `g`; its\n"
        "inputs are given as tensors."),
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot kOperationSlots[] = {{Py_tp_methods, Slot<operation_methods>()},
                                 {0, nullptr}};

}  // namespace

nb::object OperationOf(const Tensor& t) {
  return WrapNode(Graph::GraphOf(t), Graph::OutputOf(t).node);
}

nb::list ConsumersIn(const Tensor& t) {
  nb::list out;
  for (Node* node : ConsumersOf(t)) {
    out.append(WrapNode(Graph::GraphOf(t), node));
  }
  return out;
}

void AddOperation(nb::module_& m) {
  nb::class_<Operation>(m, "Operation", nb::type_slots(kOperationSlots),
                        nb::is_weak_referenceable(), nb::dynamic_attr(),
                        "Operation(*args, **kwargs)\n--\n\n"
                        "A node of a graph, which alone makes it.")
      .def_prop_ro("name", [](const Operation& op) { return op.node->name(); })
      .def_prop_ro(
          "type",
          [](const Operation& op) { return std::string(op.node->type()); })
      .def_prop_ro("device",
                   [](const Operation& op) { return op.node->device(); })
      .def_prop_ro("inputs", &InputsOf)
      .def_prop_ro("outputs", &Outputs)
      .def_prop_ro("control_inputs", &ControlInputs)
      .def_prop_ro("graph", &GraphObject)
      .def("__eq__",
           [](const Operation& a, nb::handle b) {
             return nb::isinstance<Operation>(b) &&
                    nb::cast<const Operation&>(b).node == a.node;
           })
      .def("__hash__",
           [](const Operation& a) { return reinterpret_cast<size_t>(a.node); })
      .def_prop_ro("node_def", &NodeDefOf, "The operation as a NodeDef.")
      .def_prop_ro("op_def", &OpDefOf,
                   "The signature of the operation's op as an OpDef.")
      .def_prop_ro("traceback", &Traceback,
                   "Where the operation was made: the user's frames, outermost "
                   "first.")
      .def_prop_ro("_control_outputs", &ControlOutputs)
      .def("__str__",
           [](const Operation& op) { return nb::str(NodeDefOf(op)); })
      .def("__repr__",
           [](const Operation& op) { return OperationText(*op.node); });
  m.attr("register_tensor_conversion_function")(
      m.attr("Operation"),
      nb::cpp_function([](const Operation& op, nb::args, nb::kwargs) {
        Throw(TypeError("can't convert Operation '{}' to Tensor",
                        op.node->name()));
      }));
}

}  // namespace gk::py
