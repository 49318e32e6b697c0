// Methods and functions of one argument, which may be given by name.
#ifndef GK_PYTHON_ONLY_ARGUMENT_H_
#define GK_PYTHON_ONLY_ARGUMENT_H_

#include "python/src/binding/guarded.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {

// Of a call by METH_FASTCALL | METH_KEYWORDS: the argument called `name`,
// borrowed. Null with a TypeError if there is another, or none.
PyObject* TheArgument(const char* name, PyObject* const* args,
                      Py_ssize_t count, PyObject* keywords);

// For a table of methods: kFunction(self, the argument called kName).
template <auto& kName, auto kFunction>
PyObject* OfArgument(PyObject* self, PyObject* const* args, Py_ssize_t count,
                     PyObject* keywords) {
  PyObject* value = TheArgument(kName, args, count, keywords);
  return value != nullptr ? kFunction(self, value) : nullptr;
}
template <auto& kName, auto kFunction>
PyCFunction const OnlyArgument =
    AsCFunction(Guarded<OfArgument<kName, kFunction>>);

}  // namespace gk::py

// Entry of a table of methods, after its name.
#define GK_OF_ARGUMENT(name, function) \
  ::gk::py::OnlyArgument<name, function>, METH_FASTCALL | METH_KEYWORDS

#endif  // GK_PYTHON_ONLY_ARGUMENT_H_
