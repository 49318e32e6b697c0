#include "python/src/tensors/tensor_type.h"

#include <cstddef>
#include <vector>

#include "framework/graph.h"
#include "framework/symbolic_tensor.h"
#include "python/src/binding/guarded.h"
#include "python/src/tensors/kept_tensors.h"
#include "python/src/tensors/tensor_leaves.h"

// clang-format off: it needs Python.h before it.
#include <structmember.h>
// clang-format on

namespace gk::py {

PyTypeObject* AbstractTensorType = nullptr;
PyTypeObject* TensorType = nullptr;
PyTypeObject* EagerTensorType = nullptr;
PyTypeObject* SymbolicTensorType = nullptr;

namespace {

// Dead wrappers kept for the next tensor. Guarded by the GIL.
constexpr int kFreeListSize = 64;
PyTensor* free_list[kFreeListSize];
int num_free = 0;

PyTensor* Self(PyObject* o) { return reinterpret_cast<PyTensor*>(o); }

// What a program put on a tensor of a graph, and who refers to it weakly, finds
// it again while there is the graph. False: it dies.
bool LivesOn(PyObject* o) {
  const Tensor t(Self(o)->impl);
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  Py_SET_REFCNT(o, 1);
  keep_with_graph(Graph::GraphOf(t), o);
  Py_SET_REFCNT(o, Py_REFCNT(o) - 1);
  PyErr_Restore(type, value, trace);
  return Py_REFCNT(o) > 0;
}

void Dealloc(PyObject* o) {
  PyTensor* self = Self(o);
  PyTypeObject* type = Py_TYPE(o);
  if ((self->weakrefs != nullptr || self->dict != nullptr) &&
      type == SymbolicTensorType && LivesOn(o)) [[unlikely]] {
    return;
  }
  PyObject_GC_UnTrack(o);
  // First of all: whatever runs below must not find this wrapper again.
  TensorImpl* impl = self->impl;
  impl->wrapper().store(nullptr, std::memory_order_release);
  if (self->weakrefs != nullptr) PyObject_ClearWeakRefs(o);
  Py_CLEAR(self->dict);
  if (num_free < kFreeListSize) {
    free_list[num_free++] = self;
  } else {
    PyObject_GC_Del(o);
  }
  Py_DECREF(type);
  impl->Unref();
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

void TrackIfCyclic(PyObject* o) {
  if (Self(o)->dict != nullptr && !PyObject_GC_IsTracked(o)) {
    PyObject_GC_Track(o);
  }
}
int SetAttribute(PyObject* o, PyObject* name, PyObject* value) {
  const int result = PyObject_GenericSetAttr(o, name, value);
  TrackIfCyclic(o);
  return result;
}
PyObject* GetDict(PyObject* o, void* context) {
  PyObject* dict = PyObject_GenericGetDict(o, context);
  TrackIfCyclic(o);
  return dict;
}

PyGetSetDef leaf_getset[] = {
    {"__dict__", Guarded<GetDict>, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMemberDef leaf_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PyTensor, weakrefs), READONLY,
     nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(PyTensor, dict), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyType_Slot abstract_slots[] = {
    {Py_tp_doc, Doc("What has a shape, a dtype and elements.")}, {0, nullptr}};
PyType_Spec abstract_spec = {
    "graphkiln.types.experimental.AbstractTensor", sizeof(PyObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, abstract_slots};

PyType_Slot eager_slots[] = {{Py_tp_dealloc, Slot<Dealloc>()},
                             {Py_tp_traverse, Slot<Traverse>()},
                             {Py_tp_clear, Slot<Clear>()},
                             {Py_tp_setattro, Slot<SetAttribute>()},
                             {Py_tp_getset, Slot<leaf_getset>()},
                             {Py_tp_members, Slot<leaf_members>()},
                             {Py_bf_getbuffer, Slot<GetTensorBuffer>()},
                             {Py_bf_releasebuffer, Slot<ReleaseTensorBuffer>()},
                             {Py_tp_methods, eager_tensor_methods},
                             // Room for eager_number_slots.
                             {0, nullptr},
                             {0, nullptr},
                             {0, nullptr},
                             {0, nullptr}};
PyType_Spec eager_spec = {
    "graphkiln.EagerTensor", sizeof(PyTensor), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    eager_slots};

PyType_Slot symbolic_slots[] = {{Py_tp_dealloc, Slot<Dealloc>()},
                                {Py_tp_traverse, Slot<Traverse>()},
                                {Py_tp_clear, Slot<Clear>()},
                                {Py_tp_setattro, Slot<SetAttribute>()},
                                {Py_tp_getset, Slot<leaf_getset>()},
                                {Py_tp_members, Slot<leaf_members>()},
                                {Py_tp_methods, symbolic_tensor_methods},
                                {0, nullptr}};
PyType_Spec symbolic_spec = {
    "graphkiln.SymbolicTensor", sizeof(PyTensor), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    symbolic_slots};

PyObject* New(PyTypeObject* type, Tensor t) {
  PyTensor* self;
  if (num_free > 0) {
    self = free_list[--num_free];
    PyObject_Init(reinterpret_cast<PyObject*>(self), type);
  } else {
    self = PyObject_GC_New(PyTensor, type);
    if (self == nullptr) return nullptr;
  }
  self->weakrefs = nullptr;
  self->dict = nullptr;
  self->impl = t.Release();
  self->impl->wrapper().store(self, std::memory_order_release);
  return reinterpret_cast<PyObject*>(self);
}

}  // namespace

PyObject* WrapNewTensor(Tensor t) {
  PyTypeObject* type = t.is_symbolic() ? SymbolicTensorType : EagerTensorType;
  return New(type, std::move(t));
}

PyObject* WrapTensor(Tensor t) {
  if (!t) {
    return Raise(Internal("an operation returned no tensor"));
  }
  void* live = t.impl()->wrapper().load(std::memory_order_acquire);
  if (live != nullptr) return Py_NewRef(static_cast<PyObject*>(live));
  return WrapNewTensor(std::move(t));
}

PyObject* WrapTensors(std::span<const Tensor> tensors) {
  PyRef list = PyRef::Steal(PyList_New(tensors.size()));
  for (size_t i = 0; list && i < tensors.size(); ++i) {
    PyObject* o = WrapTensor(tensors[i]);
    if (o == nullptr) return nullptr;
    PyList_SET_ITEM(list.get(), i, o);
  }
  return list.Release();
}

namespace {

// The operators that programs may replace, as TensorFlow names them.
bool AddOperatorNames() {
  PyRef names = PyRef::Steal(PySet_New(nullptr));
  for (const char* name :
       {"add", "radd", "sub",     "rsub",     "mul",      "rmul",
        "div", "rdiv", "truediv", "rtruediv", "floordiv", "rfloordiv",
        "mod", "rmod", "lt",      "le",       "gt",       "ge",
        "ne",  "eq",   "and",     "rand",     "or",       "ror",
        "xor", "rxor", "getitem", "pow",      "rpow",     "invert",
        "neg", "abs",  "matmul",  "rmatmul"}) {
    PyRef full = PyRef::Steal(PyUnicode_FromFormat("__%s__", name));
    if (!names || !full || PySet_Add(names.get(), full.get()) < 0) return false;
  }
  PyObject* cls = reinterpret_cast<PyObject*>(TensorType);
  // A plain member, which classes that stand in for tensors take over.
  const PyRef priority = PyRef::Steal(PyLong_FromLong(100));
  return priority &&
         PyObject_SetAttrString(cls, "__array_priority__", priority.get()) ==
             0 &&
         PyObject_SetAttrString(cls, "OVERLOADABLE_OPERATORS", names.get()) ==
             0;
}

}  // namespace

bool AddTensorTypes(PyObject* module) {
  AbstractTensorType = AddType(module, &abstract_spec, nullptr);
  if (AbstractTensorType == nullptr) return false;
  std::vector<PyType_Slot> slots;
  for (PyType_Slot* s = tensor_operator_slots; s->slot != 0; ++s) {
    slots.push_back(*s);
  }
  slots.push_back({Py_tp_getset, tensor_getset});
  slots.push_back(
      {Py_tp_doc,
       Doc("An array of elements of one type, or in a graph what will be one."
           "\n\n"
           ">>> x = tf.constant([[1., 2.], [3., 4.]])\n"
           ">>> x.shape, x.dtype\n"
           "(TensorShape([2, 2]), tf.float32)\n"
           ">>> (x * 2)[0].numpy().tolist()\n"
           "[2.0, 4.0]")});
  slots.push_back({Py_tp_methods, tensor_methods});
  slots.push_back({Py_tp_repr, Slot<TensorRepr>()});
  slots.push_back({Py_tp_str, Slot<TensorStr>()});
  slots.push_back({Py_tp_hash, Slot<TensorHash>()});
  slots.push_back({0, nullptr});
  PyType_Spec spec = {"graphkiln.Tensor", sizeof(PyObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots.data()};
  TensorType = AddType(module, &spec, AbstractTensorType);
  if (TensorType == nullptr || !AddOperatorNames()) return false;
  PyType_Slot* end = eager_slots;
  while (end->slot != 0) ++end;
  for (PyType_Slot* s = eager_number_slots; s->slot != 0; ++s) *end++ = *s;
  EagerTensorType = AddType(module, &eager_spec, TensorType);
  SymbolicTensorType = AddType(module, &symbolic_spec, TensorType);
  return EagerTensorType != nullptr && SymbolicTensorType != nullptr;
}

}  // namespace gk::py
