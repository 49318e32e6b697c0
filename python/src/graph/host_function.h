// Python functions that nodes of graphs call (function/host_call.h).
#ifndef GK_PYTHON_HOST_FUNCTION_H_
#define GK_PYTHON_HOST_FUNCTION_H_

#include <nanobind/nanobind.h>

namespace gk::py {

// call_on_host, and _stop_background_work for the end of the program.
void AddHostFunctions(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_HOST_FUNCTION_H_
