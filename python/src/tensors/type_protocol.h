// What data types and shapes have as types of arguments of traces: they stand
// for no tensors.
#ifndef GK_PYTHON_TYPE_PROTOCOL_H_
#define GK_PYTHON_TYPE_PROTOCOL_H_

#include "python/src/binding/only_argument.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {

inline PyObject* NoTensors(PyObject*, PyObject*) { return PyList_New(0); }
inline PyObject* NoValue(PyObject*, PyObject*) { Py_RETURN_NONE; }

// cast(value, casting_context): `value` if it is this one.
inline PyObject* CastToSelf(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"value", "cast_context", nullptr};
  PyObject *value, *context;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO:cast",
                                   const_cast<char**>(names), &value,
                                   &context)) {
    return nullptr;
  }
  const int same = Py_TYPE(value) == Py_TYPE(self)
                       ? PyObject_RichCompareBool(self, value, Py_EQ)
                       : 0;
  if (same < 0) return nullptr;
  if (same) return Py_NewRef(value);
  PyErr_Format(PyExc_AssertionError, "Can not cast %R to type %R", value,
               self);
  return nullptr;
}

inline constexpr char kTypeValue[] = "value", kTypeTensors[] = "tensors",
                      kTypeContext[] = "placeholder_context";

}  // namespace gk::py

// Entries of a table of methods.
#define GK_TYPE_PROTOCOL_METHODS                                              \
  {"flatten", ::gk::py::NoTensors, METH_NOARGS,                               \
   "flatten($self)\n--\n\n"                                                   \
   "The types of the tensors: none."},                                        \
      {"to_tensors", GK_OF_ARGUMENT(::gk::py::kTypeValue,                     \
                                    ::gk::py::NoTensors),                     \
       "to_tensors($self, value)\n--\n\n"                                     \
       "The tensors of a value: none."},                                      \
      {"from_tensors", GK_OF_ARGUMENT(::gk::py::kTypeTensors,                 \
                                      ::gk::py::NoValue),                     \
       "from_tensors($self, tensors)\n--\n\n"                                 \
       "No value is made of tensors."},                                       \
      {"placeholder_value", GK_OF_ARGUMENT(::gk::py::kTypeContext,            \
                                           ::gk::py::NoValue),                \
       "placeholder_value($self, placeholder_context)\n--\n\n"                \
       "No value stands for one of these."},                                  \
      {"cast", ::gk::py::AsCFunction(::gk::py::CastToSelf),                   \
       METH_VARARGS | METH_KEYWORDS,                                          \
       "cast($self, value, cast_context)\n--\n\n"                             \
       "`value` if it is this one; AssertionError if not."}

#endif  // GK_PYTHON_TYPE_PROTOCOL_H_
