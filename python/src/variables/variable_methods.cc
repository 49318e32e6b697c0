// The type of variables: attributes and methods.
#include <cstddef>
#include <new>

#include "framework/logical_device.h"
#include "framework/variable.h"
#include "function/func_graph.h"
#include "ops/fn/Identity.h"
#include "python/src/binding/function_like_method.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/joined_tables.h"
#include "python/src/binding/package_parts.h"
#include "python/src/checkpoint/trackable_type.h"
#include "python/src/graph/name_scope.h"
#include "python/src/graph/operation_type.h"
#include "python/src/ops/op_function.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/numpy_behavior.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/tensors/version_one.h"
#include "python/src/variables/variable_type.h"

// clang-format off: it needs Python.h before it.
#include <structmember.h>
// clang-format on

namespace gk::py {

namespace {

PyVariable* Self(PyObject* o) { return VariableOf(o); }

PyObject* unread_name = nullptr;

// What is behind the header of an object, all zero, becomes a variable that is
// not initialised.
void Construct(PyObject* o) {
  new (&Self(o)->handle) Tensor();
  new (&Self(o)->shape) PartialTensorShape();
  Self(o)->dtype = DataType::kInvalid;
}

PyObject* New(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* o = type->tp_alloc(type, 0);
  if (o != nullptr) Construct(o);
  return o;
}

// All but the memory.
void Destroy(PyObject* o) {
  PyVariable* self = Self(o);
  PyObject_GC_UnTrack(o);
  if (self->origin == nullptr) ForgetVariable(o);
  if (self->weakrefs != nullptr) PyObject_ClearWeakRefs(o);
  Py_CLEAR(self->name);
  Py_CLEAR(self->dict);
  Py_CLEAR(self->origin);
  Py_CLEAR(self->update);
  Py_CLEAR(self->graph_element);
  self->handle.~Tensor();
  self->shape.~PartialTensorShape();
}

// What assignments gave and nobody holds any more: most are dropped at once,
// and the next one takes their memory.
class SpareUnread {
 public:
  // Null if there is none.
  PyObject* Take() {
    if (n_ == 0) return nullptr;
    PyObject* o = spare_[--n_];
    PyObject_Init(o, UnreadVariableType);
    Construct(o);
    Self(o)->serial = 0;
    Self(o)->after = nullptr;  // what Destroy clears is null
    PyObject_GC_Track(o);
    return o;
  }
  bool Keep(PyObject* o) {
    if (n_ == kMax) return false;
    spare_[n_++] = o;
    return true;
  }

 private:
  static constexpr int kMax = 8;
  PyObject* spare_[kMax];
  int n_ = 0;
};
SpareUnread spare_unread;  // under the GIL

// Of UnreadVariableType itself, which adds nothing to its base: without the
// look at what a subclass could have added.
void DeallocUnread(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  Destroy(o);
  if (type != UnreadVariableType || !spare_unread.Keep(o)) type->tp_free(o);
  Py_DECREF(type);
}

}  // namespace

PyObject* UnreadVariable(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  if (type != ResourceVariableType && type != UnreadVariableType) {
    return Py_NewRef(o);
  }
  PyVariable* self = Self(o);
  PyObject* made = spare_unread.Take();
  if (made == nullptr) made = New(UnreadVariableType, nullptr, nullptr);
  if (made == nullptr) return nullptr;
  PyVariable* unread = Self(made);
  unread->handle = self->handle;
  unread->dtype = self->dtype;
  unread->trainable = self->trainable;
  unread->shape = self->shape;
  unread->name = Py_NewRef(unread_name);
  if (self->dict == nullptr) self->dict = PyDict_New();
  Py_XINCREF(self->dict);
  unread->dict = self->dict;
  unread->origin = Py_NewRef(self->origin ? self->origin : o);
  return made;
}

PyObject* UpdatedVariable(PyObject* o) {
  PyRef updated = PyRef::Steal(UnreadVariable(o));
  const FuncGraph* graph = FuncGraph::Current();
  if (updated && graph != nullptr &&
      Py_TYPE(updated.get()) == UnreadVariableType) {
    PyVariable* self = Self(updated.get());
    if (graph->automatic_control()) {
      self->update = WrapNode(graph->graph().get(),
                              graph->graph()->nodes().back().get())
                         .release()
                         .ptr();
      return self->update ? updated.Release() : nullptr;
    }
    self->after = graph->graph()->nodes().back().get();
    PyRef name = PyRef::Steal(ToPyString(self->after->name()));
    if (!name) return nullptr;
    Py_SETREF(self->name, name.Release());
    StatusOr<Tensor> read = ReadVariable(updated.get());
    if (!read.ok()) return Raise(read.status());
    self->graph_element = WrapTensor(*std::move(read));
    if (self->graph_element == nullptr) return nullptr;
  }
  return updated.Release();
}

namespace {

PyObject* UnreadMethod(PyObject* o, PyObject*) { return UnreadVariable(o); }
PyObject* Origin(PyObject* o, void*) {
  return Py_NewRef(Self(o)->origin ? Self(o)->origin : o);
}
PyObject* GraphElement(PyObject* o, void*) {
  if (PyObject* element = Self(o)->graph_element) return Py_NewRef(element);
  PyErr_Format(PyExc_AttributeError,
               "'%s' object has no attribute '_graph_element'",
               Py_TYPE(o)->tp_name);
  return nullptr;
}
void Dealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  Destroy(o);
  type->tp_free(o);
  Py_DECREF(type);
}

int Traverse(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(o));
  Py_VISIT(Self(o)->dict);
  Py_VISIT(Self(o)->origin);
  Py_VISIT(Self(o)->update);
  Py_VISIT(Self(o)->graph_element);
  return 0;
}
int Clear(PyObject* o) {
  Py_CLEAR(Self(o)->dict);
  Py_CLEAR(Self(o)->origin);
  return 0;
}

