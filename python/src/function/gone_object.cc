#include "python/src/function/gone_object.h"

#include "python/src/binding/guarded.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {
namespace {

struct PyGone {
  PyObject_HEAD;
  PyObject* method;
};
PyTypeObject* type = nullptr;

PyObject* Refuse(PyObject* o) {
  return PyErr_Format(
      PyExc_ReferenceError,
      "The object that the method %U is bound to has been deleted. A "
      "tf.function holds it weakly: keep the object while its method is in "
      "use.",
      reinterpret_cast<PyGone*>(o)->method);
}
PyObject* RefuseOf(PyObject* o, PyObject*) { return Refuse(o); }
PyObject* RefuseCall(PyObject* o, PyObject*, PyObject*) { return Refuse(o); }
int RefuseSetting(PyObject* o, PyObject*, PyObject*) {
  Refuse(o);
  return -1;
}
Py_ssize_t RefuseLength(PyObject* o) {
  Refuse(o);
  return -1;
}

void DeallocGone(PyObject* o) {
  PyTypeObject* own = Py_TYPE(o);
  Py_XDECREF(reinterpret_cast<PyGone*>(o)->method);
  own->tp_free(o);
  Py_DECREF(own);
}

PyType_Slot kGoneSlots[] = {{Py_tp_dealloc, Slot<DeallocGone>()},
                       {Py_tp_getattro, Slot<RefuseOf>()},
                       {Py_tp_setattro, Slot<RefuseSetting>()},
                       {Py_tp_call, Slot<RefuseCall>()},
                       {Py_tp_iter, Slot<Refuse>()},
                       {Py_mp_subscript, Slot<RefuseOf>()},
                       {Py_mp_length, Slot<RefuseLength>()},
                       {0, nullptr}};
PyType_Spec spec = {
    "graphkiln._Gone", sizeof(PyGone), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, kGoneSlots};

}  // namespace

nanobind::object GoneObject(const std::string& method) {
  auto* gone = PyObject_New(PyGone, type);
  if (gone == nullptr) throw nanobind::python_error();
  gone->method = ToPyString(method);
  return nanobind::steal(reinterpret_cast<PyObject*>(gone));
}

bool AddGoneObject(PyObject* module) {
  type = AddType(module, &spec, nullptr);
  return type != nullptr;
}

}  // namespace gk::py
