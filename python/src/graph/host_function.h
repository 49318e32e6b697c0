// Nodes of graphs that call Python functions.
//
// A node has a token; graphkiln/_py_function.py knows the function. A value
// of variant type goes through a graph as the Python object that it holds.
#ifndef GK_PYTHON_HOST_FUNCTION_H_
#define GK_PYTHON_HOST_FUNCTION_H_

#include <nanobind/nanobind.h>

namespace gk::py {

// From now on EagerPyFunc and PyFunc find their functions. Adds
// _stop_background_work, for the end of the program.
void InstallHostFunctions(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_HOST_FUNCTION_H_
