// Function: what tf.function returns. A cached call runs no Python code; all
// else is in the package's function/function.py, which adds its methods to
// this type.
#include "function_object.h"

#include <structmember.h>  // after Python.h

#include <algorithm>
#include <cstddef>

#include "base/stack.h"
#include "call_key.h"
#include "call_rules.h"
#include "concrete_function.h"
#include "convert.h"
#include "function/blocking_wait.h"
#include "function_trace_type.h"
#include "gil.h"
#include "guarded.h"
#include "literal_key.h"
#include "only_argument.h"
#include "python_tracer.h"
#include "retraces.h"
#include "source_location.h"
#include "tensor_type.h"
#include "typed_values.h"
#include "variable_type.h"
#include "words.h"

namespace gk::py {

namespace {

// tf.config.run_functions_eagerly.
bool run_eagerly = false;

struct PyFunction {
  PyObject_HEAD;
  vectorcallfunc call;
  PolymorphicFunction* function;
  // Its detector: counts the calls that went well outside of any trace.
  RetracingDetector* detector;
  CallRules* rules;
  bool guarded;         // asks whether frozen values still hold
  bool needs_instance;  // calls through the class go by way of the object
  PyObject* weakrefs;
  PyObject* dict;
};
PyFunction* Self(PyObject* o) { return reinterpret_cast<PyFunction*>(o); }
TraceCache& CacheOf(PyObject* o) { return Self(o)->function->cache(); }

PyObject* Run(const KnownCall& known, std::span<const Tensor> tensors) {
  auto* f = ConcreteFunctionOf(ConcreteOf(*known.trace()));
  const std::vector<int>& order =
      static_cast<const PyKnownCall&>(known).order();
  if (order.empty()) return RunConcrete(f, tensors, true);
  TensorVector inputs;
  inputs.reserve(order.size());
  for (int i : order) inputs.push_back(tensors[i]);
  return RunConcrete(f, inputs, true);
}

// Counts a call that went well. Passes the result on.
PyObject* Counted(PyObject* o, PyObject* result) {
  if (result != nullptr) [[likely]] {
    Self(o)->detector->CountCalls(one_outside_of_traces);
  }
  return result;
}

// A call ran that was traced. False with an exception set.
bool NoteTracedCall(PyObject* o) {
  const auto warning = Self(o)->function->NoteTracedCall([o] {
    PyRef f = PyRef::Steal(PyObject_GetAttrString(o, "__wrapped__"));
    PyRef text = PyRef::Steal(f ? PyObject_Str(f.get()) : nullptr);
    return std::string(text ? StringView(text.get()) : std::string_view());
  });
  if (PyErr_Occurred()) return false;
  if (!warning) return true;
  PyRef text = PyRef::Steal(ToPyString(*warning));
  PyRef done = PyRef::Steal(
      text ? CallPython("graphkiln._src.host.logging", "warn", {text.get()})
           : nullptr);
  return static_cast<bool>(done);
}

// The handles of variables; null where something stands for one.
TensorVector HandlesOf(const CallVariables& variables) {
  TensorVector handles;
  for (const PyRef& v : variables) {
    handles.push_back(IsVariable(v.get()) ? VariableOf(v.get())->handle
                                          : Tensor());
  }
  return handles;
}

// The trace for a call, found or made. False with an exception set.
bool FindOrTrace(PyObject* o, const AskedCall& call,
                 PolymorphicFunction::Found* found) {
  PythonTracer tracer(o, call, Self(o)->guarded);
  ForgetComparisonError();
  StatusOr<PolymorphicFunction::Found> result =
      Self(o)->function->FindOrTrace({call.type, HandlesOf(call.variables)},
                                     &tracer);
  if (result.ok() && RaiseComparisonError()) return false;
  if (!result.ok()) {
    Raise(result.status());
    return false;
  }
  *found = *std::move(result);
  return tracer.KeepVariables();
}

// Lets calls that look the same go the same way unseen, if they can.
void Remember(PyObject* o, const CallArguments& call, const AskedCall& asked,
              const Ref<Trace>& trace) {
  const auto& type = static_cast<const PyTrace&>(*trace).traced_type();
  std::vector<int> order;
  if (!asked.remember || !asked.type->IsSubtypeOf(type) ||
      !Self(o)->rules->OrderOf(call, type, &order)) {
    return;
  }
  Ref<KnownCall> known =
      PyKnownCall::Make(CacheOf(o).captured(), call.args, call.n, call.kwnames,
                        trace, std::move(order));
  if (known) CacheOf(o).Remember(std::move(known));
  if (PyErr_Occurred()) PyErr_Clear();  // no words: not remembered
}

PyObject* CallOfObject(PyObject* o, const CallArguments& call) {
  PyObject* const instance = call.args[0];
  auto* owner = reinterpret_cast<PyObject*>(Py_TYPE(instance));
  PyRef bound = PyRef::Steal(
      CallPython("graphkiln._src.function.function", "bind_to_instance",
                 {o, instance, owner}));
  if (!bound) return nullptr;
  return PyObject_Vectorcall(bound.get(), call.args + 1, call.n - 1,
                             call.kwnames);
}

PyObject* CallSlowly(PyObject* o, PyObject* const* args, size_t n,
                     PyObject* kwnames) {
  if (!HasStackLeft()) {
    PyErr_SetString(PyExc_RecursionError,
                    "a tf.function is called from inside of its trace more "
                    "deeply than the stack of this thread allows");
    return nullptr;
  }
  const CallArguments call{args, n, kwnames};
  if (run_eagerly) {
    const auto [tuple, dict] = call.AsTupleAndDict();
    if (!tuple) return nullptr;
    return CallPython("graphkiln._src.function.function", "call_python",
                      {o, tuple.get(), dict.get()});
  }
  if (Self(o)->needs_instance && n > 0) return CallOfObject(o, call);
  AskedCall asked;
  PolymorphicFunction::Found found;
  if (!Self(o)->rules->Ask(o, call, &asked) ||
      !FindOrTrace(o, asked, &found)) {
    return nullptr;
  }
  std::vector<PyRef> values;
  TensorVector inputs;
  if (!FlattenCall(static_cast<const PyTrace&>(*found.trace).traced_type(),
                   asked.bound, &values) ||
      !ToInputs(values, &inputs)) {
    return nullptr;
  }
  Remember(o, call, asked, found.trace);
  PyObject* result =
      RunConcrete(ConcreteFunctionOf(ConcreteOf(*found.trace)), inputs, false);
  if (!found.made) return Counted(o, result);
  if (result == nullptr || traces_in_progress != 0) return result;
  if (NoteTracedCall(o)) return result;
  Py_DECREF(result);
  return nullptr;
}

PyObject* Call(PyObject* o, PyObject* const* args, size_t nargsf,
               PyObject* kwnames) {
  const size_t n = PyVectorcall_NARGS(nargsf);
  if (!run_eagerly) {
    CallKey key(&CacheOf(o).captured());
    if (key.Add(args, n, kwnames)) {
      Ref<KnownCall> known = CacheOf(o).FindCall(key.words());
      if (known) return Counted(o, Run(*known, key.tensors()));
    }
  }
  return CallSlowly(o, args, n, kwnames);
}

// The call of a Function that asks whether the Python values frozen into a
// trace are still what they were.
PyObject* CallGuarded(PyObject* o, PyObject* const* args, size_t nargsf,
                      PyObject* kwnames) {
  const size_t n = PyVectorcall_NARGS(nargsf);
  if (!run_eagerly) {
    CallKey key(&CacheOf(o).captured());
    if (key.Add(args, n, kwnames)) {
      Ref<KnownCall> known = CacheOf(o).FindCall(key.words());
      if (known) {
        PyObject* concrete = ConcreteOf(*known->trace());
        PyRef holds =
            PyRef::Steal(CallPython("graphkiln._src.function.baked_values",
                                    "still_holds", {o, concrete}));
        if (!holds) return nullptr;
        if (holds.get() == Py_True) {
          return Counted(o, Run(*known, key.tensors()));
        }
        CacheOf(o).TakeBackHit();
      }
    }
  }
  return CallSlowly(o, args, n, kwnames);
}

PyObject* New(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* o = type->tp_alloc(type, 0);
  if (o == nullptr) return nullptr;
  Self(o)->call = Guarded<Call>;
  static RetracingDetector* nobody = new RetracingDetector("");
  Self(o)->detector = nobody;
  Self(o)->function = new PolymorphicFunction(kPythonWords);
  Self(o)->rules = new CallRules();
  return o;
}

int Traverse(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(o));
  Py_VISIT(Self(o)->dict);
  if (Self(o)->function != nullptr) {
    for (const Ref<Trace>& t : CacheOf(o).traces()) Py_VISIT(ConcreteOf(*t));
  }
  return Self(o)->rules == nullptr ? 0 : Self(o)->rules->Visit(visit, arg);
}
int Clear(PyObject* o) {
  Py_CLEAR(Self(o)->dict);
  CacheOf(o).Clear();
  *Self(o)->rules = CallRules();
  return 0;
}
void Dealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  PyObject_GC_UnTrack(o);
  if (Self(o)->weakrefs != nullptr) PyObject_ClearWeakRefs(o);
  Py_CLEAR(Self(o)->dict);
  delete Self(o)->function;
  delete Self(o)->rules;
  type->tp_free(o);
  Py_DECREF(type);
}

