#include "python/src/binding/dict_object.h"

#include <cstddef>

#include "python/src/binding/guarded.h"

// clang-format off: it needs Python.h before it.
#include <structmember.h>
// clang-format on

namespace gk::py {
namespace {

DictObject* Self(PyObject* o) { return reinterpret_cast<DictObject*>(o); }

void Dealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  PyObject_GC_UnTrack(o);
  if (Self(o)->weakrefs != nullptr) PyObject_ClearWeakRefs(o);
  Py_CLEAR(Self(o)->dict);
  type->tp_free(o);
  Py_DECREF(type);
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

PyMemberDef members[] = {{"__weaklistoffset__", T_PYSSIZET,
                          offsetof(DictObject, weakrefs), READONLY, nullptr},
                         {"__dictoffset__", T_PYSSIZET,
                          offsetof(DictObject, dict), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};

}  // namespace

PyTypeObject* AddDictType(PyObject* module, const char* name, const char* doc,
                          std::vector<PyType_Slot> slots, PyTypeObject* base) {
  slots.push_back({Py_tp_doc, Doc(doc)});
  if (base == nullptr) {
    slots.push_back({Py_tp_new, PlainSlot(PyType_GenericNew)});
    slots.push_back({Py_tp_dealloc, Slot<Dealloc>()});
    slots.push_back({Py_tp_traverse, Slot<Traverse>()});
    slots.push_back({Py_tp_clear, Slot<Clear>()});
    slots.push_back({Py_tp_members, Slot<members>()});
  }
  slots.push_back({0, nullptr});
  const std::string full = std::string("graphkiln._graphkiln.") + name;
  // What has a base is collected as that is.
  unsigned flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
  if (base == nullptr) flags |= Py_TPFLAGS_HAVE_GC;
  PyType_Spec spec = {full.c_str(), sizeof(DictObject), 0, flags, slots.data()};
  return AddType(module, &spec, base);
}

}  // namespace gk::py
