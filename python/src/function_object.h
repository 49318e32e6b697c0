// Function: the Python type behind tf.function.
#ifndef GK_PYTHON_FUNCTION_OBJECT_H_
#define GK_PYTHON_FUNCTION_OBJECT_H_

#include "py_ref.h"

namespace gk::py {

bool AddFunctionType(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_FUNCTION_OBJECT_H_
