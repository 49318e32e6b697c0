// What data types and shapes have as types of arguments of traces: they stand
// for no tensors.
#ifndef GK_PYTHON_TYPE_PROTOCOL_H_
#define GK_PYTHON_TYPE_PROTOCOL_H_

#include "python/src/binding/py_ref.h"

namespace gk::py {

inline PyObject* NoTensors(PyObject*, PyObject*) { return PyList_New(0); }
inline PyObject* NoValue(PyObject*, PyObject*) { Py_RETURN_NONE; }

// cast(value, casting_context): `value` if it is this one.
inline PyObject* CastToSelf(PyObject* self, PyObject* const* args,
                            Py_ssize_t count) {
  if (count != 2) {
    PyErr_SetString(PyExc_TypeError, "cast takes a value and a context");
    return nullptr;
  }
  const int same = Py_TYPE(args[0]) == Py_TYPE(self)
                       ? PyObject_RichCompareBool(self, args[0], Py_EQ)
                       : 0;
  if (same < 0) return nullptr;
  if (same) return Py_NewRef(args[0]);
  PyErr_Format(PyExc_AssertionError, "Can not cast %R to type %R", args[0],
               self);
  return nullptr;
}

}  // namespace gk::py

// Entries of a table of methods.
#define GK_TYPE_PROTOCOL_METHODS                                              \
  {"flatten", ::gk::py::NoTensors, METH_NOARGS,                               \
   "flatten($self)\n--\n\n"                                                   \
   "The types of the tensors: none."},                                        \
      {"to_tensors", ::gk::py::NoTensors, METH_O,                             \
       "to_tensors($self, value, /)\n--\n\n"                                  \
       "The tensors of a value: none."},                                      \
      {"from_tensors", ::gk::py::NoValue, METH_O,                             \
       "from_tensors($self, tensors, /)\n--\n\n"                              \
       "No value is made of tensors."},                                       \
      {"placeholder_value", ::gk::py::NoValue, METH_O,                        \
       "placeholder_value($self, placeholder_context, /)\n--\n\n"             \
       "No value stands for one of these."},                                  \
      {"cast", ::gk::py::AsCFunction(::gk::py::CastToSelf), METH_FASTCALL,    \
       "cast($self, value, cast_context, /)\n--\n\n"                          \
       "`value` if it is this one; AssertionError if not."}

#endif  // GK_PYTHON_TYPE_PROTOCOL_H_
