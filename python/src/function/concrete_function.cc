#include "python/src/function/concrete_function.h"

#include <structmember.h>  // after Python.h

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/per_thread.h"
#include "function/plan_text.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/text_caster.h"
#include "python/src/checkpoint/trackable_type.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/graph/source_location.h"
#include "python/src/nest/nest_node.h"
#include "python/src/ops/op_function.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"
#include "runtime/error_origin.h"

namespace gk::py {

PyTypeObject* ConcreteFunctionType = nullptr;

namespace {

PyConcreteFunction* Self(PyObject* o) { return ConcreteFunctionOf(o); }

StructuredCall structured_call = nullptr;

// The outputs of the call in progress, with memory kept for the next.
class OutputBuffer {
 public:
  OutputBuffer() {
    std::vector<TensorVector>& free = PerThread<Free, Free>::Get().buffers;
    if (!free.empty()) {
      outputs_ = std::move(free.back());
      free.pop_back();
    }
  }
  ~OutputBuffer() {
    outputs_.clear();
    Free* const free = PerThread<Free, Free>::IfMade();
    if (free && outputs_.capacity() <= 64 && free->buffers.size() < kKept) {
      free->buffers.push_back(std::move(outputs_));
    }
  }
  TensorVector& operator*() { return outputs_; }

 private:
  static constexpr size_t kKept = 8;
  struct Free {
    Free() { buffers.reserve(kKept); }  // Destructors allocate nothing.
    std::vector<TensorVector> buffers;
  };
  TensorVector outputs_;
};

// A call that takes longer gives up the GIL from then on.
constexpr auto kLong = std::chrono::microseconds(20);

PyObject* Pack(const Structure& s, std::span<const Tensor> outputs,
               size_t* next);

// The children's values in the list or tuple `made`.
template <class SetItem>
PyObject* PackInto(PyRef made, const Structure& s,
                   std::span<const Tensor> outputs, size_t* next,
                   SetItem set_item) {
  const std::vector<StructureRef>& parts = s.children();
  for (size_t i = 0; made && i < parts.size(); ++i) {
    PyObject* item = Pack(*parts[i], outputs, next);
    if (item == nullptr) return nullptr;
    set_item(made.get(), i, item);
  }
  return made.Release();
}

// The value of a structure whose leaves are the outputs from `next` on.
PyObject* Pack(const Structure& s, std::span<const Tensor> outputs,
               size_t* next) {
  switch (s.kind()) {
    case Structure::Kind::kLeaf:
      if (*next < outputs.size()) return WrapTensor(outputs[(*next)++]);
      return Raise(Internal("a function returned too few results"));
    case Structure::Kind::kNone:
      Py_RETURN_NONE;
    case Structure::Kind::kTuple:
      if (s.value()) break;
      return PackInto(PyRef::Steal(PyTuple_New(s.children().size())), s,
                      outputs, next,
                      [](PyObject* tuple, size_t i, PyObject* item) {
                        PyTuple_SET_ITEM(tuple, i, item);
                      });
    case Structure::Kind::kList:
      if (s.value()) break;
      return PackInto(PyRef::Steal(PyList_New(s.children().size())), s, outputs,
                      next, [](PyObject* list, size_t i, PyObject* item) {
                        PyList_SET_ITEM(list, i, item);
                      });
    default:
      break;
  }
  std::vector<PyRef> parts;
  parts.reserve(s.children().size());
  for (const StructureRef& child : s.children()) {
    parts.push_back(PyRef::Steal(Pack(*child, outputs, next)));
    if (!parts.back()) return nullptr;
  }
  return CloseNest(static_cast<const NestNode&>(*s.value()), parts, nullptr);
}

PyObject* Call(PyObject* o, PyObject* const* args, size_t nargsf,
               PyObject* kwnames) {
  PyConcreteFunction* self = Self(o);
  if (self->function == nullptr) {
    return Raise(RuntimeError("this function has been collected"));
  }
  const size_t n = PyVectorcall_NARGS(nargsf);
  if (self->flat_arguments && kwnames == nullptr &&
      n == self->function->arguments().size() && n <= 32) {
    alignas(Tensor) std::byte storage[32 * sizeof(Tensor)];
    auto* inputs = reinterpret_cast<TensorImpl**>(storage);
    static_assert(sizeof(Tensor) == sizeof(TensorImpl*));
    size_t i = 0;
    // Borrowed: the caller's arguments keep the tensors alive.
    for (; i < n && IsTensor(args[i]); ++i) {
      TensorImpl* impl = ImplOf(args[i]);
      if (impl->dtype() != self->function->arguments()[i].dtype) break;
      inputs[i] = impl;
    }
    if (i == n) {
      return RunConcrete(self, {reinterpret_cast<const Tensor*>(storage), n});
    }
  }
  return structured_call(self, args, n, kwnames);
}

PyObject* Alloc(PyTypeObject* type, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError,
                  "ConcreteFunctions are made by tracing: see "
                  "tf.function(...).get_concrete_function");
  return nullptr;
}

int Traverse(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(o));
  Py_VISIT(Self(o)->dict);
  return 0;
}
int Clear(PyObject* o) {
  Py_CLEAR(Self(o)->dict);
  return 0;
}
void Dealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  PyObject_GC_UnTrack(o);
  if (Self(o)->weakrefs != nullptr) PyObject_ClearWeakRefs(o);
  if (Self(o)->structure != nullptr) Self(o)->structure->Unref();
  Py_CLEAR(Self(o)->dict);
  if (Self(o)->function) Self(o)->function->Unref();
  type->tp_free(o);
  Py_DECREF(type);
}