PyObject* Get(PyObject* o, PyObject* instance, PyObject* owner) {
  if (instance == nullptr || instance == Py_None) return Py_NewRef(o);
  return CallPython("graphkiln._src.function.function", "bind_to_instance",
                    {o, instance, owner ? owner : Py_None});
}

// The ConcreteFunction for a call.
PyObject* Concrete(PyObject* o, PyObject* const* args, Py_ssize_t n,
                   PyObject* kwnames) {
  const CallArguments call{args, static_cast<size_t>(n), kwnames};
  AskedCall asked;
  if (Self(o)->rules->is_constrained() && n + call.num_named() == 0) {
    Self(o)->rules->AskSignature(&asked);
  } else if (!Self(o)->rules->Ask(o, call, &asked)) {
    return nullptr;
  }
  PolymorphicFunction::Found found;
  if (!FindOrTrace(o, asked, &found)) return nullptr;
  return Py_NewRef(ConcreteOf(*found.trace));
}

PyObject* Traces(PyObject* o, PyObject*) {
  PyRef list = PyRef::Steal(PyList_New(0));
  for (const Ref<Trace>& t : CacheOf(o).traces()) {
    if (!list || PyList_Append(list.get(), ConcreteOf(*t)) < 0) {
      return nullptr;
    }
  }
  return list.Release();
}