PyObject* Wrap(StatusOr<Tensor> t) {
  return t.ok() ? WrapTensor(*std::move(t)) : Raise(t.status());
}

PyObject* Handle(PyObject* o, void*) {
  if (Self(o)->handle) return WrapTensor(Self(o)->handle);
  // A class of the user's that holds its value in a way of its own.
  PyErr_Format(PyExc_AttributeError, "'%s' object has no attribute 'handle'",
               Py_TYPE(o)->tp_name);
  return nullptr;
}
PyObject* DType(PyObject* o, void*) {
  return CheckVariableReady(o) ? Py_NewRef(DTypeObject(Self(o)->dtype))
                               : nullptr;
}
PyObject* Shape(PyObject* o, void*) {
  return CheckVariableReady(o) ? WrapShape(Self(o)->shape) : nullptr;
}
PyObject* Name(PyObject* o, void*) {
  return CheckVariableReady(o) ? Py_NewRef(Self(o)->name) : nullptr;
}
PyObject* Trainable(PyObject* o, void*) {
  return PyBool_FromLong(Self(o)->trainable);
}
// Programs freeze a variable so; tapes and functions that are traced ask anew.
int SetTrainable(PyObject* o, PyObject* value, void*) {
  if (value == nullptr) {
    PyErr_SetString(PyExc_AttributeError, "can't delete attribute");
    return -1;
  }
  const int trainable = PyObject_IsTrue(value);
  if (trainable < 0) return -1;
  Self(o)->trainable = trainable == 1;
  // A class of the program's may have a value of its own.
  if (!Self(o)->handle) return 0;
  if (StatusOr<VariableResource*> v = VariableOf(Self(o)->handle); v.ok()) {
    (*v)->set_trainable(trainable == 1);
  }
  return 0;
}
PyObject* ArrayPriority(PyObject*, void*) { return PyLong_FromLong(100); }

StatusOr<Tensor> ValueOf(PyObject* o) {
  StatusOr<Tensor> t = ReadVariable(o);
  if (t.ok() && MindsDevices()) t = OnDevice(*t, DeviceOf(Self(o)->handle));
  return t;
}
PyObject* Value(PyObject* o, PyObject*) { return Wrap(ValueOf(o)); }
PyObject* ReadValue(PyObject* o, PyObject*) {
  StatusOr<Tensor> t = [&]() -> StatusOr<Tensor> {
    const OpScope scope("Read");
    GK_RETURN_IF_ERROR(scope.status());
    return ValueOf(o);
  }();
  if (!t.ok() ||
      (OpBuilder::Current() == OpBuilder::Eager() && !MindsDevices())) {
    return Wrap(std::move(t));
  }
  try {
    return WrapTensor(ops::Identity(*t));
  } catch (...) {
    return RaiseCaught();
  }
}

