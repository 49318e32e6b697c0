// Function: what tf.function returns. A cached call runs no Python code; all
// else is in graphkiln/_function.py, which adds its methods to this type.
#include "function_object.h"

#include <structmember.h>  // after Python.h

#include <cstddef>

#include "base/stack.h"
#include "call_key.h"
#include "concrete_function.h"
#include "convert.h"
#include "function_trace_type.h"
#include "gil.h"
#include "guarded.h"
#include "source_location.h"
#include "tensor_type.h"
#include "variable_type.h"

namespace gk::py {

namespace {

// tf.config.run_functions_eagerly.
bool run_eagerly = false;

class PyTrace final : public Trace {
 public:
  PyTrace(Ref<FunctionType> type, PyObject* concrete)
      : Trace(std::move(type)), concrete_(Py_NewRef(concrete)) {}
  ~PyTrace() override { DeferredDecref(concrete_); }
  PyObject* concrete() const { return concrete_; }

 private:
  PyObject* concrete_;
};

struct PyFunction {
  PyObject_HEAD;
  vectorcallfunc call;
  TraceCache* cache;
  // Calls that went well outside of any trace; those of one place in the
  // code are counted together, in a capsule.
  int64_t* calls;
  PyObject* call_counter;
  PyObject* weakrefs;
  PyObject* dict;
};
PyFunction* Self(PyObject* o) { return reinterpret_cast<PyFunction*>(o); }

PyObject* Run(const KnownCall& known, std::span<const Tensor> tensors) {
  auto* f = ConcreteFunctionOf(
      static_cast<const PyTrace*>(known.trace().get())->concrete());
  const std::vector<int>& order =
      static_cast<const PyKnownCall&>(known).order();
  if (order.empty()) return RunConcrete(f, tensors, true);
  TensorVector inputs;
  inputs.reserve(order.size());
  for (int i : order) inputs.push_back(tensors[i]);
  return RunConcrete(f, inputs, true);
}

// The number in a capsule of call_counter(); null with an exception set.
int64_t* CounterIn(PyObject* capsule) {
  return static_cast<int64_t*>(
      PyCapsule_GetPointer(capsule, "graphkiln.call_counter"));
}

// Counts a call that went well. Passes the result on.
PyObject* Counted(PyObject* o, PyObject* result) {
  if (result != nullptr) [[likely]] {
    *Self(o)->calls += one_outside_of_traces;
  }
  return result;
}

PyObject* CallSlowly(PyObject* o, PyObject* const* args, size_t n,
                     PyObject* kwnames) {
  if (!HasStackLeft()) {
    PyErr_SetString(PyExc_RecursionError,
                    "a tf.function is called from inside of its trace more "
                    "deeply than the stack of this thread allows");
    return nullptr;
  }
  PyRef tuple = PyRef::Steal(PyTuple_New(n));
  PyRef dict = PyRef::Steal(PyDict_New());
  if (!tuple || !dict) return nullptr;
  for (size_t i = 0; i < n; ++i) {
    PyTuple_SET_ITEM(tuple.get(), i, Py_NewRef(args[i]));
  }
  for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); ++i) {
    if (PyDict_SetItem(dict.get(), PyTuple_GET_ITEM(kwnames, i),
                       args[n + i]) < 0) {
      return nullptr;
    }
  }
  if (run_eagerly) {
    return CallPython("graphkiln._function", "call_python",
                      {o, tuple.get(), dict.get()});
  }
  // (concrete function, inputs, order of the key's tensors or None, what to
  // call when the trace that was made ran well or None)
  PyRef found = PyRef::Steal(CallPython("graphkiln._function", "prepare_call",
                                        {o, tuple.get(), dict.get()}));
  if (!found) return nullptr;
  PyObject *concrete, *inputs, *order, *on_traced;
  if (!PyArg_ParseTuple(found.get(), "O!O!OO", ConcreteFunctionType,
                        &concrete, &PyList_Type, &inputs, &order,
                        &on_traced)) {
    return nullptr;
  }
  if (order != Py_None) {
    std::vector<int> positions;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(order); ++i) {
      positions.push_back(PyLong_AsLong(PyList_GET_ITEM(order, i)));
    }
    for (const Ref<Trace>& t : Self(o)->cache->traces()) {
      if (static_cast<PyTrace*>(t.get())->concrete() != concrete) continue;
      Ref<KnownCall> call =
          PyKnownCall::Make(Self(o)->cache->captured(), args, n, kwnames, t,
                            std::move(positions));
      if (call) Self(o)->cache->Remember(std::move(call));
      break;
    }
    if (PyErr_Occurred()) PyErr_Clear();  // no words: not remembered
  }
  PyObject* result = PyObject_CallMethod(concrete, "_run", "O", inputs);
  if (on_traced == Py_None) return Counted(o, result);
  if (result == nullptr || traces_in_progress != 0) return result;
  PyRef noted = PyRef::Steal(PyObject_CallNoArgs(on_traced));
  if (noted) return result;
  Py_DECREF(result);
  return nullptr;
}

