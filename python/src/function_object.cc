// Function: what tf.function returns. A cached call runs no Python code; all
// else is in graphkiln/_function.py, which adds its methods to this type.
#include "function_object.h"

#include <cstddef>

#include "call_key.h"
#include "concrete_function.h"
#include "convert.h"
#include "function_trace_type.h"
#include "tensor_type.h"
#include "variable_type.h"

#include <structmember.h>  // after Python.h

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
  int64_t calls;  // since _take_calls
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

PyObject* CallSlowly(PyObject* o, PyObject* const* args, size_t n,
                     PyObject* kwnames) {
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
  // (concrete function, inputs, order of the key's tensors or None)
  PyRef found = PyRef::Steal(CallPython("graphkiln._function", "prepare_call",
                                        {o, tuple.get(), dict.get()}));
  if (!found) return nullptr;
  PyObject *concrete, *inputs, *order;
  if (!PyArg_ParseTuple(found.get(), "O!O!O", ConcreteFunctionType, &concrete,
                        &PyList_Type, &inputs, &order)) {
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
          PyKnownCall::Make(args, n, kwnames, t, std::move(positions));
      if (call) Self(o)->cache->Remember(std::move(call));
      break;
    }
    if (PyErr_Occurred()) PyErr_Clear();  // no words: not remembered
  }
  return PyObject_CallMethod(concrete, "_run", "O", inputs);
}

PyObject* Call(PyObject* o, PyObject* const* args, size_t nargsf,
               PyObject* kwnames) {
  const size_t n = PyVectorcall_NARGS(nargsf);
  if (!run_eagerly) {
    ++Self(o)->calls;
    CallKey key;
    if (key.Add(args, n, kwnames)) {
      Ref<KnownCall> known = Self(o)->cache->FindCall(key.words());
      if (known) return Run(*known, key.tensors());
    }
  }
  return CallSlowly(o, args, n, kwnames);
}

PyObject* New(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* o = type->tp_alloc(type, 0);
  if (o == nullptr) return nullptr;
  Self(o)->call = Call;
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
  delete Self(o)->cache;
  type->tp_free(o);
  Py_DECREF(type);
}

PyObject* Get(PyObject* o, PyObject* instance, PyObject* owner) {
  if (instance == nullptr || instance == Py_None) return Py_NewRef(o);
  return CallPython("graphkiln._function", "bind_to_instance",
                    {o, instance, owner ? owner : Py_None});
}

// _find(function_type) -> ConcreteFunction or None
PyObject* Find(PyObject* o, PyObject* type) {
  if (!IsFunctionType(type)) {
    PyErr_SetString(PyExc_TypeError, "not a FunctionType");
    return nullptr;
  }
  ForgetComparisonError();
  Ref<Trace> t = Self(o)->cache->Find(*FunctionTypeIn(type));
  if (RaiseComparisonError()) return nullptr;
  if (!t) Py_RETURN_NONE;
  return Py_NewRef(static_cast<PyTrace*>(t.get())->concrete());
}

// _find_or_trace(function_type, reduce_retracing, alone, trace)
//   -> ConcreteFunction; trace(function_type) makes one.
PyObject* FindOrTrace(PyObject* o, PyObject* args) {
  PyObject *type, *trace;
  int reduce, alone;
  if (!PyArg_ParseTuple(args, "O!ppO", FunctionTypeType, &type, &reduce, &alone,
                        &trace)) {
    return nullptr;
  }
  auto make = [&](const Ref<FunctionType>& t) -> StatusOr<Ref<Trace>> {
    PyRef wrapped = PyRef::Steal(WrapFunctionType(t));
    if (!wrapped) return PythonError();
    PyRef made = PyRef::Steal(PyObject_CallOneArg(trace, wrapped.get()));
    if (!made) return PythonError();
    if (!IsConcreteFunction(made.get())) {
      return TypeError("tracing made no ConcreteFunction");
    }
    return Ref<Trace>(MakeRef<PyTrace>(t, made.get()));
  };
  ForgetComparisonError();
  StatusOr<Ref<Trace>> found = Self(o)->cache->FindOrTrace(
      FunctionTypeIn(type), reduce != 0, alone != 0, make);
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

// How many calls there were since this was asked last.
PyObject* TakeCalls(PyObject* o, PyObject*) {
  return PyLong_FromLongLong(std::exchange(Self(o)->calls, 0));
}

PyObject* ClearTraces(PyObject* o, PyObject*) {
  Self(o)->cache->Clear();
  Py_RETURN_NONE;
}

PyGetSetDef getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr,
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef methods[] = {
    {"_find", Find, METH_O, nullptr},
    {"_find_or_trace", FindOrTrace, METH_VARARGS, nullptr},
    {"_traces", Traces, METH_NOARGS, nullptr},
    {"_take_calls", TakeCalls, METH_NOARGS, nullptr},
    {"_clear_traces", ClearTraces, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(PyFunction, call), READONLY,
     nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PyFunction, weakrefs), READONLY,
     nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(PyFunction, dict), READONLY,
     nullptr},
    {nullptr, 0, 0, 0, nullptr}};

#define SLOT(id, f) \
  { id, reinterpret_cast<void*>(f) }
PyType_Slot slots[] = {SLOT(Py_tp_new, New),
                       SLOT(Py_tp_dealloc, Dealloc),
                       SLOT(Py_tp_traverse, Traverse),
                       SLOT(Py_tp_clear, Clear),
                       SLOT(Py_tp_call, PyVectorcall_Call),
                       SLOT(Py_tp_descr_get, Get),
                       SLOT(Py_tp_getset, getset),
                       SLOT(Py_tp_methods, methods),
                       SLOT(Py_tp_members, members),
                       {0, nullptr}};
PyType_Spec spec = {"graphkiln.Function", sizeof(PyFunction), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                        Py_TPFLAGS_HAVE_VECTORCALL,
                    slots};
#undef SLOT

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

PyMethodDef functions[] = {
    {"is_tensor_value", IsTensorValue, METH_O, nullptr},
    {"run_functions_eagerly", RunFunctionsEagerly, METH_O,
     "Runs the bodies of tf.functions as plain Python."},
    {"functions_run_eagerly", FunctionsRunEagerly, METH_NOARGS,
     "Do tf.functions run as plain Python?"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool AddFunctionType(PyObject* module) {
  SetBlockingWait([](FunctionRef<void()> wait) {
    GilRelease unlocked(PyGILState_Check() != 0);
    wait();
  });
  PyTypeObject* type = AddType(module, &spec, nullptr);
  return type != nullptr &&
         PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace gk::py