PyObject* TfTensor(PyObject* o, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"dtype", "name", nullptr};
  PyObject *dtype = Py_None, *name = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO",
                                   const_cast<char**>(names), &dtype, &name)) {
    return nullptr;
  }
  DataType t = DataType::kInvalid;
  if (dtype != Py_None && (t = AsDType(dtype)) == DataType::kInvalid) {
    return nullptr;
  }
  return Wrap(ToTensor(o, t));
}

PyObject* Numpy(PyObject* o, PyObject*) {
  StatusOr<Tensor> t = ReadVariable(o);
  if (!t.ok()) return Raise(t.status());
  if (t->is_symbolic()) {
    PyErr_SetString(PyExc_NotImplementedError,
                    "numpy() is only available when eager execution is "
                    "enabled.");
    return nullptr;
  }
  return ToNumpy(*t, true);
}

PyObject* Array(PyObject* o, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"dtype", "copy", nullptr};
  PyObject *dtype = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO",
                                   const_cast<char**>(names), &dtype, &copy)) {
    return nullptr;
  }
  StatusOr<Tensor> t = ReadVariable(o);
  if (!t.ok()) return Raise(t.status());
  if (t->is_symbolic()) return Numpy(o, nullptr);
  PyRef array = PyRef::Steal(ToNumpy(*t, false));
  if (!array || dtype == Py_None) return array.Release();
  return PyObject_CallMethod(array.get(), "astype", "O", dtype);
}

enum Update { kAssign, kAdd, kSub };

StatusOr<Tensor> UpdateOperand(PyObject* o, PyObject* value, Update update) {
  PyVariable* self = Self(o);
  PyRef weak;
  if (numpy_behavior.weak) [[unlikely]] {
    constexpr const char* kNames[] = {"assign", "assign_add", "assign_sub"};
    PyRef name = PyRef::Steal(PyUnicode_FromString(kNames[update]));
    if (!name) return PythonError();
    weak = PyRef::Steal(package::weak_update.Call({o, value, name.get()}));
    if (!weak) return PythonError();
    value = weak.get();
  }
  GK_ASSIGN_OR_RETURN(Tensor t, ToTensor(value, self->dtype));
  if (update == kAssign && !t.partial_shape().IsCompatibleWith(self->shape)) {
    GK_RETURN_IF_ERROR(
        CheckAssigned(StringView(self->name), self->shape, t.partial_shape()));
  }
  return t;
}

template <Update kUpdate>
PyObject* AssignMethod(PyObject* o, PyObject* args, PyObject* kwargs) {
  static const char* assign_names[] = {"value", "use_locking", "name",
                                       "read_value", nullptr};
  static const char* delta_names[] = {"delta", "use_locking", "name",
                                      "read_value", nullptr};
  static const OpInfo* info =
      OpInfo::Find(kUpdate == kAssign ? "AssignVariableOp"
                   : kUpdate == kAdd  ? "AssignAddVariableOp"
                                      : "AssignSubVariableOp");
  PyObject *value, *locking = nullptr, *name = Py_None;
  int read = 1;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "O|OOp",
          const_cast<char**>(kUpdate == kAssign ? assign_names : delta_names),
          &value, &locking, &name, &read)) {
    return nullptr;
  }
  if (!CheckVariableReady(o)) return nullptr;
  if (info == nullptr) {
    return Raise(NotFound("Op type not registered 'AssignVariableOp'"));
  }
  StatusOr<Tensor> t = UpdateOperand(o, value, kUpdate);
  if (!t.ok()) return Raise(t.status());
  const Tensor inputs[] = {Self(o)->handle, *t};
  std::string_view node_name;
  if (PyUnicode_Check(name)) node_name = StringView(name);
  AttrMap attrs;
  if (kUpdate == kAssign && OpBuilder::Current()->builds_graph() &&
      Self(o)->shape.IsFullyDefined()) {
    attrs.Set("validate_shape", true);  // by readers of the graph
  }
  const WaitsFor waits(Self(o));
  PyRef result = PyRef::Steal(info->Run(inputs, std::move(attrs), node_name));
  if (!result) return nullptr;
  // In a graph the result is the assignment for control dependencies; the
  // variable itself reads what was written.
  if (!read) return result.Release();
  return UpdatedVariable(o);
}