PyObject* Call(PyObject* o, PyObject* const* args, size_t nargsf,
               PyObject* kwnames) {
  const size_t n = PyVectorcall_NARGS(nargsf);
  if (!run_eagerly) {
    CallKey key(&Self(o)->cache->captured());
    if (key.Add(args, n, kwnames)) {
      Ref<KnownCall> known = Self(o)->cache->FindCall(key.words());
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
    CallKey key(&Self(o)->cache->captured());
    if (key.Add(args, n, kwnames)) {
      Ref<KnownCall> known = Self(o)->cache->FindCall(key.words());
      if (known) {
        PyObject* concrete =
            static_cast<const PyTrace*>(known->trace().get())->concrete();
        PyRef holds = PyRef::Steal(CallPython(
            "graphkiln._baked_values", "still_holds", {o, concrete}));
        if (!holds) return nullptr;
        if (holds.get() == Py_True) {
          return Counted(o, Run(*known, key.tensors()));
        }
        Self(o)->cache->TakeBackHit();
      }
    }
  }
  return CallSlowly(o, args, n, kwnames);
}

PyObject* New(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* o = type->tp_alloc(type, 0);
  if (o == nullptr) return nullptr;
  Self(o)->call = Guarded<Call>;
  static int64_t nobody = 0;
  Self(o)->calls = &nobody;
  Self(o)->cache = new TraceCache();
  return o;
}

int Traverse(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(o));
  Py_VISIT(Self(o)->dict);
  if (Self(o)->cache != nullptr) {
    for (const Ref<Trace>& t : Self(o)->cache->traces()) {
      Py_VISIT(static_cast<PyTrace*>(t.get())->concrete());
    }
  }
  return 0;
}
int Clear(PyObject* o) {
  Py_CLEAR(Self(o)->dict);
  Self(o)->cache->Clear();
  return 0;
}
void Dealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  PyObject_GC_UnTrack(o);
  if (Self(o)->weakrefs != nullptr) PyObject_ClearWeakRefs(o);
  Py_CLEAR(Self(o)->dict);
  Py_CLEAR(Self(o)->call_counter);
  delete Self(o)->cache;
  type->tp_free(o);
  Py_DECREF(type);
}

PyObject* Get(PyObject* o, PyObject* instance, PyObject* owner) {
  if (instance == nullptr || instance == Py_None) return Py_NewRef(o);
  return CallPython("graphkiln._function", "bind_to_instance",
                    {o, instance, owner ? owner : Py_None});
}

// The handles of a list of variables; null where something stands for one.
TensorVector HandlesOf(PyObject* variables) {
  TensorVector handles;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(variables); ++i) {
    PyObject* v = PyList_GET_ITEM(variables, i);
    handles.push_back(IsVariable(v) ? VariableOf(v)->handle : Tensor());
  }
  return handles;
}

// _find(function_type, variables) -> ConcreteFunction or None
// `variables`: those of the call, by alias.
PyObject* Find(PyObject* o, PyObject* args) {
  PyObject *type, *variables;
  if (!PyArg_ParseTuple(args, "O!O!", FunctionTypeType, &type, &PyList_Type,
                        &variables)) {
    return nullptr;
  }
  ForgetComparisonError();
  Ref<Trace> t = Self(o)->cache->Find(FunctionTypeIn(type),
                                      HandlesOf(variables));
  if (RaiseComparisonError()) return nullptr;
  if (!t) Py_RETURN_NONE;
  return Py_NewRef(static_cast<PyTrace*>(t.get())->concrete());
}

// [(path, before, after)] of frozen values that changed.
bool ReadFrozen(PyObject* list, std::vector<TypeDifference>* out) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    const char *path, *before, *after;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(list, i), "sss", &path, &before,
                          &after)) {
      return false;
    }
    out->push_back({path, RetraceCause::kGuard, before, after, ""});
  }
  return true;
}

