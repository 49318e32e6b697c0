// Profiles and reports of memory of one function, as Python shows them.
#ifndef GK_PYTHON_FUNCTION_PROFILE_H_
#define GK_PYTHON_FUNCTION_PROFILE_H_

#include <nanobind/nanobind.h>

namespace gk::py {

// Calls `callable`, of which `concrete` is the trace that serves the call. New
// reference to what tells of it.
PyObject* ProfileOfCall(nanobind::handle concrete, PyObject* callable,
                        PyObject* args, PyObject* kwargs);
// The same of a ConcreteFunction, and its memory: methods.
PyObject* ProfileConcrete(PyObject* concrete, PyObject* args, PyObject* kwargs);
PyObject* MemoryOfConcrete(PyObject* concrete, PyObject*);

void AddFunctionProfile(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_FUNCTION_PROFILE_H_