PyObject* Repr(PyObject* o) {
  PyVariable* self = Self(o);
  if (!self->handle) {
    return PyUnicode_FromFormat("<%s, not initialised>", Py_TYPE(o)->tp_name);
  }
  PyRef shape = PyRef::Steal(ToPyString(self->shape.PythonString()));
  const std::string dtype(DataTypeName(self->dtype));
  if (!shape) return nullptr;
  const bool eager = OpBuilder::Current() == OpBuilder::Eager();
  if (eager && self->handle.is_symbolic()) {
    const FuncGraph* graph = FuncGraph::Of(Graph::GraphOf(self->handle));
    if (graph == nullptr || graph->is_function()) {
      return PyUnicode_FromFormat(
          "<tf.Variable %R shape=%U dtype=%s, numpy=<unavailable>>", self->name,
          shape.get(), dtype.c_str());
    }
  }
  if (!eager || self->handle.is_symbolic()) {
    return PyUnicode_FromFormat("<tf.Variable %R shape=%U dtype=%s>",
                                self->name, shape.get(), dtype.c_str());
  }
  StatusOr<VariableResource*> v = gk::VariableOf(self->handle);
  PyRef text;
  if (v.ok() && (*v)->IsInitialized()) {
    StatusOr<Tensor> value = (*v)->Read();
    if (value.ok()) text = NumpyText(*value, true);
  } else {
    text = PyRef::Steal(ToPyString("<unavailable>"));
  }
  if (!text) return nullptr;
  return PyUnicode_FromFormat("<tf.Variable %R shape=%U dtype=%s, %s=%U>",
                              self->name, shape.get(), dtype.c_str(),
                              HasNumpyValue(self->dtype) ? "numpy" : "value",
                              text.get());
}

// Variables of plain graphs, which sessions run, may be keys.
Py_hash_t Hash(PyObject* o) {
  const Tensor& handle = Self(o)->handle;
  bool compares_identity = version_one.compares_identity;
  if (handle && handle.is_symbolic()) {
    const FuncGraph* f = FuncGraph::Of(Graph::GraphOf(handle));
    compares_identity |= f != nullptr && !f->is_function();
  }
  if (compares_identity) return reinterpret_cast<Py_hash_t>(o) >> 4;
  PyErr_Format(PyExc_TypeError,
               "Variable is unhashable. Instead, use variable.ref() as the "
               "key. (Variable: %R)",
               o);
  return -1;
}

// Conversions of a scalar value go through the value's own.
PyRef ValueObject(PyObject* o) { return PyRef::Steal(Value(o, nullptr)); }
PyObject* AsInt(PyObject* o) {
  PyRef v = ValueObject(o);
  return v ? PyNumber_Long(v.get()) : nullptr;
}
PyObject* AsFloat(PyObject* o) {
  PyRef v = ValueObject(o);
  return v ? PyNumber_Float(v.get()) : nullptr;
}
PyObject* AsIndex(PyObject* o) {
  PyRef v = ValueObject(o);
  return v ? PyNumber_Index(v.get()) : nullptr;
}
PyObject* AsComplex(PyObject* o, PyObject*) {
  PyRef v = ValueObject(o);
  return v ? PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyComplex_Type),
                                 v.get())
           : nullptr;
}