// _find_or_trace(function_type, reduce_retracing, alone, trace, call_site,
//                frozen, variables) -> ConcreteFunction
// trace(function_type) makes one; `frozen` says which frozen values of an
// earlier trace changed.
PyObject* FindOrTrace(PyObject* o, PyObject* args) {
  PyObject *type, *trace, *frozen_list, *file, *function, *variables;
  int reduce, alone, line;
  if (!PyArg_ParseTuple(args, "O!ppO(UiU)O!O!", FunctionTypeType, &type,
                        &reduce, &alone, &trace, &file, &line, &function,
                        &PyList_Type, &frozen_list, &PyList_Type,
                        &variables)) {
    return nullptr;
  }
  std::vector<TypeDifference> frozen;
  if (!ReadFrozen(frozen_list, &frozen)) return nullptr;
  auto make = [&](const Ref<FunctionType>& t) -> StatusOr<Ref<Trace>> {
    PyRef wrapped = PyRef::Steal(WrapFunctionType(t));
    if (!wrapped) return PythonError();
    PyRef made = PyRef::Steal(PyObject_CallOneArg(trace, wrapped.get()));
    if (!made) return PythonError();
    if (!IsConcreteFunction(made.get())) {
      return TypeError("tracing made no ConcreteFunction");
    }
    auto result = MakeRef<PyTrace>(t, made.get());
    result->site = {std::string(StringView(file)),
                    std::string(StringView(function)), line};
    PyErr_Clear();  // names that are no UTF-8 are shown as nothing
    result->frozen = frozen;
    result->captured = 
        ConcreteFunctionOf(made.get())->function->TellingCaptures();
    return Ref<Trace>(std::move(result));
  };
  ForgetComparisonError();
  StatusOr<Ref<Trace>> found = Self(o)->cache->FindOrTrace(
      FunctionTypeIn(type), reduce != 0, alone != 0, make,
      HandlesOf(variables));
  if (found.ok() && RaiseComparisonError()) return nullptr;
  if (!found.ok()) return Raise(found.status());
  return Py_NewRef(static_cast<PyTrace*>(found->get())->concrete());
}

PyObject* Traces(PyObject* o, PyObject*) {
  PyRef list = PyRef::Steal(PyList_New(0));
  for (const Ref<Trace>& t : Self(o)->cache->traces()) {
    if (!list || PyList_Append(list.get(), static_cast<PyTrace*>(
                                               t.get())->concrete()) < 0) {
      return nullptr;
    }
  }
  return list.Release();
}

// _count_calls_in(capsule): from now on.
PyObject* CountCallsIn(PyObject* o, PyObject* capsule) {
  int64_t* counter = CounterIn(capsule);
  if (counter == nullptr) return nullptr;
  Py_XSETREF(Self(o)->call_counter, Py_NewRef(capsule));
  Self(o)->calls = counter;
  Py_RETURN_NONE;
}

// _guard_values(): calls ask whether frozen values still hold.
PyObject* GuardValues(PyObject* o, PyObject*) {
  Self(o)->call = Guarded<CallGuarded>;
  Py_RETURN_NONE;
}

// _set_max_traces(n), 0: no limit
PyObject* SetMaxTraces(PyObject* o, PyObject* n) {
  const Py_ssize_t max = PyNumber_AsSsize_t(n, PyExc_OverflowError);
  if (max == -1 && PyErr_Occurred()) return nullptr;
  Self(o)->cache->SetMaxTraces(max < 0 ? 0 : static_cast<size_t>(max));
  Py_RETURN_NONE;
}

// _take_back_hit(): the trace just found cannot serve.
PyObject* TakeBackHit(PyObject* o, PyObject*) {
  Self(o)->cache->TakeBackHit();
  Py_RETURN_NONE;
}

// _drop(concrete) -> was it here?
PyObject* Drop(PyObject* o, PyObject* concrete) {
  for (const Ref<Trace>& t : Self(o)->cache->traces()) {
    if (static_cast<PyTrace*>(t.get())->concrete() == concrete) {
      return PyBool_FromLong(Self(o)->cache->Drop(t.get()));
    }
  }
  Py_RETURN_FALSE;
}

PyObject* ClearTraces(PyObject* o, PyObject*) {
  Self(o)->cache->Clear();
  Py_RETURN_NONE;
}

// _cache_info() -> (hits, misses, max traces or None, traces, evictions)
PyObject* CacheInfo(PyObject* o, PyObject*) {
  const TraceCacheInfo info = Self(o)->cache->info();
  PyRef max = info.max_traces == 0
                  ? PyRef::Share(Py_None)
                  : PyRef::Steal(PyLong_FromSize_t(info.max_traces));
  if (!max) return nullptr;
  return Py_BuildValue("(LLOnL)", static_cast<long long>(info.hits),
                       static_cast<long long>(info.misses), max.get(),
                       static_cast<Py_ssize_t>(info.size),
                       static_cast<long long>(info.evictions));
}

PyObject* Text(std::string_view s) {
  return PyUnicode_DecodeUTF8(s.data(), s.size(), "replace");
}