PyObject* NameOf(PyObject* o, void*) {
  const std::string& name = Self(o)->function->name();
  return PyBytes_FromStringAndSize(name.data(), name.size());
}
PyObject* CapturedInputs(PyObject* o, void*) {
  const Ref<ConcreteFunction> keep(Self(o)->function);
  StatusOr<TensorVector> values = keep->CaptureValues();
  return values.ok() ? WrapTensors(*values) : Raise(values.status());
}
// Results of the graph, one Identity each.
PyObject* OutputTensors(PyObject* o, void*) {
  const GraphFunction& f = *Self(o)->function->function();
  TensorVector tensors;
  for (const Output& r : f.results()) {
    tensors.push_back(f.graph_ref()->TensorOf(r));
  }
  return WrapTensors(tensors);
}

PyObject* MostPositional(PyObject* o, void*) {
  return PyLong_FromSize_t(Self(o)->most_positional);
}
// Fewer than there are: the others have to be named.
int SetMostPositional(PyObject* o, PyObject* value, void*) {
  const size_t most = value == nullptr ? SIZE_MAX : PyLong_AsSize_t(value);
  if (PyErr_Occurred()) return -1;
  const size_t all = Self(o)->function->arguments().size();
  Self(o)->most_positional = std::min(most, all);
  if (most < all) Self(o)->flat_arguments = false;
  return 0;
}

PyGetSetDef getset[] = {{"_num_positional_args", Guarded<MostPositional>,
                         Guarded<SetMostPositional>, nullptr, nullptr},
                        {"outputs", Guarded<OutputTensors>, nullptr,
                         "The tensors returned, flat.", nullptr},
                        {"name", Guarded<NameOf>, nullptr,
                         "The name in function libraries, as bytes.", nullptr},
                        {"captured_inputs", Guarded<CapturedInputs>, nullptr,
                         "Outside tensors that the function uses.", nullptr},
                        {"__dict__", PyObject_GenericGetDict,
                         PyObject_GenericSetDict, nullptr, nullptr},
                        {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyObject* TextOf(PyObject* self,
                 StatusOr<std::string> (*text)(const GraphFunction&)) {
  const auto* f = reinterpret_cast<PyConcreteFunction*>(self);
  const StatusOr<std::string> found = text(*f->function->function());
  return found.ok() ? ToPyString(*found) : Raise(found.status());
}
PyObject* OptimizedTextOf(PyObject* self, PyObject*) {
  return TextOf(self, OptimizedText);
}
PyObject* PlanTextOf(PyObject* self, PyObject*) {
  return TextOf(self, PlanText);
}

PyMethodDef methods[] = {
    {"optimized_text", Guarded<OptimizedTextOf>, METH_NOARGS,
     "optimized_text($self)\n--\n\n"
     "The graph after the passes, one line a node, and those of the functions "
     "that it calls."},
    {"plan_text", Guarded<PlanTextOf>, METH_NOARGS,
     "plan_text($self)\n--\n\n"
     "The plan that runs the function, one line an instruction, and those of "
     "the functions that it calls."},
    {nullptr, nullptr, 0, nullptr}};
PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(PyConcreteFunction, call),
     READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PyConcreteFunction, weakrefs),
     READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(PyConcreteFunction, dict), READONLY,
     nullptr},
    {nullptr, 0, 0, 0, nullptr}};

thread_local const CancellationToken* cancellation = nullptr;

// Within both of the functions below: a call is this and little more.
[[gnu::always_inline]] inline PyObject* Run(PyConcreteFunction* f,
                                            std::span<const Tensor> inputs,
                                            OpBuilder* builder) {
  const ConcreteFunction& function = *f->function;
  // What gives a captured value may change the captures.
  Ref<ConcreteFunction> keep;
  if (function.has_deferred()) keep = Ref<ConcreteFunction>(f->function);
  if (!LastErrorOrigin().node.empty()) ClearErrorOrigin();
  OutputBuffer buffer;
  TensorVector& outputs = *buffer;
  Status status;
  if (builder->builds_graph()) {
    status = function.CallMatched(inputs, &outputs, nullptr, builder);
  } else if (f->long_running) {
    // Keeps the function alive while other threads may drop it.
    keep = Ref<ConcreteFunction>(f->function);
    const auto start = std::chrono::steady_clock::now();
    {
      GilRelease unlocked(true);
      status = function.CallMatched(inputs, &outputs, cancellation, builder);
    }
    if (std::chrono::steady_clock::now() - start < kLong &&
        !function.function()->effects().ordered) {
      f->long_running = false;
    }
  } else {
    const auto start = std::chrono::steady_clock::now();
    status = function.CallMatched(inputs, &outputs, nullptr, builder);
    f->long_running = std::chrono::steady_clock::now() - start >= kLong;
  }
  if (!status.ok()) return RaiseRunError(status, function.name());
  size_t next = 0;
  return Pack(*f->structure, outputs, &next);
}

}  // namespace

