#include "python/src/checkpoint/trackable_type.h"

namespace gk::py {

PyTypeObject* TrackableType = nullptr;

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