PyObject* DifferenceObject(const TypeDifference& d) {
  return Py_BuildValue("(NNNNN)", Text(d.path), Text(RetraceCauseName(d.cause)),
                       Text(d.before), Text(d.after), Text(d.common));
}

PyObject* RecordObject(const TraceRecord& r) {
  PyRef differences = PyRef::Steal(PyList_New(0));
  for (const TypeDifference& d : r.differences) {
    PyRef item = PyRef::Steal(DifferenceObject(d));
    if (!differences || !item ||
        PyList_Append(differences.get(), item.get()) < 0) {
      return nullptr;
    }
  }
  if (!differences) return nullptr;
  return Py_BuildValue("(iiNN(NiN)dNO)", r.number, r.compared_to, Text(r.type),
                       Text(r.traced), Text(r.site.file), r.site.line,
                       Text(r.site.function), r.seconds,
                       PyBool_FromLong(r.evicted), differences.get());
}

// _history() -> (number of traces, [record of each of the latest])
PyObject* History(PyObject* o, PyObject*) {
  const TraceHistory& history = Self(o)->cache->history();
  PyRef list = PyRef::Steal(PyList_New(0));
  for (const TraceRecord& r : history.records()) {
    PyRef item = PyRef::Steal(RecordObject(r));
    if (!list || !item || PyList_Append(list.get(), item.get()) < 0) {
      return nullptr;
    }
  }
  if (!list) return nullptr;
  return Py_BuildValue("(iO)", history.num_traces(), list.get());
}

PyGetSetDef getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr,
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef methods[] = {
    {"_find", Guarded<Find>, METH_VARARGS, nullptr},
    {"_find_or_trace", Guarded<FindOrTrace>, METH_VARARGS, nullptr},
    {"_traces", Guarded<Traces>, METH_NOARGS, nullptr},
    {"_count_calls_in", Guarded<CountCallsIn>, METH_O, nullptr},
    {"_guard_values", Guarded<GuardValues>, METH_NOARGS, nullptr},
    {"_set_max_traces", Guarded<SetMaxTraces>, METH_O, nullptr},
    {"_take_back_hit", Guarded<TakeBackHit>, METH_NOARGS, nullptr},
    {"_drop", Guarded<Drop>, METH_O, nullptr},
    {"_clear_traces", Guarded<ClearTraces>, METH_NOARGS, nullptr},
    {"_cache_info", Guarded<CacheInfo>, METH_NOARGS, nullptr},
    {"_history", Guarded<History>, METH_NOARGS, nullptr},
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

PyObject* RunFunctionsEagerly(PyObject*, PyObject* on) {
  const int yes = PyObject_IsTrue(on);
  if (yes < 0) return nullptr;
  run_eagerly = yes != 0;
  Py_RETURN_NONE;
}
PyObject* FunctionsRunEagerly(PyObject*, PyObject*) {
  return PyBool_FromLong(run_eagerly);
}

// Does the key of a call take `o` for a tensor?
PyObject* IsTensorValue(PyObject*, PyObject* o) {
  return PyBool_FromLong(IsTensor(o) || IsVariable(o) || IsNumpyValue(o));
}

PyObject* NewCallCounter(PyObject*, PyObject*) {
  return PyCapsule_New(new int64_t(0), "graphkiln.call_counter",
                       [](PyObject* o) { delete CounterIn(o); });
}
// How many calls there were since this was asked last.
PyObject* TakeCalls(PyObject*, PyObject* capsule) {
  int64_t* counter = CounterIn(capsule);
  if (counter == nullptr) return nullptr;
  return PyLong_FromLongLong(std::exchange(*counter, 0));
}

PyMethodDef functions[] = {
    {"call_counter", Guarded<NewCallCounter>, METH_NOARGS,
     "call_counter()\n--\n\n"
     "A counter that Functions share."},
    {"take_calls", Guarded<TakeCalls>, METH_O, nullptr},
    {"is_tensor_value", Guarded<IsTensorValue>, METH_O, nullptr},
    {"run_functions_eagerly", Guarded<RunFunctionsEagerly>, METH_O,
     "Runs the bodies of tf.functions as plain Python."},
    {"functions_run_eagerly", Guarded<FunctionsRunEagerly>, METH_NOARGS,
     "functions_run_eagerly()\n--\n\n"
     "Do tf.functions run as plain Python?"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool AddFunctionType(PyObject* module) {
  SetBlockingWait([](FunctionRef<void()> wait) {
    GilRelease unlocked(HasGil());
    wait();
  });
  PyTypeObject* type = AddType(module, &spec, nullptr);
  return type != nullptr &&
         PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace gk::py
