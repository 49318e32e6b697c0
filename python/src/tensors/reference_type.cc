#include "python/src/tensors/reference_type.h"

#include <structmember.h>  // after Python.h

#include <cstddef>
#include <functional>

#include "python/src/binding/guarded.h"
#include "python/src/binding/type_parts.h"

namespace gk::py {
namespace {

struct PyReference {
  PyObject_HEAD;
  PyObject* wrapped;
  PyObject* weakrefs;
};
PyTypeObject* type = nullptr;
PyReference* Self(PyObject* o) { return reinterpret_cast<PyReference*>(o); }

PyObject* Deref(PyObject* o, PyObject*) { return Py_NewRef(Self(o)->wrapped); }
PyObject* Compare(PyObject* a, PyObject* b, int op) {
  if (Py_TYPE(b) != type || op == Py_LE || op == Py_GE) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  // In some order: keys of dictionaries get sorted.
  const std::less<> less;
  PyObject *const x = Self(a)->wrapped, *const y = Self(b)->wrapped;
  if (op == Py_LT) return PyBool_FromLong(less(x, y));
  if (op == Py_GT) return PyBool_FromLong(less(y, x));
  return PyBool_FromLong((x == y) == (op == Py_EQ));
}
Py_hash_t Hash(PyObject* o) { return _Py_HashPointer(Self(o)->wrapped); }
PyObject* Repr(PyObject* o) {
  return PyUnicode_FromFormat("<Reference wrapping %R>", Self(o)->wrapped);
}

int Traverse(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(o));
  Py_VISIT(Self(o)->wrapped);
  return 0;
}
void Dealloc(PyObject* o) {
  PyTypeObject* own = Py_TYPE(o);
  PyObject_GC_UnTrack(o);
  if (Self(o)->weakrefs != nullptr) PyObject_ClearWeakRefs(o);
  Py_CLEAR(Self(o)->wrapped);
  own->tp_free(o);
  Py_DECREF(own);
}

PyObject* New(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  PyObject* wrapped;
  if (!ParseArguments(args, kwargs, "O:Reference", {"wrapped"}, &wrapped)) {
    return nullptr;
  }
  return NewReference(wrapped);
}

PyMethodDef methods[] = {
    {"deref", Guarded<Deref>, METH_NOARGS,
     "deref($self)\n--\n\n"
     "The object itself."},
    {nullptr, nullptr, 0, nullptr}};
PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PyReference, weakrefs),
     READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot slots[] = {
    {Py_tp_doc, Doc("Compares and hashes by the identity of what it wraps.")},
    {Py_tp_new, Slot<New>()},
    {Py_tp_dealloc, Slot<Dealloc>()},
    {Py_tp_traverse, Slot<Traverse>()},
    {Py_tp_richcompare, Slot<Compare>()},
    {Py_tp_hash, Slot<Hash>()},
    {Py_tp_repr, Slot<Repr>()},
    {Py_tp_methods, Slot<methods>()},
    {Py_tp_members, Slot<members>()},
    {0, nullptr}};
PyType_Spec spec = {"graphkiln.Reference", sizeof(PyReference), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};

}  // namespace

PyObject* NewReference(PyObject* wrapped) {
  PyObject* o = type->tp_alloc(type, 0);
  if (o != nullptr) Self(o)->wrapped = Py_NewRef(wrapped);
  return o;
}

bool AddReferenceType(PyObject* module) {
  type = AddType(module, &spec, nullptr);
  return type != nullptr;
}

}  // namespace gk::py
