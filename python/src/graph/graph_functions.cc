// Functions about the graph that is being built: tf.group, tf.tuple,
// tf.control_dependencies, tf.device, ...
#include "python/src/graph/graph_functions.h"

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "framework/known_values.h"
#include "framework/op_registry.h"
#include "function/device_scope.h"
#include "function/run_order.h"
#include "ops/fn/Placeholder.h"
#include "ops/stacked_tensors.h"
#include "ops/static_value.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/type_parts.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/graph/graph_scopes.h"
#include "python/src/graph/name_scope.h"
#include "python/src/graph/operation_type.h"
#include "python/src/nest/nest.h"
#include "python/src/ops/op_function.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/shape_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

nb::object Nothing() {
  return nb::module_::import_("contextlib").attr("nullcontext")();
}

PyObject* DefaultControlDependencies(PyObject*, PyObject* args,
                                     PyObject* kwargs) {
  PyObject* inputs;
  if (!ParseArguments(args, kwargs, "O", {"control_inputs"}, &inputs)) {
    return nullptr;
  }
  if (FuncGraph* f = FuncGraph::Current()) {
    const PyRef graph = PyRef::Steal(WrapGraph(f->graph().get()));
    return graph ? ControlScope(graph.get(), inputs) : nullptr;
  }
  if (inputs != Py_None) {
    for (nb::handle item : nb::borrow(inputs)) {
      if (PyCallable_Check(item.ptr())) item();
    }
  }
  return Nothing().release().ptr();
}

// The default graph where ops run at once, of those who ask for it.
PyObject* eager_graph = nullptr;

PyObject* SetEagerGraph(PyObject*, PyObject* graph) {
  const PyRef before =
      PyRef::Steal(std::exchange(eager_graph, Py_NewRef(graph)));
  Py_RETURN_NONE;
}

PyObject* DefaultGraph(PyObject*, PyObject*) {
  if (FuncGraph* f = FuncGraph::Current()) return WrapGraph(f->graph().get());
  return EagerGraph();
}

PyObject* NameScopeHere(PyObject*, PyObject*) {
  std::string scope = CurrentNameScope();
  if (scope.ends_with('/')) scope.pop_back();
  return ToPyString(scope);
}

PyObject* MakePlaceholder(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *dtype, *shape = Py_None;
  const char* name = nullptr;
  if (!ParseArguments(args, kwargs, "O|Oz", {"dtype", "shape", "name"}, &dtype,
                      &shape, &name)) {
    return nullptr;
  }
  if (FuncGraph::Current() == nullptr) {
    return Raise(RuntimeError(
        "tf.placeholder() is not compatible with eager execution."));
  }
  const DataType type = AsDType(dtype);
  if (type == DataType::kInvalid) return nullptr;
  const PartialTensorShape known =
      shape == Py_None ? PartialTensorShape() : Shape(shape);
  return WrapTensor(ops::Placeholder(OpName(name ? name : ""), type, known));
}

// The value of a tensor; of one that is stacked of others, of which not all
// are known, an array of objects with None for these. None if nothing is known.
nb::object KnownPartsOf(const Tensor& tensor) {
  if (const Tensor value = StaticValue(tensor)) {
    return nb::steal(ToNumpy(value, !tensor.is_symbolic()));
  }
  if (const auto place = UnstackedFrom(tensor)) {
    const nb::object whole = KnownPartsOf(place->whole);
    return whole.is_none() ? whole : nb::object(whole[nb::int_(place->index)]);
  }
  const TensorVector parts = StackedOf(tensor);
  if (parts.empty()) return nb::none();
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object array = numpy.attr("empty")(parts.size(), "object");
  bool alike = true;
  nb::list known;
  for (size_t i = 0; i < parts.size(); ++i) {
    known.append(KnownPartsOf(parts[i]));
    array[nb::int_(i)] = known[i];
    alike = alike && !known[i].is_none();
  }
  return alike ? nb::object(numpy.attr("array")(known)) : array;
}