CancellableCalls::CancellableCalls(const CancellationToken* token)
    : outer_(std::exchange(cancellation, token)) {}
CancellableCalls::~CancellableCalls() { cancellation = outer_; }

PyObject* RunConcrete(PyConcreteFunction* f, std::span<const Tensor> inputs) {
  const Status status = f->function->CheckArguments(inputs);
  if (!status.ok()) return Raise(status);
  return Run(f, inputs, OpBuilder::Current());
}

PyObject* RunMatched(PyConcreteFunction* f, std::span<const Tensor> inputs,
                     OpBuilder* builder) {
  return Run(f, inputs, builder);
}

// Calls in progress hold the old one.
static void Exchange(PyConcreteFunction* f, Ref<ConcreteFunction> function) {
  const Ref<ConcreteFunction> old = Ref<ConcreteFunction>::Adopt(f->function);
  f->function = function.Release();
}

Status SetCaptures(PyConcreteFunction* f,
                   std::vector<FunctionCapture> captures) {
  GK_ASSIGN_OR_RETURN(Ref<ConcreteFunction> function,
                      f->function->WithCaptures(std::move(captures)));
  Exchange(f, std::move(function));
  return OkStatus();
}

static void ShowBody(PyConcreteFunction* f) {
  const GraphFunction& function = *f->function->function();
  Graph* const own = function.graph_ref().get();
  Ref<FuncGraph> shown(FuncGraph::Of(own));
  if (!shown) shown = FuncGraph::Over(function, f->function->captures());
  PyRef graph = PyRef::Steal(WrapGraph(own));
  if (!graph || PyObject_SetAttrString(reinterpret_cast<PyObject*>(f), "graph",
                                       graph.get()) < 0) {
    throw nanobind::python_error();
  }
}

void UseBody(PyConcreteFunction* f, const ConcreteFunction& body) {
  Ref<ConcreteFunction> function = f->function->WithBody(body);
  if (!function) return;
  Exchange(f, std::move(function));
  ShowBody(f);
}

nanobind::object ConcreteFunctionOver(Ref<ConcreteFunction> function) {
  PyObject* const made = NewConcreteFunction(std::move(function));
  if (made == nullptr) throw nanobind::python_error();
  nanobind::object owned = nanobind::steal(made);
  ShowBody(Self(made));
  return owned;
}

static bool TakesTensors(const FunctionType& type) {
  const auto& parameters = type.parameters();
  return std::all_of(parameters.begin(), parameters.end(), [](const auto& p) {
    return p.type->kind() == TraceType::Kind::kTensor;
  });
}

PyObject* NewConcreteFunction(Ref<ConcreteFunction> function) {
  const TracedSignature& signature = function->signature();
  if (!signature.output) {
    return Raise(Internal("{} was not traced", function->name()));
  }
  PyObject* o = ConcreteFunctionType->tp_alloc(ConcreteFunctionType, 0);
  if (o == nullptr) return nullptr;
  Self(o)->call = Guarded<Call>;
  Self(o)->structure = StructureRef(signature.output).Release();
  Self(o)->flat_arguments = signature.type && TakesTensors(*signature.type);
  Self(o)->most_positional = function->arguments().size();
  Self(o)->function = function.Release();
  Self(o)->long_running = true;
  return o;
}

Ref<GraphFunction> DefinitionOf(PyObject* o) {
  if (!IsConcreteFunction(o) || Self(o)->function == nullptr) return nullptr;
  return Self(o)->function->function();
}

bool AddConcreteFunctionType(PyObject* module, TypeParts own,
                             StructuredCall call) {
  structured_call = call;
  own.Add(methods);
  own.Add(getset);
  const TypeParts& parts = std::move(own).Finished();
  std::vector<PyType_Slot> slots = parts.slots;
  slots.insert(slots.end(), {{Py_tp_new, Slot<Alloc>()},
                             {Py_tp_dealloc, Slot<Dealloc>()},
                             {Py_tp_traverse, Slot<Traverse>()},
                             {Py_tp_clear, Slot<Clear>()},
                             {Py_tp_call, PlainSlot(PyVectorcall_Call)},
                             {Py_tp_getset, Table(parts.attributes)},
                             {Py_tp_methods, Table(parts.methods)},
                             {Py_tp_members, Slot<members>()},
                             {0, nullptr}});
  PyType_Spec spec = {
      "graphkiln.ConcreteFunction", sizeof(PyConcreteFunction), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
      slots.data()};
  ConcreteFunctionType = AddType(module, &spec, TrackableType);
  return ConcreteFunctionType != nullptr;
}

}  // namespace gk::py
