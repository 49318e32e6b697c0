// Attributes of Python's trackable objects: what is set is tracked, and lists,
// dictionaries and tuples become those that know what is in them. Plain values,
// which most are, cost no call of Python.
#include <nanobind/nanobind.h>

#include "python/src/binding/class_attribute.h"
#include "python/src/binding/imported_once.h"
#include "python/src/checkpoint/checkpoint.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

constexpr const char* kModule = "graphkiln._src.checkpoint.tracked_containers";

bool IsPlain(PyObject* o) {
  PyTypeObject* const type = Py_TYPE(o);
  return o == Py_None || type == &PyBool_Type || type == &PyLong_Type ||
         type == &PyFloat_Type || type == &PyUnicode_Type ||
         type == &PyBytes_Type || type == &PyFunction_Type || IsTensor(o);
}

// -1 with an exception.
int MayBeTracked(PyObject* o) {
  if (PyTuple_CheckExact(o)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o); ++i) {
      if (!IsPlain(PyTuple_GET_ITEM(o, i))) return 1;
    }
    return 0;
  }
  if (PyTuple_Check(o) || PyList_CheckExact(o) || PyDict_CheckExact(o) ||
      PyODict_CheckExact(o) || IsVariable(o) ||
      Attribute<"_trackable_children">(Py_TYPE(o)) != nullptr) {
    return 1;
  }
  static constinit ImportedOnce unwrapped(kModule, "NoDependency");
  static constinit ImportedOnce trackable(kModule, "Trackable");
  for (ImportedOnce* cls : {&unwrapped, &trackable}) {
    PyObject* const known = cls->Get();
    const int is = known ? PyObject_IsInstance(o, known) : -1;
    if (is != 0) return is;
  }
  return 0;
}

// 1 if it is so already; -1 with an exception.
int IsAttribute(PyObject* self, PyObject* name, PyObject* value) {
  PyRef known = PyRef::Steal(PyObject_GetAttr(self, name));
  if (known) return known.get() == value;
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
  PyErr_Clear();
  return 0;
}

int Tracks(PyObject* self) {
  PyRef tracks = Get<"_self_setattr_tracking">(self);
  if (tracks) return PyObject_IsTrue(tracks.get());
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
  PyErr_Clear();
  return 1;
}

// __setattr__(name, value)
PyObject* SetTrackedAttribute(PyObject* self, PyObject* const* args,
                              Py_ssize_t n) {
  if (n != 2) {
    return PyErr_Format(PyExc_TypeError, "expected 2 arguments, got %zd", n);
  }
  PyObject *name = args[0], *value = args[1];
  int tracked = IsPlain(value) ? 0 : MayBeTracked(value);
  PyRef kept = PyRef::Share(value);
  if (tracked > 0) {
    const int same = IsAttribute(self, name, value);
    if (same < 0) return nullptr;
    if (same > 0) return Py_NewRef(Py_None);
    tracked = Tracks(self);
  }
  if (tracked < 0) return nullptr;
  if (tracked > 0) {
    static constinit ImportedOnce track(kModule, "sticky_attribute_assignment");
    PyObject* const function = track.Get();
    if (function == nullptr) return nullptr;
    kept = PyRef::Steal(
        PyObject_CallFunctionObjArgs(function, self, name, value, nullptr));
    if (!kept) return nullptr;
  }
  if (PyObject_GenericSetAttr(self, name, kept.get()) < 0) return nullptr;
  return Py_NewRef(Py_None);
}

PyMethodDef set_method = {
    "__setattr__",
    reinterpret_cast<PyCFunction>(
        reinterpret_cast<void (*)()>(SetTrackedAttribute)),
    METH_FASTCALL, "Sets an attribute and tracks it."};

}  // namespace

void AddTrackedAttributes(nb::module_& m) {
  // A method of any object: classes of Python's take it as theirs.
  m.attr("_set_tracked_attribute") =
      nb::steal(PyDescr_NewMethod(&PyBaseObject_Type, &set_method));
}

}  // namespace gk::py
