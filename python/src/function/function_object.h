// Function: what tf.function returns. A cached call runs no Python code.
#ifndef GK_PYTHON_FUNCTION_OBJECT_H_
#define GK_PYTHON_FUNCTION_OBJECT_H_

#include "python/src/binding/type_parts.h"
#include "python/src/function/function_layout.h"

namespace gk::py {

// Makes `o` a Function of another Python function, before it is traced; throws
// what Python raises.
void SetPythonFunction(PyObject* o, PythonFunction python);
// Throws what Python raises.
nanobind::object NewFunction(PythonFunction python);

// With what other files give the type.
bool AddFunctionType(PyObject* module, TypeParts own);

}  // namespace gk::py

#endif  // GK_PYTHON_FUNCTION_OBJECT_H_