// The value of a tensor as an array, or None. What is no tensor is its own
// value.
nb::object KnownValueOf(nb::handle o, bool partial) {
  if (!IsTensor(o.ptr())) {
    const bool unknown = IsTensorLike(o.ptr()) || nb::hasattr(o, "_type_spec");
    return unknown ? nb::none() : nb::borrow(o);
  }
  const Tensor& tensor = TensorOf(o.ptr());
  if (const Tensor value = StaticValue(tensor)) {
    return nb::steal(ToNumpy(value, !tensor.is_symbolic()));
  }
  if (!partial || !tensor.is_symbolic()) return nb::none();
  return KnownPartsOf(tensor);
}

PyObject* StaticValue(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject* tensor;
  int partial = 0;
  if (!ParseArguments(args, kwargs, "O|p", {"tensor", "partial"}, &tensor,
                      &partial)) {
    return nullptr;
  }
  return KnownValueOf(tensor, partial != 0).release().ptr();
}

PyObject* KnownValue(PyObject*, PyObject* tensor) {
  const Tensor value = TensorOf(tensor).KnownValue();
  return value ? ToNumpy(value, !TensorOf(tensor).is_symbolic())
               : nb::none().release().ptr();
}

PyObject* ValueAsShape(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject* tensor;
  if (!ParseArguments(args, kwargs, "O", {"tensor"}, &tensor)) return nullptr;
  return WrapShape(ValueOrThrow(ConstantValueAsShape(TensorOf(tensor))));
}

// An eager tensor, even while a graph is built.
PyObject* EagerValue(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *value, *dtype = Py_None;
  if (!ParseArguments(args, kwargs, "O|O", {"value", "dtype"}, &value,
                      &dtype)) {
    return nullptr;
  }
  DataType wanted = DataType::kInvalid;
  if (dtype != Py_None) {
    wanted = AsDType(dtype);
    if (wanted == DataType::kInvalid) return nullptr;
  }
  const OpBuilder::Scope eagerly(OpBuilder::Eager());
  StatusOr<Tensor> t = ToTensor(value, wanted);
  return t.ok() ? WrapTensor(*t) : Raise(t.status());
}

PyObject* IsSymbolic(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject* tensor;
  return ParseArguments(args, kwargs, "O", {"tensor"}, &tensor)
             ? PyBool_FromLong(IsSymbolicTensor(tensor))
             : nullptr;
}

// Inputs of tf.group, flat and without None.
nb::list Gates(PyObject* inputs) {
  nb::list gates;
  for (nb::handle x : Owned(FlatList(inputs, NestRules::kNest).Release())) {
    if (x.is_none()) continue;
    if (!IsTensorLike(x.ptr()) && !nb::isinstance<Operation>(x)) {
      Throw(TypeError(
          "'inputs' should be zero or more (nested) Tensors. Received '{}' "
          "with type '{}'.",
          nb::str(x).c_str(), nb::str(x.type()).c_str()));
    }
    gates.append(x);
  }
  return gates;
}

PyObject* GroupAll(PyObject*, PyObject* args, PyObject* kwargs) {
  std::string name = "group_deps";
  if (kwargs != nullptr) {
    std::string unknown;
    for (auto [key, value] : nb::borrow<nb::dict>(kwargs)) {
      const std::string given(StringView(key.ptr()));
      if (given != "name") {
        unknown += (unknown.empty() ? "" : ", ") + given;
      } else if (PyObject_IsTrue(value.ptr()) == 1) {
        name = StringView(value.ptr());
      }
    }
    if (!unknown.empty()) {
      return Raise(ValueError("Unknown keyword arguments: {}", unknown));
    }
  }
  FuncGraph* f = FuncGraph::Current();
  if (f == nullptr) Py_RETURN_NONE;
  const nb::object graph = Owned(WrapGraph(f->graph().get()));
  std::vector<Node*> before;
  if (!GatesOf(graph.ptr(), Gates(args).ptr(), &before)) return nullptr;
  return WrapNode(f->graph().get(), Group(f, before, name)).release().ptr();
}

