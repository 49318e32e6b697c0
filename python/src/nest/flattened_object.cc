#include "python/src/nest/flattened_object.h"

#include "python/src/binding/class_attribute.h"

namespace gk::py {

PyRef OwnMetadata(PyObject* o) {
  if (PyAnySet_Check(o) && Py_TYPE(o) == &PySet_Type) {
    return PyRef::Steal(PySet_New(o));
  }
  const bool list = PyList_CheckExact(o), tuple = PyTuple_CheckExact(o);
  if (!list && !tuple && !PyDict_CheckExact(o)) return PyRef::Share(o);
  if (Py_EnterRecursiveCall(" in metadata")) return {};
  PyRef own;
  if (PyDict_CheckExact(o)) {
    own = PyRef::Steal(PyDict_New());
    PyObject *key, *value;
    for (Py_ssize_t at = 0; own && PyDict_Next(o, &at, &key, &value);) {
      PyRef part = OwnMetadata(value);
      if (!part || PyDict_SetItem(own.get(), key, part.get()) < 0) own = {};
    }
  } else {
    own = PyRef::Steal(PySequence_List(o));
    for (Py_ssize_t i = 0; own && i < PyList_GET_SIZE(own.get()); ++i) {
      PyRef part = OwnMetadata(PyList_GET_ITEM(own.get(), i));
      if (!part || PyList_SetItem(own.get(), i, part.Release()) < 0) own = {};
    }
    if (own && tuple) own = PyRef::Steal(PyList_AsTuple(own.get()));
  }
  Py_LeaveRecursiveCall();
  return own;
}

PyRef PartsOfObject(PyObject* o) {
  PyRef method = Get<"__tf_flatten__">(o);
  PyRef parts =
      PyRef::Steal(method ? PyObject_CallNoArgs(method.get()) : nullptr);
  if (!parts) return {};
  if (!PyTuple_Check(parts.get()) || PyTuple_GET_SIZE(parts.get()) != 2) {
    PyErr_Format(PyExc_TypeError,
                 "%s.__tf_flatten__ must return (metadata, components), got "
                 "%R",
                 Py_TYPE(o)->tp_name, parts.get());
    return {};
  }
  return parts;
}

PyRef FlattenObject(PyObject* value) {
  PyRef parts = PartsOfObject(value);
  PyRef metadata =
      parts ? OwnMetadata(PyTuple_GET_ITEM(parts.get(), 0)) : PyRef();
  PyRef components = PyRef::Steal(
      metadata ? PySequence_Tuple(PyTuple_GET_ITEM(parts.get(), 1)) : nullptr);
  return PyRef::Steal(
      components ? PyTuple_Pack(2, metadata.get(), components.get()) : nullptr);
}

}  // namespace gk::py
