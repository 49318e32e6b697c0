// Methods and functions of one argument, which may be given by name.
#ifndef GK_PYTHON_ONLY_ARGUMENT_H_
#define GK_PYTHON_ONLY_ARGUMENT_H_

#include "python/src/binding/guarded.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {

// For a table of methods: kFunction(self, the argument called kName).
template <auto& kName, auto kFunction>
PyObject* OfArgument(PyObject* self, PyObject* args, PyObject* kwargs) {
  const char* names[] = {kName, nullptr};
  PyObject* value;
  return PyArg_ParseTupleAndKeywords(args, kwargs, "O",
                                     const_cast<char**>(names), &value)
             ? kFunction(self, value)
             : nullptr;
}
template <auto& kName, auto kFunction>
PyCFunction const OnlyArgument =
    AsCFunction(Guarded<OfArgument<kName, kFunction>>);

}  // namespace gk::py

// Entry of a table of methods, after its name.
#define GK_OF_ARGUMENT(name, function) \
  ::gk::py::OnlyArgument<name, function>, METH_VARARGS | METH_KEYWORDS

#endif  // GK_PYTHON_ONLY_ARGUMENT_H_
