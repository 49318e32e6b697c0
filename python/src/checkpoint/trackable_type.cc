#include "python/src/checkpoint/trackable_type.h"

#include "python/src/binding/guarded.h"

namespace gk::py {

PyTypeObject* TrackableType = nullptr;

namespace {

// _complete_trackable(members): what the class does, by name.
PyObject* Complete(PyObject*, PyObject* members) {
  PyObject *name, *member;
  for (Py_ssize_t at = 0; PyDict_Next(members, &at, &name, &member);) {
    if (PyObject_SetAttr(reinterpret_cast<PyObject*>(TrackableType), name,
                         member) < 0) {
      return nullptr;
    }
  }
  Py_RETURN_NONE;
}

PyMethodDef complete[] = {
    {"_complete_trackable", Guarded<Complete>, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool AddTrackableType(PyObject* module) {
  static PyType_Slot slots[] = {
      {Py_tp_doc,
       const_cast<char*>("Base of objects that checkpoints and saved models "
                         "hold.")},
      {0, nullptr}};
  PyType_Spec spec = {"graphkiln.__internal__.tracking.Trackable",
                      sizeof(PyObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  TrackableType = AddType(module, &spec, nullptr);
  return TrackableType != nullptr &&
         PyModule_AddFunctions(module, complete) == 0;
}

PyTypeObject* AddTrackableKind(PyObject* module, PyType_Spec* spec,
                               PyTypeObject* base) {
  PyRef bases = PyRef::Steal(PyTuple_Pack(2, base, TrackableType));
  if (!bases) return nullptr;
  // Python takes a tuple of bases in the place of one.
  return AddType(module, spec, reinterpret_cast<PyTypeObject*>(bases.get()));
}

}  // namespace gk::py
