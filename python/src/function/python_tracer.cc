#include "python/src/function/python_tracer.h"

#include <string>
#include <utility>

#include "function/trace_function.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_status.h"
#include "python/src/function/concrete_function.h"
#include "python/src/function/function_layout.h"
#include "python/src/function/function_trace_type.h"
#include "python/src/function/literal_key.h"
#include "python/src/function/py_trace.h"
#include "python/src/function/python_body.h"
#include "python/src/function/traced_values.h"
#include "python/src/function/typed_values.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/graph/source_location.h"
#include "python/src/ops/assertions.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

// What is called may be a generator: its results are none of the trace's.
void RefuseGenerators(nb::handle function) {
  constexpr int kGenerates = CO_GENERATOR | CO_ASYNC_GENERATOR;
  if (PyFunction_Check(function.ptr())) {
    const auto* code =
        reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function.ptr()));
    if ((code->co_flags & kGenerates) == 0) return;
  }
  const nb::module_ inspect = nb::module_::import_("inspect");
  for (const char* is : {"isgeneratorfunction", "isasyncgenfunction"}) {
    if (!nb::cast<bool>(nb::object(inspect.attr(is)(function)))) continue;
    Throw(TypeError(
        "To be compatible with tf.function, Python functions must return zero "
        "or more Tensors or ExtensionTypes or None values, and {} is a "
        "generator function: return a list, or decorate what the generator is "
        "used in.",
        ReprOf(function)));
  }
}

// The error that is set, without frames of our own if that is wanted.
void FilterFrames() {
  if (!PyErr_ExceptionMatches(PyExc_Exception)) return;
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  if (trace != nullptr) {
    PyException_SetTraceback(error, trace);
    WithoutOwnFrames(error);
    Py_DECREF(trace);
    trace = PyException_GetTraceback(error);
  }
  PyErr_Restore(type, error, trace);
}

}  // namespace

StatusOr<Ref<Trace>> PythonTracer::MakeTrace(const Ref<FunctionType>& type) {
  try {
    StatusOr<Ref<Trace>> made = Run(type);
    if (made.ok()) return made;
    Raise(made.status());
  } catch (...) {
    RaiseCaught();
  }
  FilterFrames();
  return PythonError();
}

StatusOr<Ref<Trace>> PythonTracer::Run(const Ref<FunctionType>& type) {
  const PythonFunction& python = *FunctionOf(function_)->python;
  if (!python.is_told()) RefuseGenerators(python.function());
  const nb::object baked = ValuesReadBy(python, *type);
  GK_ASSIGN_OR_RETURN(const AttrMap attributes,
                      FunctionAttributes(python.Option("attributes").ptr()));
  const std::string name = python.Name();
  TensorVector variables;
  for (const PyRef& v : call_.variables) {
    variables.push_back(IsVariable(v.get()) ? VariableOf(v.get())->handle
                                            : Tensor());
  }

  const auto builder = MakeRef<FuncGraph>(name);
  const nb::object graph = Owned(WrapGraph(builder->graph().get()));
  const bool convert = nb::cast<bool>(nb::bool_(python.Option("autograph")));
  PythonBody traced(graph, builder.get(), *type, python.Body(), convert,
                    python.Option("experimental_autograph_options"));
  GK_ASSIGN_OR_RETURN(const nb::object made, PythonTraced(graph, [&] {
                        return TraceFunction(
                            builder.get(), {name, type, variables, attributes},
                            &traced);
                      }));
  made.attr("_baked") = baked;
  auto trace = MakeRef<PyTrace>(type, made.ptr());
  trace->captured = ConcreteFunctionOf(made.ptr())->function->TellingCaptures();
  return Ref<Trace>(std::move(trace));
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

Status PythonTracer::ComparisonError() {
  return RaiseComparisonError() ? PythonError() : OkStatus();
}

CallSite PythonTracer::Site() { return CallSiteNow(); }

Status PythonTracer::TooDeep(std::string text) {
  PyErr_SetString(PyExc_RecursionError, text.c_str());
  return PythonError();
}

}  // namespace gk::py