// _configure(name, reduce_retracing, max_traces, of_object, detector,
//            parameters, constraints, tensors_only, guarded, needs_instance)
// `guarded`: calls ask whether frozen values still hold. The others are
// CallRules's.
PyObject* Configure(PyObject* o, PyObject* args) {
  PyObject *name, *capsule, *parameters, *constraints;
  int reduce, of_object, tensors_only, guarded, needs_instance;
  Py_ssize_t max_traces;
  if (!PyArg_ParseTuple(args, "UpnpOOOppp", &name, &reduce, &max_traces,
                        &of_object, &capsule, &parameters, &constraints,
                        &tensors_only, &guarded, &needs_instance)) {
    return nullptr;
  }
  RetracingDetector* detector = DetectorIn(capsule);
  if (detector == nullptr ||
      !Self(o)->rules->Read(parameters, constraints, tensors_only != 0)) {
    return nullptr;
  }
  Self(o)->function->Configure(
      {.name = std::string(StringView(name)),
       .reduce_retracing = reduce != 0,
       .max_traces = static_cast<size_t>(std::max<Py_ssize_t>(max_traces, 0)),
       .of_object = of_object != 0},
      Ref<RetracingDetector>(detector));
  PyErr_Clear();  // a name that is no UTF-8 is shown as nothing
  Self(o)->detector = detector;
  Self(o)->needs_instance = needs_instance != 0;
  Self(o)->guarded = guarded != 0;
  Self(o)->call = guarded != 0 ? Guarded<CallGuarded> : Guarded<Call>;
  Py_RETURN_NONE;
}