PyGetSetDef getset[] = {
    {"handle", Guarded<Handle>, nullptr, "The resource tensor.", nullptr},
    {"_handle", Guarded<Handle>, nullptr, nullptr, nullptr},
    {"dtype", Guarded<DType>, nullptr, "The type of the elements.", nullptr},
    {"shape", Guarded<Shape>, nullptr, "The static shape.", nullptr},
    {"name", Guarded<Name>, nullptr, "The name, with \":0\".", nullptr},
    {"trainable", Guarded<Trainable>, nullptr, "Do tapes watch it?", nullptr},
    {"_trainable", Guarded<Trainable>, SetTrainable, nullptr, nullptr},
    {"__array_priority__", Guarded<ArrayPriority>, nullptr, nullptr, nullptr},
    {"_origin", Guarded<Origin>, nullptr, nullptr, nullptr},
    {"_graph_element", Guarded<GraphElement>, nullptr, nullptr, nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr,
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

#define METHOD(f) AsCFunction(Guarded<f>)
PyMethodDef methods[] = {
    {"_unread", Guarded<UnreadMethod>, METH_NOARGS, nullptr},
    {"value", Guarded<Value>, METH_NOARGS,
     "value($self)\n--\n\n"
     "The current value."},
    {"read_value", Guarded<ReadValue>, METH_NOARGS,
     "read_value($self)\n--\n\n"
     "The value now, which later assignments leave alone.\n\n"
     ">>> tf.Variable([1, 2]).read_value().numpy().tolist()\n"
     "[1, 2]"},
    {"numpy", Guarded<Numpy>, METH_NOARGS,
     "numpy($self)\n--\n\n"
     "The value as a NumPy array or scalar."},
    {"assign", METHOD(AssignMethod<kAssign>), METH_VARARGS | METH_KEYWORDS,
     "assign($self, value, use_locking=False, name=None, "
     "read_value=True)\n--\n\n"
     "Sets the value."},
    {"assign_add", METHOD(AssignMethod<kAdd>), METH_VARARGS | METH_KEYWORDS,
     "assign_add($self, delta, use_locking=False, name=None, "
     "read_value=True)\n--\n\n"
     "Adds to the value."},
    {"assign_sub", METHOD(AssignMethod<kSub>), METH_VARARGS | METH_KEYWORDS,
     "assign_sub($self, delta, use_locking=False, name=None, "
     "read_value=True)\n--\n\n"
     "Subtracts from the value."},
    {"__array__", METHOD(Array), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__tf_tensor__", METHOD(TfTensor), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__complex__", Guarded<AsComplex>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
#undef METHOD

PyMemberDef members[] = {{"__weaklistoffset__", T_PYSSIZET,
                          offsetof(PyVariable, weakrefs), READONLY, nullptr},
                         {"__dictoffset__", T_PYSSIZET,
                          offsetof(PyVariable, dict), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};

}  // namespace

std::vector<PyType_Slot> UnreadVariableSlots() {
  return {{Py_tp_dealloc, Slot<DeallocUnread>()}};
}

bool AddVariableType(PyObject* module) {
  std::vector<PyType_Slot> slots;
  for (PyType_Slot* table :
       {variable_operator_slots, variable_in_place_slots}) {
    for (; table->slot != 0; ++table) slots.push_back(*table);
  }
#define SLOT(id, f) slots.push_back({id, Slot<f>()})
  SLOT(Py_tp_new, New);
  SLOT(Py_tp_dealloc, Dealloc);
  SLOT(Py_tp_traverse, Traverse);
  SLOT(Py_tp_clear, Clear);
  SLOT(Py_tp_repr, Repr);
  SLOT(Py_tp_hash, Hash);
  SLOT(Py_nb_int, AsInt);
  SLOT(Py_nb_float, AsFloat);
  SLOT(Py_nb_index, AsIndex);
  SLOT(Py_tp_members, members);
  slots.push_back(
      {Py_tp_doc,
       Doc("What all variables are: a handle of a value and its type.")});
#undef SLOT
  slots.push_back({Py_tp_getset, JoinedTables(&PyGetSetDef::name, getset,
                                              variable_properties)});
  PyMethodDef* const all_methods =
      JoinedTables(&PyMethodDef::ml_name, methods, variable_methods);
  slots.push_back({Py_tp_methods, all_methods});
  slots.push_back({0, nullptr});
  PyType_Spec spec = {
      "graphkiln._graphkiln.BaseVariable", sizeof(PyVariable), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
      slots.data()};
  BaseVariableType = AddTrackableKind(module, &spec, AbstractTensorType);
  unread_name = PyUnicode_InternFromString("UnreadVariable");
  return BaseVariableType != nullptr && unread_name != nullptr &&
         MakeFunctionLike(BaseVariableType, all_methods) &&
         PyModule_AddFunctions(module, variable_functions) == 0 &&
         AddVariableClasses(module);
}

}  // namespace gk::py
