// What stands for `self` in a method whose object was collected: only code
// that does not touch it runs.
#ifndef GK_PYTHON_GONE_OBJECT_H_
#define GK_PYTHON_GONE_OBJECT_H_

#include <nanobind/nanobind.h>

#include <string>

namespace gk::py {

// `method`: what it was the object of, for the error.
nanobind::object GoneObject(const std::string& method);

bool AddGoneObject(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_GONE_OBJECT_H_