// _drop(concrete) -> was it here?
PyObject* Drop(PyObject* o, PyObject* concrete) {
  for (const Ref<Trace>& t : CacheOf(o).traces()) {
    if (ConcreteOf(*t) == concrete) {
      return PyBool_FromLong(CacheOf(o).Drop(t.get()));
    }
  }
  Py_RETURN_FALSE;
}

PyObject* ClearTraces(PyObject* o, PyObject*) {
  CacheOf(o).Clear();
  Py_RETURN_NONE;
}

PyObject* CacheInfo(PyObject* o, PyObject*) {
  const TraceCacheInfo info = CacheOf(o).info();
  PyRef max = info.max_traces == 0
                  ? PyRef::Share(Py_None)
                  : PyRef::Steal(PyLong_FromSize_t(info.max_traces));
  if (!max) return nullptr;
  PyRef cls = ImportAttribute("graphkiln._src.function.function", "CacheInfo");
  if (!cls) return nullptr;
  return PyObject_CallFunction(cls.get(), "LLOnL",
                               static_cast<long long>(info.hits),
                               static_cast<long long>(info.misses), max.get(),
                               static_cast<Py_ssize_t>(info.size),
                               static_cast<long long>(info.evictions));
}

PyObject* TracingCount(PyObject* o, PyObject*) {
  return PyLong_FromLong(Self(o)->function->tracing_count());
}
PyObject* TracedOnce(PyObject* o, PyObject*) {
  return PyBool_FromLong(Self(o)->function->traced_once());
}
PyObject* Explanation(PyObject* o, PyObject*) {
  return ExplanationObject(Self(o)->function->Explain());
}

PyGetSetDef getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr,
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef methods[] = {
    {"get_concrete_function", AsCFunction(Guarded<Concrete>),
     METH_FASTCALL | METH_KEYWORDS,
     "get_concrete_function($self, *args, **kwargs)\n--\n\n"
     "The ConcreteFunction for arguments of these types; traces it if there "
     "is\nnone. Takes values, tf.TensorSpecs, or both."},
    {"_traces", Guarded<Traces>, METH_NOARGS, nullptr},
    {"_configure", Guarded<Configure>, METH_VARARGS, nullptr},
    {"_drop", Guarded<Drop>, METH_O, nullptr},
    {"clear_traces", Guarded<ClearTraces>, METH_NOARGS,
     "clear_traces($self)\n--\n\n"
     "Forgets all traces, with their graphs and what they captured, and sets\n"
     "the counts of `cache_info` to 0. Variables stay."},
    {"cache_info", Guarded<CacheInfo>, METH_NOARGS,
     "cache_info($self)\n--\n\n"
     "Hits, misses, limit and number of traces, and how many were dropped,\n"
     "like `cache_info` of functools.\n\n"
     ">>> f = tf.function(lambda x: x + 1, max_traces=2)\n"
     ">>> for n in (1, 2, 1, 3):\n"
     "...     _ = f(n)\n"
     ">>> f.cache_info()\n"
     "CacheInfo(hits=1, misses=3, maxsize=2, currsize=2, evictions=1)"},
    {"experimental_get_tracing_count", Guarded<TracingCount>, METH_NOARGS,
     "experimental_get_tracing_count($self)\n--\n\n"
     "How often the Python function has been traced."},
    {"_traced_once", Guarded<TracedOnce>, METH_NOARGS, nullptr},
    {"explain_retraces", Guarded<Explanation>, METH_NOARGS,
     "explain_retraces($self)\n--\n\n"
     "Why it was traced more than once: for every trace beyond the first, "
     "which\nargument caused it, its old and new type, where the call was, "
     "and what would\navoid it. A sequence of records that prints as text "
     "and, in notebooks, as a\ntable.\n\n"
     ">>> f = tf.function(lambda x: x + 1)\n"
     ">>> _ = f(tf.constant([1, 2])), f(tf.constant([1, 2, 3]))\n"
     ">>> [retrace] = f.explain_retraces()\n"
     ">>> [reason] = retrace.reasons\n"
     ">>> reason.argument, reason.cause\n"
     "('x', 'shape')"},
    {nullptr, nullptr, 0, nullptr}};
PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(PyFunction, call), READONLY,
     nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PyFunction, weakrefs), READONLY,
     nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(PyFunction, dict), READONLY,
     nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyType_Slot slots[] = {{Py_tp_new, Slot<New>()},
                       {Py_tp_dealloc, Slot<Dealloc>()},
                       {Py_tp_traverse, Slot<Traverse>()},
                       {Py_tp_clear, Slot<Clear>()},
                       {Py_tp_call, PlainSlot(PyVectorcall_Call)},
                       {Py_tp_descr_get, Slot<Get>()},
                       {Py_tp_getset, Slot<getset>()},
                       {Py_tp_methods, Slot<methods>()},
                       {Py_tp_members, Slot<members>()},
                       {0, nullptr}};
PyType_Spec spec = {
    "graphkiln.Function", sizeof(PyFunction), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    slots};

constexpr char kRunEagerly[] = "run_eagerly";
PyObject* RunFunctionsEagerly(PyObject*, PyObject* on) {
  const int yes = PyObject_IsTrue(on);
  if (yes < 0) return nullptr;
  run_eagerly = yes != 0;
  Py_RETURN_NONE;
}
PyObject* FunctionsRunEagerly(PyObject*, PyObject*) {
  return PyBool_FromLong(run_eagerly);
}

// sanitized(kwargs): with names that parameters can have.
PyObject* SanitizedArguments(PyObject*, PyObject* kwargs) {
  PyRef names = PyRef::Steal(PySequence_Tuple(kwargs));
  PyRef clean = names ? SanitizedNames(names.get()) : PyRef();
  PyRef result = PyRef::Steal(clean ? PyDict_New() : nullptr);
  for (Py_ssize_t i = 0; result && i < PyTuple_GET_SIZE(names.get()); ++i) {
    PyRef value = PyRef::Steal(
        PyObject_GetItem(kwargs, PyTuple_GET_ITEM(names.get(), i)));
    if (!value || PyDict_SetItem(result.get(),
                                 PyTuple_GET_ITEM(clean.get(), i),
                                 value.get()) < 0) {
      return nullptr;
    }
  }
  return result.Release();
}

PyMethodDef functions[] = {
    {"sanitized", Guarded<SanitizedArguments>, METH_O,
     "sanitized(kwargs)\n--\n\n"
     "`kwargs` by names that a parameter can have.\n\n"
     "Raises ValueError if two names become one."},
    {"run_functions_eagerly", OnlyArgument<kRunEagerly, RunFunctionsEagerly>,
     METH_VARARGS | METH_KEYWORDS,
     "run_functions_eagerly(run_eagerly)\n--\n\n"
     "Runs the bodies of all tf.functions as plain Python, to debug them.\n\n"
     ">>> tf.config.run_functions_eagerly(True)\n"
     ">>> tf.config.functions_run_eagerly()\n"
     "True\n"
     ">>> tf.config.run_functions_eagerly(False)"},
    {"functions_run_eagerly", Guarded<FunctionsRunEagerly>, METH_NOARGS,
     "functions_run_eagerly()\n--\n\n"
     "Do tf.functions run as plain Python?\n\n"
     ">>> tf.config.functions_run_eagerly()\n"
     "False"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool AddFunctionType(PyObject* module) {
  SetBlockingWait([](FunctionRef<void()> wait) {
    GilRelease unlocked(HasGil());
    wait();
  });
  PyTypeObject* type = AddType(module, &spec, nullptr);
  return type != nullptr &&
         PyModule_AddFunctions(module, functions) == 0 &&
         AddTracing(module);
}

}  // namespace gk::py