PyObject* Tuple(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *tensors, *control_inputs = Py_None;
  const char* name = nullptr;
  if (!ParseArguments(args, kwargs, "O|Oz",
                      {"tensors", "control_inputs", "name"}, &tensors,
                      &control_inputs, &name)) {
    return nullptr;
  }
  FuncGraph* f = FuncGraph::Current();
  if (f == nullptr) return Py_NewRef(tensors);
  const OpScope scope(name && *name ? name : "tuple", /*own=*/false);
  if (!scope.status().ok()) return Raise(scope.status());
  nb::list gates;
  for (nb::handle t : nb::borrow(tensors)) {
    if (!t.is_none()) gates.append(t);
  }
  if (PyObject_IsTrue(control_inputs) == 1) {
    for (nb::handle c : nb::borrow(control_inputs)) gates.append(c);
  }
  if (nb::len(gates) == 0) {
    return Raise(
        ValueError("'tensors' must have at least one Tensor. Received: {}.",
                   nb::str(nb::handle(tensors)).c_str()));
  }
  const nb::object graph = Owned(WrapGraph(f->graph().get()));
  std::vector<Node*> before;
  if (!GatesOf(graph.ptr(), gates.ptr(), &before)) return nullptr;
  const RunsAfter order(f, before);
  const nb::object identity =
      Owned(FunctionOfOp(OpRegistry::Get().The(kIdentity)));
  nb::list out;
  for (nb::handle t : nb::borrow(tensors)) {
    out.append(t.is_none() ? nb::none() : identity(t));
  }
  return out.release().ptr();
}

PyObject* DefaultDevice(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject* name;
  if (!ParseArguments(args, kwargs, "O", {"device_name"}, &name)) {
    return nullptr;
  }
  if (PyCallable_Check(name)) {
    return Raise(RuntimeError("tf.device does not support functions."));
  }
  return nb::type<DeviceScope>()(nb::handle(name)).release().ptr();
}

PyObject* IsInsideFunction(PyObject*, PyObject*) {
  return PyBool_FromLong(InsideFunction());
}

