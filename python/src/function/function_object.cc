#include "python/src/function/function_object.h"

#include <structmember.h>  // after Python.h

#include <algorithm>
#include <cstddef>

#include "base/stack.h"
#include "function/eager_functions.h"
#include "function/initialization_function.h"
#include "function/user_scopes.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/only_argument.h"
#include "python/src/binding/words.h"
#include "python/src/checkpoint/trackable_type.h"
#include "python/src/function/call_key.h"
#include "python/src/function/call_rules.h"
#include "python/src/function/concrete_function.h"
#include "python/src/function/function_options.h"
#include "python/src/function/function_trace_type.h"
#include "python/src/function/gone_object.h"
#include "python/src/function/literal_key.h"
#include "python/src/function/py_trace.h"
#include "python/src/function/python_body.h"
#include "python/src/function/python_tracer.h"
#include "python/src/function/typed_values.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/host/log_functions.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace nb = nanobind;

namespace gk::py {

namespace {

PyFunction* Self(PyObject* o) { return FunctionOf(o); }
TraceCache& CacheOf(PyObject* o) { return Self(o)->function->cache(); }

PyObject* RunInOrder(const KnownCall& known, std::span<const Tensor> tensors,
                     OpBuilder* builder) {
  auto* f = ConcreteFunctionOf(ConcreteOf(*known.trace()));
  const std::vector<int>& order =
      static_cast<const PyKnownCall&>(known).order();
  if (order.empty()) return RunMatched(f, tensors, builder);
  TensorVector inputs;
  inputs.reserve(order.size());
  for (int i : order) inputs.push_back(tensors[i]);
  return RunMatched(f, inputs, builder);
}

PyObject* RunKnown(PyObject* o, const KnownCall& known,
                   std::span<const Tensor> tensors) {
  OpBuilder* const builder = OpBuilder::Current();
  const bool counts = PolymorphicFunction::Counts(builder);
  PyObject* result = RunInOrder(known, tensors, builder);
  if (result != nullptr && counts) [[likely]] {
    Self(o)->function->CountCall();
  }
  return result;
}

// Counts a call that went well, and warns if its trace was `made` for it in
// vain. False with an exception set.
bool FinishCall(PyObject* o, bool made) {
  const auto warning = Self(o)->function->FinishCall(made, [o] {
    PyRef f = PyRef::Steal(PyObject_GetAttrString(o, "__wrapped__"));
    PyRef text = PyRef::Steal(f ? PyObject_Str(f.get()) : nullptr);
    return std::string(text ? StringView(text.get()) : std::string_view());
  });
  if (PyErr_Occurred()) return false;
  if (!warning) return true;
  PyRef text = PyRef::Steal(ToPyString(*warning));
  PyRef warn = LogMethod("warning");
  PyRef done = PyRef::Steal(
      text && warn ? PyObject_CallOneArg(warn.get(), text.get()) : nullptr);
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
  PythonTracer tracer(o, call);
  ForgetComparisonError();
  StatusOr<PolymorphicFunction::Found> result = Self(o)->function->FindOrTrace(
      {call.type, HandlesOf(call.variables)}, &tracer);
  if (result.ok() && RaiseComparisonError()) return false;
  if (!result.ok()) {
    Raise(result.status());
    return false;
  }
  *found = *std::move(result);
  return true;
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

// An object of which methods were bound is gone: its Function goes. `place`:
// (weak reference to the method's Function, id of the object).
PyObject* Forget(PyObject* place, PyObject*) {
  PyObject* o = PyWeakref_GetObject(PyTuple_GET_ITEM(place, 0));
  if (o != Py_None && Self(o)->of_objects != nullptr &&
      PyDict_DelItem(Self(o)->of_objects, PyTuple_GET_ITEM(place, 1)) < 0) {
    PyErr_Clear();  // gone already
  }
  Py_RETURN_NONE;
}
PyMethodDef forget = {"forget", Guarded<Forget>, METH_O, nullptr};

// The Function of a method for one object, made once; or what binds it.
nb::object OfObject(PyObject* o, nb::handle instance) {
  const nb::object key = nb::steal(PyLong_FromVoidPtr(instance.ptr()));
  PyObject*& table = Self(o)->of_objects;
  if (table == nullptr) table = PyDict_New();
  if (PyObject* known = PyDict_GetItem(table, key.ptr())) {
    if (PyWeakref_GetObject(PyTuple_GET_ITEM(known, 0)) == instance.ptr()) {
      return nb::borrow(PyTuple_GET_ITEM(known, 1));
    }
  }
  const PythonFunction& python = *Self(o)->python;
  const nb::object place =
      nb::make_tuple(nb::steal(PyWeakref_NewRef(o, nullptr)), key);
  const nb::object gone = nb::steal(PyCFunction_New(&forget, place.ptr()));
  const nb::object weak =
      nb::steal(PyWeakref_NewRef(instance.ptr(), gone.ptr()));
  if (!weak.is_valid()) {
    // Cannot be held weakly, so every access makes a new one.
    PyErr_Clear();
    if (!python.needs_instance()) {
      return nb::module_::import_("functools")
          .attr("partial")(nb::handle(o), instance);
    }
    return NewFunction({python.function(), python.options(), instance});
  }
  const nb::object bound =
      NewFunction({python.function(), python.options(), instance});
  if (PyDict_SetItem(table, key.ptr(), nb::make_tuple(weak, bound).ptr()) < 0) {
    throw nb::python_error();
  }
  return bound;
}

PyObject* CallSlowly(PyObject* o, PyObject* const* args, size_t n,
                     PyObject* kwnames) {
  const CallArguments call{args, n, kwnames};
  if (FunctionsRunEagerly()) {
    const nb::object body = Self(o)->python->Body();
    return PyObject_Vectorcall(body.ptr(), args, n, kwnames);
  }
  if (Self(o)->needs_instance && n > 0) {
    const nb::object bound = OfObject(o, args[0]);
    return PyObject_Vectorcall(bound.ptr(), args + 1, n - 1, kwnames);
  }
  AskedCall asked;
  PolymorphicFunction::Found found;
  if (!Self(o)->rules->Ask(call, &asked) || !FindOrTrace(o, asked, &found)) {
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
  PyRef result = PyRef::Steal(
      RunConcrete(ConcreteFunctionOf(ConcreteOf(*found.trace)), inputs));
  return result && FinishCall(o, found.made) ? result.Release() : nullptr;
}

PyObject* Call(PyObject* o, PyObject* const* args, size_t nargsf,
               PyObject* kwnames) {
  const size_t n = PyVectorcall_NARGS(nargsf);
  if (!FunctionsRunEagerly() && TracePlace() == 0) {
    CallKey key(&CacheOf(o).captured());
    if (key.Add(args, n, kwnames)) {
      Ref<KnownCall> known = CacheOf(o).FindCall(key.words());
      if (known) return RunKnown(o, *known, key.tensors());
    }
  }
  return CallSlowly(o, args, n, kwnames);
}

// The call of a Function that asks whether the Python values frozen into a
// trace are still what they were.
PyObject* CallGuarded(PyObject* o, PyObject* const* args, size_t nargsf,
                      PyObject* kwnames) {
  const size_t n = PyVectorcall_NARGS(nargsf);
  if (!FunctionsRunEagerly() && TracePlace() == 0) {
    CallKey key(&CacheOf(o).captured());
    if (key.Add(args, n, kwnames)) {
      Ref<KnownCall> known = CacheOf(o).FindCall(key.words());
      if (known) {
        PythonBakedValues values;
        const auto reasons =
            Self(o)->function->ReasonsToRetrace(*known->trace(), &values);
        if (!reasons.ok()) return Raise(reasons.status());
        if (reasons->empty()) return RunKnown(o, *known, key.tensors());
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
  Self(o)->function = new PolymorphicFunction(kPythonWords);
  Self(o)->rules = new CallRules();
  Self(o)->python = new PythonFunction();
  return o;
}

int Traverse(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(o));
  Py_VISIT(Self(o)->dict);
  Py_VISIT(Self(o)->of_objects);
  if (Self(o)->python != nullptr) {
    const int stop = Self(o)->python->Visit(visit, arg);
    if (stop != 0) return stop;
  }
  if (Self(o)->function != nullptr) {
    for (const Ref<Trace>& t : CacheOf(o).traces()) Py_VISIT(ConcreteOf(*t));
  }
  return Self(o)->rules == nullptr ? 0 : Self(o)->rules->Visit(visit, arg);
}
int Clear(PyObject* o) {
  Py_CLEAR(Self(o)->dict);
  Py_CLEAR(Self(o)->of_objects);
  CacheOf(o).Clear();
  *Self(o)->rules = CallRules();
  *Self(o)->python = PythonFunction();
  return 0;
}
void Dealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  PyObject_GC_UnTrack(o);
  if (Self(o)->weakrefs != nullptr) PyObject_ClearWeakRefs(o);
  Py_CLEAR(Self(o)->dict);
  Py_CLEAR(Self(o)->of_objects);
  delete Self(o)->function;
  delete Self(o)->rules;
  delete Self(o)->python;
  type->tp_free(o);
  Py_DECREF(type);
}

PyObject* Get(PyObject* o, PyObject* instance, PyObject* owner) {
  if (instance == nullptr || instance == Py_None) return Py_NewRef(o);
  return OfObject(o, instance).release().ptr();
}

// The types that get_concrete_function and the like are called with.
bool AskTypes(PyObject* o, const CallArguments& call, AskedCall* asked) {
  const CallRules& rules = *Self(o)->rules;
  if (rules.is_constrained() && call.n + call.num_named() == 0) {
    rules.AskSignature(asked);
    return true;
  }
  return rules.Ask(call, asked);
}

// The ConcreteFunction for a call.
PyObject* Concrete(PyObject* o, PyObject* const* args, Py_ssize_t n,
                   PyObject* kwnames) {
  AskedCall asked;
  PolymorphicFunction::Found found;
  if (!AskTypes(o, {args, static_cast<size_t>(n), kwnames}, &asked) ||
      !FindOrTrace(o, asked, &found)) {
    return nullptr;
  }
  return Py_NewRef(ConcreteOf(*found.trace));
}

// The ConcreteFunction that initialises what a first call makes.
PyObject* Initialization(PyObject* o, PyObject* const* args, Py_ssize_t n,
                         PyObject* kwnames) {
  AskedCall asked;
  if (!AskTypes(o, {args, static_cast<size_t>(n), kwnames}, &asked)) {
    return nullptr;
  }
  PythonTracer tracer(o, asked);
  ForgetComparisonError();
  const TensorVector made = ValueOrThrow(Self(o)->function->MakeVariables(
      {asked.type, HandlesOf(asked.variables)}, &tracer));
  if (RaiseComparisonError()) return nullptr;
  const auto builder = MakeRef<FuncGraph>("initialize");
  const nb::object graph = Owned(WrapGraph(builder->graph().get()));
  return ValueOrThrow(PythonTraced(graph,
                                   [&] {
                                     return StatusOr(InitializationFunction(
                                         builder.get(), made));
                                   }))
      .release()
      .ptr();
}

// As TensorFlow's class is called: (python_function, name, ...), the others as
// of tf.function.
void InitNamed(PyObject* o, PyObject* args, PyObject* kwargs) {
  constexpr const char* kNames[] = {"input_signature",
                                    "autograph",
                                    "jit_compile",
                                    "reduce_retracing",
                                    "experimental_implements",
                                    "experimental_autograph_options",
                                    "experimental_attributes"};
  const Py_ssize_t count = PyTuple_GET_SIZE(args);
  if (count > static_cast<Py_ssize_t>(2 + std::size(kNames))) {
    Throw(TypeError("Function() takes at most {} arguments ({} given)",
                    2 + std::size(kNames), count));
  }
  nb::dict given;
  given["autograph"] = true;
  for (Py_ssize_t i = 2; i < count; ++i) {
    given[kNames[i - 2]] = nb::handle(PyTuple_GET_ITEM(args, i));
  }
  if (kwargs != nullptr) given.update(nb::borrow<nb::dict>(kwargs));
  SetPythonFunction(o, {nb::handle(PyTuple_GET_ITEM(args, 0)),
                        CheckedOptions(given), nb::none()});
  nb::handle(o).attr("__name__") = nb::handle(PyTuple_GET_ITEM(args, 1));
}

// Function(python_function, options): see tf.function.
int Init(PyObject* o, PyObject* args, PyObject* kwargs) {
  if (PyTuple_GET_SIZE(args) > 1 &&
      PyUnicode_Check(PyTuple_GET_ITEM(args, 1))) {
    InitNamed(o, args, kwargs);
    return 0;
  }
  PyObject *function, *options;
  if (!ParseArguments(args, kwargs, "OO", {"python_function", "options"},
                      &function, &options)) {
    return -1;
  }
  if (!PyDict_Check(options)) {
    return RaiseInt(TypeError("the options must be a dictionary"));
  }
  SetPythonFunction(o, {function, options, nb::none()});
  return 0;
}

// Of a function of a file it is made when somebody asks.
PyObject* Signature(PyObject* o, void*) {
  const nb::dict own = nb::steal<nb::dict>(PyObject_GenericGetDict(o, nullptr));
  if (own.contains("__signature__")) {
    return nb::object(own["__signature__"]).release().ptr();
  }
  const PythonFunction& python = *Self(o)->python;
  if (!python.is_told()) {
    PyErr_SetString(PyExc_AttributeError, "__signature__");
    return nullptr;
  }
  const nb::object told = python.function().attr("__signature__");
  return Py_NewRef(told.ptr());
}
int SetSignature(PyObject* o, PyObject* signature, void*) {
  const nb::dict own = nb::steal<nb::dict>(PyObject_GenericGetDict(o, nullptr));
  if (signature == nullptr)
    return PyDict_DelItemString(own.ptr(), "__signature__");
  return PyDict_SetItemString(own.ptr(), "__signature__", signature);
}

PyGetSetDef getset[] = {{"__dict__", PyObject_GenericGetDict,
                         PyObject_GenericSetDict, nullptr, nullptr},
                        {"__signature__", Guarded<Signature>,
                         Guarded<SetSignature>, nullptr, nullptr},
                        {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef methods[] = {
    {"get_concrete_function", AsCFunction(Guarded<Concrete>),
     METH_FASTCALL | METH_KEYWORDS,
     "get_concrete_function($self, *args, **kwargs)\n--\n\n"
     "The ConcreteFunction for arguments of these types; traces it if there "
     "is\nnone. Takes values, tf.TensorSpecs, or both."},
    {"get_initialization_function", AsCFunction(Guarded<Initialization>),
     METH_FASTCALL | METH_KEYWORDS,
     "get_initialization_function($self, *args, **kwargs)\n--\n\n"
     "The ConcreteFunction that initialises the variables which a call with\n"
     "these arguments makes. Until it is called they have no values.\n\n"
     "Raises RuntimeError if the function was traced before."},
    {nullptr, nullptr, 0, nullptr}};
PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET,
                          offsetof(PyFunction, call), READONLY, nullptr},
                         {"__weaklistoffset__", T_PYSSIZET,
                          offsetof(PyFunction, weakrefs), READONLY, nullptr},
                         {"__dictoffset__", T_PYSSIZET,
                          offsetof(PyFunction, dict), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};

constexpr char kRunEagerly[] = "run_eagerly";
PyObject* SetRunEagerly(PyObject*, PyObject* on) {
  const int yes = PyObject_IsTrue(on);
  if (yes < 0) return nullptr;
  RunFunctionsEagerly(yes != 0);
  Py_RETURN_NONE;
}
PyObject* GetRunEagerly(PyObject*, PyObject*) {
  return PyBool_FromLong(FunctionsRunEagerly());
}

PyMethodDef kFunctionFunctions[] = {
    {"run_functions_eagerly", GK_OF_ARGUMENT(kRunEagerly, SetRunEagerly),
     "run_functions_eagerly(run_eagerly)\n--\n\n"
     "Runs the bodies of all tf.functions as plain Python, to debug them.\n\n"
     ">>> tf.config.run_functions_eagerly(True)\n"
     ">>> tf.config.functions_run_eagerly()\n"
     "True\n"
     ">>> tf.config.run_functions_eagerly(False)"},
    {"functions_run_eagerly", Guarded<GetRunEagerly>, METH_NOARGS,
     "functions_run_eagerly()\n--\n\n"
     "Do tf.functions run as plain Python?\n\n"
     ">>> tf.config.functions_run_eagerly()\n"
     "False"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void SetPythonFunction(PyObject* o, PythonFunction python) {
  CallRules rules = python.Rules();
  PolymorphicFunctionOptions settled =
      OptionsOf(python.Name(), python.options());
  settled.of_object = python.is_bound();
  settled.of_graph = python.IsGiven("of_graph");
  Self(o)->guarded = settled.on_baked_change != OnBakedChange::kIgnore;
  Self(o)->function->Configure(std::move(settled), python.Detector());
  Self(o)->needs_instance = python.needs_instance();
  Self(o)->call = Self(o)->guarded ? Guarded<CallGuarded> : Guarded<Call>;
  *Self(o)->rules = std::move(rules);
  *Self(o)->python = std::move(python);
  // It looks like its function.
  const nb::handle f = o;
  const nb::object& function = Self(o)->python->function();
  f.attr("__wrapped__") = function;
  for (const char* name :
       {"__name__", "__qualname__", "__module__", "__doc__"}) {
    if (!nb::hasattr(function, name)) continue;
    const nb::object value = function.attr(name);
    f.attr(name) = value.is_none() ? nb::object(nb::str("")) : value;
  }
  if (nb::hasattr(function, "__dict__")) {
    const nb::object own = f.attr("__dict__");
    for (nb::handle item : function.attr("__dict__").attr("items")()) {
      own.attr("setdefault")(item[0], item[1]);
    }
  }
  if (Self(o)->python->is_bound()) {
    f.attr("__signature__") = Self(o)->python->signature();
    return;
  }
  if (Self(o)->python->is_told()) return;
  PyRef signature =
      PyRef::Steal(CallPython("inspect", "signature", {function.ptr()}));
  if (signature) {
    f.attr("__signature__") = nb::handle(signature.get());
  } else if (PyErr_ExceptionMatches(PyExc_TypeError) ||
             PyErr_ExceptionMatches(PyExc_ValueError)) {
    PyErr_Clear();  // it does not tell
  } else {
    throw nb::python_error();
  }
}

nb::object NewFunction(PythonFunction python) {
  nb::object made = nb::steal(New(FunctionObjectType, nullptr, nullptr));
  if (!made.is_valid()) throw nb::python_error();
  SetPythonFunction(made.ptr(), std::move(python));
  return made;
}

bool AddFunctionType(PyObject* module, TypeParts own) {
  own.Add(methods);
  own.Add(getset);
  const TypeParts& parts = std::move(own).Finished();
  std::vector<PyType_Slot> slots = parts.slots;
  slots.insert(slots.end(), {{Py_tp_new, Slot<New>()},
                             {Py_tp_init, Slot<Init>()},
                             {Py_tp_dealloc, Slot<Dealloc>()},
                             {Py_tp_traverse, Slot<Traverse>()},
                             {Py_tp_clear, Slot<Clear>()},
                             {Py_tp_call, PlainSlot(PyVectorcall_Call)},
                             {Py_tp_descr_get, Slot<Get>()},
                             {Py_tp_getset, Table(parts.attributes)},
                             {Py_tp_methods, Table(parts.methods)},
                             {Py_tp_members, Slot<members>()},
                             {0, nullptr}});
  PyType_Spec spec = {
      "graphkiln.Function", sizeof(PyFunction), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
      slots.data()};
  FunctionObjectType = AddType(module, &spec, TrackableType);
  return FunctionObjectType != nullptr &&
         PyModule_AddFunctions(module, kFunctionFunctions) == 0 &&
         AddGoneObject(module);
}

}  // namespace gk::py
