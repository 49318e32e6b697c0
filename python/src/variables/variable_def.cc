// Variables of graphs as VariableDef messages, which collections of meta graphs
// hold: names of the operations that a variable is made of.
#include <nanobind/nanobind.h>

#include "framework/graph.h"
#include "function/func_graph.h"
#include "proto/checkpoint.gk.h"
#include "python/src/binding/message.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_error.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

constexpr char kInitializerName[] = "_graph_initializer";
constexpr char kInitialValueName[] = "_graph_initial_value";
constexpr char kSliceInfo[] = "_save_slice_info";
constexpr char kSnapshotName[] = "_graph_snapshot";

std::string TextOrEmpty(PyObject* o) {
  return o == nullptr || o == Py_None ? ""
                                      : nb::cast<std::string>(nb::handle(o));
}

// "scope/" at the front of names of nodes.
std::string Prefix(const std::string& scope) {
  return scope.empty() || scope.ends_with('/') ? scope : scope + "/";
}

std::string NameIn(nb::handle element, const std::string& prefix) {
  std::string name = nb::cast<std::string>(element.attr("name"));
  if (name.starts_with(prefix)) name.erase(0, prefix.size());
  return name;
}

// Of what the variable is a part, if it is one.
void AddSliceInfo(nb::handle variable, nb::handle scope,
                  proto::VariableDef* def) {
  if (!nb::hasattr(variable, kSliceInfo)) return;
  const nb::object message = variable.attr(kSliceInfo).attr("to_proto")(scope);
  if (message.is_none()) return;
  const nb::bytes bytes(message.attr("SerializeToString")());
  const Status parsed =
      def->save_slice_info_def.mut().Parse({bytes.c_str(), bytes.size()});
  if (!parsed.ok()) Throw(parsed);
}

int Mode(nb::handle variable, const char* attribute) {
  return nb::cast<int>(variable.attr(attribute).attr("value"));
}

}  // namespace

PyObject* VariableToProto(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* scope = Py_None;
  if (!ParseArguments(args, kwargs, "|O", {"export_scope"}, &scope)) {
    return nullptr;
  }
  const nb::handle self(o);
  if (self.attr(kInitializerName).is_none()) {
    Throw(
        RuntimeError("This operation is not supported when eager execution is "
                     "enabled."));
  }
  const std::string prefix = Prefix(TextOrEmpty(scope));
  const nb::object handle = self.attr("handle");
  if (!nb::cast<std::string>(handle.attr("name")).starts_with(prefix)) {
    return Py_NewRef(Py_None);
  }
  proto::VariableDef def;
  def.variable_name = NameIn(handle, prefix);
  def.initializer_name = NameIn(self.attr(kInitializerName), prefix);
  def.initial_value_name = NameIn(self.attr(kInitialValueName), prefix);
  if (nb::hasattr(self, kSnapshotName)) {
    def.snapshot_name = NameIn(self.attr(kSnapshotName), prefix);
  } else {
    def.snapshot_name =
        NameIn(self.attr("op"), prefix) + "/Read/ReadVariableOp:0";
  }
  def.is_resource = true;
  def.trainable = VariableOf(o)->trainable;
  def.synchronization = static_cast<proto::VariableSynchronization>(
      Mode(self, "synchronization"));
  def.aggregation =
      static_cast<proto::VariableAggregation>(Mode(self, "aggregation"));
  AddSliceInfo(self, scope, &def);
  const std::string bytes = def.Serialize();
  return Message("VariableDef", nb::bytes(bytes.data(), bytes.size()))
      .release()
      .ptr();
}

PyObject* VariableFromProto(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *message, *scope = Py_None;
  if (!ParseArguments(args, kwargs, "O|O", {"variable_def", "import_scope"},
                      &message, &scope)) {
    return nullptr;
  }
  if (FuncGraph::Current() == nullptr) {
    PyErr_SetString(PyExc_NotImplementedError,
                    "Variables of VariableDefs are made in graphs, not when "
                    "eager execution is enabled.");
    return nullptr;
  }
  const nb::bytes bytes(nb::handle(message).attr("SerializeToString")());
  proto::VariableDef def;
  const Status parsed = def.Parse({bytes.c_str(), bytes.size()});
  if (!parsed.ok()) Throw(parsed);
  const std::string prefix = Prefix(TextOrEmpty(scope));
  const nb::object graph =
      nb::steal(WrapGraph(FuncGraph::Current()->graph().get()));
  if (!graph.is_valid()) return nullptr;
  const auto element = [&](const std::string& name) {
    return nb::object(graph.attr("as_graph_element")(prefix + name));
  };
  const nb::object handle = element(def.variable_name);
  if (!IsTensor(handle.ptr()) ||
      TensorOf(handle.ptr()).dtype() != DataType::kResource ||
      !TensorOf(handle.ptr()).is_symbolic()) {
    Throw(
        ValueError("'{}' is no resource of a variable: graphs of variables "
                   "that are references are not read. Write the graph again "
                   "with tf.compat.v1.enable_resource_variables().",
                   def.variable_name));
  }
  const Tensor resource = TensorOf(handle.ptr());
  const Node& node = *Graph::OutputOf(resource).node;
  const std::string name = prefix + def.variable_name;
  PyObject* made =
      VariableOfHandle(resource, node.attr<DataType>("dtype"),
                       node.attr<PartialTensorShape>("shape"), def.trainable,
                       std::string_view(name).substr(0, name.rfind(':')));
  if (made == nullptr) return nullptr;
  nb::object variable = nb::steal(made);
  for (const auto& [attribute, of] :
       {std::pair(kInitializerName, &def.initializer_name),
        std::pair(kInitialValueName, &def.initial_value_name),
        std::pair(kSnapshotName, &def.snapshot_name)}) {
    if (!of->empty()) nb::setattr(variable, attribute, element(*of));
  }
  return variable.release().ptr();
}

}  // namespace gk::py
