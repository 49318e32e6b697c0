#include "python/src/tensors/overridable_operators.h"

#include "python/src/binding/guarded.h"
#include "python/src/binding/package_parts.h"
#include "python/src/tensors/tensor_type.h"

namespace gk::py {
namespace {

struct PyOperator {
  PyObject_HEAD;
  PyObject* own;   // of tensors
  PyObject* name;  // "__add__"
};
PyOperator* OperatorOf(PyObject* o) { return reinterpret_cast<PyOperator*>(o); }

PyObject* CallOperator(PyObject* o, PyObject* args, PyObject* kwargs) {
  if (PyTuple_GET_SIZE(args) == 0 || IsTensor(PyTuple_GET_ITEM(args, 0))) {
    return PyObject_Call(OperatorOf(o)->own, args, kwargs);
  }
  PyRef of_others =
      PyRef::Steal(package::of_others.Call({OperatorOf(o)->name}));
  return of_others ? PyObject_Call(of_others.get(), args, kwargs) : nullptr;
}

PyObject* BindOperator(PyObject* o, PyObject* instance, PyObject*) {
  if (instance == nullptr || instance == Py_None) return Py_NewRef(o);
  return PyMethod_New(o, instance);
}

void DeallocOperator(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  Py_CLEAR(OperatorOf(o)->own);
  Py_CLEAR(OperatorOf(o)->name);
  type->tp_free(o);
  Py_DECREF(type);
}

PyObject* OperatorName(PyObject* o, void*) {
  return Py_NewRef(OperatorOf(o)->name);
}
PyObject* OperatorDocument(PyObject* o, void*) {
  return PyObject_GetAttrString(OperatorOf(o)->own, "__doc__");
}
PyObject* OperatorOwner(PyObject* o, void*) {
  return PyObject_GetAttrString(OperatorOf(o)->own, "__objclass__");
}
PyObject* OperatorSignature(PyObject* o, void*) {
  return PyObject_GetAttrString(OperatorOf(o)->own, "__text_signature__");
}
PyObject* OperatorText(PyObject* o) {
  return PyUnicode_FromFormat("<operator '%U' of 'Tensor' objects>",
                              OperatorOf(o)->name);
}

PyGetSetDef operator_attributes[] = {
    {"__name__", Guarded<OperatorName>, nullptr, nullptr, nullptr},
    {"__qualname__", Guarded<OperatorName>, nullptr, nullptr, nullptr},
    {"__doc__", Guarded<OperatorDocument>, nullptr, nullptr, nullptr},
    {"__objclass__", Guarded<OperatorOwner>, nullptr, nullptr, nullptr},
    {"__text_signature__", Guarded<OperatorSignature>, nullptr, nullptr,
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject* OperatorType() {
  static PyType_Slot slots[] = {{Py_tp_call, Slot<CallOperator>()},
                                {Py_tp_descr_get, Slot<BindOperator>()},
                                {Py_tp_dealloc, Slot<DeallocOperator>()},
                                {Py_tp_repr, Slot<OperatorText>()},
                                {Py_tp_getset, operator_attributes},
                                {0, nullptr}};
  static PyType_Spec spec = {"graphkiln._graphkiln._Operator",
                             sizeof(PyOperator), 0, Py_TPFLAGS_DEFAULT, slots};
  static constinit MadeOnce type;
  return reinterpret_cast<PyTypeObject*>(
      type.Get([] { return PyType_FromSpec(&spec); }));
}

}  // namespace

bool AddOverridableOperators() {
  PyTypeObject* const cls = OperatorType();
  PyTypeObject* const type = TensorType;
  PyRef names = PyRef::Steal(PyObject_GetAttrString(
      reinterpret_cast<PyObject*>(type), "OVERLOADABLE_OPERATORS"));
  PyRef each = PyRef::Steal(names ? PyObject_GetIter(names.get()) : nullptr);
  if (cls == nullptr || !each) return false;
  while (PyRef name = PyRef::Steal(PyIter_Next(each.get()))) {
    PyObject* own = PyDict_GetItem(type->tp_dict, name.get());
    if (own == nullptr) continue;
    PyRef made = PyRef::Steal(cls->tp_alloc(cls, 0));
    if (!made) return false;
    OperatorOf(made.get())->own = Py_NewRef(own);
    OperatorOf(made.get())->name = Py_NewRef(name.get());
    // Past the type's own assignment, which would have operators go this way.
    if (PyDict_SetItem(type->tp_dict, name.get(), made.get()) < 0) return false;
  }
  PyType_Modified(type);
  return !PyErr_Occurred();
}

}  // namespace gk::py