PyMethodDef kGraphFunctions[] = {
    {"inside_function", Guarded<IsInsideFunction>, METH_NOARGS,
     "inside_function()\n--\n\n"
     "Is a tf.function being traced here?\n\n"
     ">>> tf.inside_function()\n"
     "False"},
    {"control_dependencies", AsCFunction(Guarded<DefaultControlDependencies>),
     kByName,
     "control_dependencies(control_inputs)\n--\n\n"
     "Ops made inside run after `control_inputs`. When eager everything runs\n"
     "in order anyway, and functions among them are called.\n\n"
     ">>> @tf.function\n"
     "... def f(x):\n"
     "...     with "
     "tf.control_dependencies([tf.debugging.assert_positive(x)]):\n"
     "...         return x + 1\n"
     ">>> f(tf.constant(1)).numpy().item()\n"
     "2"},
    {"get_current_name_scope", Guarded<NameScopeHere>, METH_NOARGS,
     "get_current_name_scope()\n--\n\n"
     "The scope that names begin with here, \"outer/inner\"; \"\" outside of\n"
     "all.\n\n"
     ">>> with tf.name_scope('outer'):\n"
     "...     tf.get_current_name_scope()\n"
     "'outer'"},
    {"_set_eager_graph", Guarded<SetEagerGraph>, METH_O, nullptr},
    {"get_default_graph", Guarded<DefaultGraph>, METH_NOARGS,
     "get_default_graph()\n--\n\n"
     "The graph that ops are added to: that of the function being traced, or\n"
     "of the innermost `tf.Graph.as_default()`; when eager one that nothing\n"
     "uses.\n\n"
     ">>> with tf.Graph().as_default() as g:\n"
     "...     tf.compat.v1.get_default_graph() is g\n"
     "True"},
    {"placeholder", AsCFunction(Guarded<MakePlaceholder>), kByName,
     "placeholder(dtype, shape=None, name=None)\n--\n\n"
     "A tensor of the graph being built that has no value yet.\n\n"
     "Raises RuntimeError when eager.\n\n"
     ">>> with tf.Graph().as_default():\n"
     "...     print(tf.compat.v1.placeholder(tf.float32, [None, 2], "
     "name='x'))\n"
     "Tensor(\"x:0\", shape=(None, 2), dtype=float32)"},
    {"get_static_value", AsCFunction(Guarded<StaticValue>), kByName,
     "get_static_value(tensor, partial=False)\n--\n\n"
     "The value of a tensor as an array if it is known while tracing.\n\n"
     "Args:\n"
     "  tensor: a tensor; of composite tensors and variables nothing is\n"
     "    known, and anything else is its own value.\n"
     "  partial: is an array of objects wanted, with None for what is\n"
     "    unknown, if parts of a stacked tensor are known?\n\n"
     ">>> tf.get_static_value(tf.constant([1, 2])).tolist()\n"
     "[1, 2]"},
    {"known_value", Guarded<KnownValue>, METH_O,
     "known_value(tensor)\n--\n\n"
     "The value of a tensor as an array if it is known while tracing, also\n"
     "where get_static_value does not tell it."},
    {"constant_value_as_shape", AsCFunction(Guarded<ValueAsShape>), kByName,
     "constant_value_as_shape(tensor)\n--\n\n"
     "The shape that a vector of sizes means, as far as it is known."},
    {"eager_value", AsCFunction(Guarded<EagerValue>), kByName,
     "eager_value(value, dtype=None)\n--\n\n"
     "A value as an eager tensor, even while a graph is built."},
    {"is_symbolic_tensor", AsCFunction(Guarded<IsSymbolic>), kByName,
     "is_symbolic_tensor(tensor)\n--\n\n"
     "Is it a tensor of a graph, without a value yet?\n\n"
     ">>> tf.is_symbolic_tensor(tf.constant(1))\n"
     "False"},
    {"group", AsCFunction(Guarded<GroupAll>), kByName,
     "group(*inputs, **kwargs)\n--\n\n"
     "An op that runs after all inputs; None when eager.\n\n"
     "Args:\n"
     "  *inputs: tensors, variables, operations and nested structures of "
     "them.\n"
     "  name: of the op.\n\n"
     ">>> tf.group(tf.constant(1))"},
    {"tuple", AsCFunction(Guarded<Tuple>), kByName,
     "tuple(tensors, control_inputs=None, name=None)\n--\n\n"
     "The tensors, each available only when all are computed.\n\n"
     "Args:\n"
     "  tensors: a list of tensors; None stays.\n"
     "  control_inputs: what else has to be done.\n"
     "  name: of the scope of the new ops.\n\n"
     ">>> [t.numpy().item() for t in tf.tuple([tf.constant(1)])]\n"
     "[1]"},
    {"device", AsCFunction(Guarded<DefaultDevice>), kByName,
     "device(device_name)\n--\n\n"
     "A context that asks for a device; everything runs on the CPU, or on one\n"
     "of the parts that `tf.config.set_logical_device_configuration` made.\n\n"
     "Raises ValueError for what is no device's name, RuntimeError for\n"
     "functions. Ops inside raise InvalidArgumentError if they ask for "
     "another\n"
     "process or, with `tf.config.set_soft_device_placement(False)`, for a\n"
     "device that is not there; so do calls of functions with such ops.\n\n"
     ">>> with tf.device('/cpu:0'):\n"
     "...     tf.constant(1).device\n"
     "'/job:localhost/replica:0/task:0/device:CPU:0'"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* EagerGraph() {
  if (eager_graph == nullptr) {
    PyRef made = PyRef::Steal(
        PyObject_CallNoArgs(reinterpret_cast<PyObject*>(GraphType)));
    if (eager_graph == nullptr) eager_graph = made.Release();
  }
  return Py_XNewRef(eager_graph);
}

bool AddGraphFunctions(PyObject* module) {
  return PyModule_AddFunctions(module, kGraphFunctions) == 0;
}

}  // namespace gk::py
