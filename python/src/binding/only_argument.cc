#include "python/src/binding/only_argument.h"

namespace gk::py {

PyObject* TheArgument(const char* name, PyObject* const* args,
                      Py_ssize_t count, PyObject* keywords) {
  const Py_ssize_t named = keywords != nullptr ? PyTuple_GET_SIZE(keywords) : 0;
  if (count == 1 && named == 0) return args[0];
  if (count + named == 0) {
    PyErr_Format(PyExc_TypeError, "missing required argument: '%s'", name);
    return nullptr;
  }
  for (Py_ssize_t i = 0; i < named; ++i) {
    PyObject* keyword = PyTuple_GET_ITEM(keywords, i);
    if (PyUnicode_CompareWithASCIIString(keyword, name) != 0) {
      PyErr_Format(PyExc_TypeError,
                   "got an unexpected keyword argument '%U'; the argument is "
                   "'%s'",
                   keyword, name);
      return nullptr;
    }
  }
  if (count + named == 1) return args[0];
  PyErr_Format(PyExc_TypeError,
               "takes one argument, '%s', but %zd were given", name,
               count + named);
  return nullptr;
}

}  // namespace gk::py
