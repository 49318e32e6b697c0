#include "python/src/function/python_tracer.h"

#include "function/function_attributes.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/package_parts.h"
#include "python/src/binding/throw_error.h"
#include "python/src/binding/words.h"
#include "python/src/function/concrete_function.h"
#include "python/src/function/function_trace_type.h"
#include "python/src/function/literal_key.h"
#include "python/src/function/typed_values.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/graph/source_location.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

// [(name, before, now)] of frozen values that changed.
Status ReadChanges(PyObject* list, std::vector<TypeDifference>* out) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    const char *path, *before, *after;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(list, i), "sss", &path, &before,
                          &after)) {
      return PythonError();
    }
    out->push_back({path, RetraceCause::kGuard, before, after, ""});
  }
  return OkStatus();
}

// A list of what `make` gives for each item; null with an exception set.
template <class Items, class Make>
PyRef ListOf(const Items& items, Make make) {
  PyRef list = PyRef::Steal(PyList_New(0));
  for (const auto& item : items) {
    PyRef object = PyRef::Steal(make(item));
    if (!list || !object || PyList_Append(list.get(), object.get()) < 0) {
      return {};
    }
  }
  return list;
}

// begin_trace(graph, disable_acd)
PyObject* BeginTraceInto(PyObject*, PyObject* args) {
  PyObject* graph;
  int disable_acd;
  if (!PyArg_ParseTuple(args, "O!p", FuncGraphType, &graph, &disable_acd)) {
    return nullptr;
  }
  FuncGraph* f = BuilderOf(graph);
  if (f == nullptr) return nullptr;
  BeginTrace(f, disable_acd);
  Py_RETURN_NONE;
}

PyObject* CheckAttribute(PyObject*, PyObject* name) {
  if (PyUnicode_Check(name)) {
    ThrowIfError(CheckFunctionAttribute(StringView(name)));
    Py_RETURN_NONE;
  }
  PyErr_Format(PyExc_ValueError,
               "`%S is not supported by tf.function as an attribute.", name);
  return nullptr;
}

// check_stands_alone(graph, name, implements)
PyObject* CheckAlone(PyObject*, PyObject* args) {
  PyObject *graph, *name, *implements;
  if (!PyArg_ParseTuple(args, "O!UO", FuncGraphType, &graph, &name,
                        &implements)) {
    return nullptr;
  }
  const FuncGraph* f = BuilderOf(graph);
  const PyRef known = PyRef::Steal(PyObject_Str(implements));
  if (f == nullptr || !known) return nullptr;
  const Status status =
      CheckStandsAlone(*f, StringView(name), StringView(known.get()));
  if (status.ok()) Py_RETURN_NONE;
  PyErr_SetString(PyExc_AssertionError, status.message().c_str());
  return nullptr;
}

PyMethodDef functions[] = {
    {"begin_trace", Guarded<BeginTraceInto>, METH_VARARGS, nullptr},
    {"check_function_attribute", Guarded<CheckAttribute>, METH_O, nullptr},
    {"check_stands_alone", Guarded<CheckAlone>, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

StatusOr<Ref<Trace>> PythonTracer::MakeTrace(const Ref<FunctionType>& type,
                                             VariableCreation* creation) {
  PyRef wrapped = PyRef::Steal(WrapFunctionType(type));
  PyRef variables = ListOf(call_.variables, [](const PyRef& variable) {
    return Py_NewRef(variable.get());
  });
  if (!wrapped || !variables) return PythonError();
  PyRef made = PyRef::Steal(package::trace_body.Call(
      {function_, wrapped.get(), variables.get()}));
  if (!made) return PythonError();
  if (!IsConcreteFunction(made.get())) {
    return TypeError("tracing made no ConcreteFunction");
  }
  if (creation != nullptr) {
    GK_RETURN_IF_ERROR(KeepVariables(creation->made()));
  }
  auto trace = MakeRef<PyTrace>(type, made.get());
  trace->captured = ConcreteFunctionOf(made.get())->function->TellingCaptures();
  return Ref<Trace>(std::move(trace));
}

Status PythonTracer::KeepVariables(const TensorVector& handles) {
  std::vector<PyObject*> made;
  for (const Tensor& handle : handles) {
    if (PyObject* variable = FindVariable(handle)) made.push_back(variable);
  }
  if (made.empty()) return OkStatus();
  const PyRef kept = ListOf(made, [](PyObject* variable) {
    return PyWeakref_NewRef(variable, nullptr);
  });
  return kept && PyObject_SetAttrString(function_, "_created_variables",
                                        kept.get()) == 0
             ? OkStatus()
             : PythonError();
}

StatusOr<TensorVector> PythonTracer::Inputs() {
  const ScopedGil gil;
  std::vector<PyRef> values;
  TensorVector inputs;
  if (!FlattenCall(*call_.type, call_.bound, &values) ||
      !ToKnownInputs(values, &inputs)) {
    return PythonError();
  }
  return inputs;
}

StatusOr<std::vector<TypeDifference>> PythonTracer::ChangedValues(
    const Trace& trace) {
  std::vector<TypeDifference> changes;
  if (!guarded_) return changes;
  PyRef list = PyRef::Steal(
      package::changes_to_retrace.Call({function_, ConcreteOf(trace)}));
  if (!list) return PythonError();
  GK_RETURN_IF_ERROR(ReadChanges(list.get(), &changes));
  return changes;
}

Status PythonTracer::ComparisonError() {
  return RaiseComparisonError() ? PythonError() : OkStatus();
}

CallSite PythonTracer::Site() { return CallSiteNow(); }

bool AddTracing(PyObject* module) {
  return PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace gk::py
