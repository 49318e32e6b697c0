#include "python/src/checkpoint/trackable_type.h"

#include "python/src/binding/guarded.h"

namespace gk::py {

PyTypeObject* TrackableType = nullptr;

namespace {

// Of objects that are no more than that: those of the class itself have no room
// for what they are told, which the core's kinds have no use for.
PyTypeObject* PlainType() {
  static PyObject* const made =
      PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(O){}",
                            TrackableType->tp_name, TrackableType);
  return reinterpret_cast<PyTypeObject*>(made);
}

PyObject* New(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  const bool given = PyTuple_GET_SIZE(args) > 0 ||
                     (kwargs != nullptr && PyDict_GET_SIZE(kwargs) > 0);
  if (given && type->tp_init == PyBaseObject_Type.tp_init) {
    PyErr_Format(PyExc_TypeError, "%s() takes no arguments", type->tp_name);
    return nullptr;
  }
  if (type == TrackableType) type = PlainType();
  PyRef none = PyRef::Steal(PyTuple_New(0));
  if (type == nullptr || !none) return nullptr;
  return PyBaseObject_Type.tp_new(type, none.get(), nullptr);
}

}  // namespace

bool AddTrackableType(PyObject* module) {
  static PyType_Slot slots[] = {
      {Py_tp_new, Slot<New>()},
      {Py_tp_doc,
       const_cast<char*>("Base of objects that checkpoints and saved models "
                         "hold.")},
      {0, nullptr}};
  PyType_Spec spec = {"graphkiln.__internal__.tracking.Trackable",
                      sizeof(PyObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  TrackableType = AddType(module, &spec, nullptr);
  return TrackableType != nullptr;
}

PyTypeObject* AddTrackableKind(PyObject* module, PyType_Spec* spec,
                               PyTypeObject* base) {
  PyRef bases = PyRef::Steal(PyTuple_Pack(2, base, TrackableType));
  if (!bases) return nullptr;
  // Python takes a tuple of bases in the place of one.
  return AddType(module, spec, reinterpret_cast<PyTypeObject*>(bases.get()));
}

}  // namespace gk::py
