// The logger of the package, and its functions in tf.compat.v1.logging.
#ifndef GK_PYTHON_LOG_FUNCTIONS_H_
#define GK_PYTHON_LOG_FUNCTIONS_H_

#include <nanobind/nanobind.h>

#include <string_view>

#include "python/src/binding/py_ref.h"

namespace gk::py {

// A method of the logger, "warning". Null with an exception set.
PyRef LogMethod(const char* name);
// "info" if it is tf.compat.v1.logging.info; nothing if it is none of them.
std::string_view LogFunctionName(PyObject* function);

void AddLogFunctions(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_LOG_FUNCTIONS_H_
