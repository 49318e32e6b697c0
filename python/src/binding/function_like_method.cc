#include "python/src/binding/function_like_method.h"

#include <cstddef>
#include <string_view>

#include "python/src/binding/package_parts.h"
#include "python/src/binding/py_ref.h"

// clang-format off: it needs Python.h before it.
#include <structmember.h>
// clang-format on

namespace gk::py {
namespace {

struct FunctionLikeMethod {
  PyObject_HEAD;
  vectorcallfunc vectorcall;
  PyObject* method;    // the method_descriptor
  PyObject* function;  // one of Python's that calls it, or null so far
};

FunctionLikeMethod* Self(PyObject* o) {
  return reinterpret_cast<FunctionLikeMethod*>(o);
}
PyObject* MethodOf(PyObject* o) { return Self(o)->method; }

PyObject* Call(PyObject* o, PyObject* const* args, size_t n, PyObject* names) {
  return PyObject_Vectorcall(MethodOf(o), args, n, names);
}

PyObject* Bound(PyObject* o, PyObject* object, PyObject* type) {
  if (object == nullptr) return Py_NewRef(o);
  PyObject* const method = MethodOf(o);
  return Py_TYPE(method)->tp_descr_get(method, object, type);
}

PyObject* GetAttribute(PyObject* o, PyObject* name) {
  const char* const text = PyUnicode_AsUTF8(name);
  if (text == nullptr) return nullptr;
  const std::string_view asked = text;
  if (asked == "__class__") {
    return Py_NewRef(reinterpret_cast<PyObject*>(&PyFunction_Type));
  }
  if (asked == "__module__") {
    PyRef type =
        PyRef::Steal(PyObject_GetAttrString(MethodOf(o), "__objclass__"));
    return type ? PyObject_GetAttr(type.get(), name) : nullptr;
  }
  PyObject* found = PyObject_GetAttr(MethodOf(o), name);
  if (found != nullptr || !PyErr_ExceptionMatches(PyExc_AttributeError)) {
    return found;
  }
  PyErr_Clear();  // `__code__`, `__defaults__`
  if (Self(o)->function == nullptr) {
    Self(o)->function = package::function_of_method.Call({MethodOf(o)});
    if (Self(o)->function == nullptr) return nullptr;
  }
  return PyObject_GetAttr(Self(o)->function, name);
}

PyObject* Repr(PyObject* o) { return PyObject_Repr(MethodOf(o)); }

void Dealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  Py_DECREF(MethodOf(o));
  Py_CLEAR(Self(o)->function);
  type->tp_free(o);
  Py_DECREF(type);
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET,
     offsetof(FunctionLikeMethod, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

template <class F>
void* Slot(F* f) {
  return reinterpret_cast<void*>(f);
}

PyTypeObject* MethodType() {
  static PyTypeObject* const type = [] {
    PyType_Slot slots[] = {{Py_tp_call, Slot(PyVectorcall_Call)},
                           {Py_tp_descr_get, Slot(Bound)},
                           {Py_tp_getattro, Slot(GetAttribute)},
                           {Py_tp_repr, Slot(Repr)},
                           {Py_tp_dealloc, Slot(Dealloc)},
                           {Py_tp_members, members},
                           {0, nullptr}};
    PyType_Spec spec = {"graphkiln._graphkiln.FunctionLikeMethod",
                        sizeof(FunctionLikeMethod), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                            Py_TPFLAGS_METHOD_DESCRIPTOR |
                            Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        slots};
    return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  }();
  return type;
}

}  // namespace

bool MakeFunctionLike(PyTypeObject* type, const PyMethodDef* table) {
  PyTypeObject* const made = MethodType();
  if (made == nullptr) return false;
  for (; table->ml_name != nullptr; ++table) {
    if (table->ml_flags != (METH_VARARGS | METH_KEYWORDS) ||
        std::string_view(table->ml_name).starts_with("__")) {
      continue;
    }
    PyRef method = PyRef::Steal(PyObject_GetAttrString(
        reinterpret_cast<PyObject*>(type), table->ml_name));
    PyRef like = PyRef::Steal(method ? made->tp_alloc(made, 0) : nullptr);
    if (!like) return false;
    Self(like.get())->vectorcall = Call;
    Self(like.get())->method = method.Release();
    if (PyObject_SetAttrString(reinterpret_cast<PyObject*>(type),
                               table->ml_name, like.get()) < 0) {
      return false;
    }
  }
  return true;
}

}  // namespace gk::py
