// Functions whose variables are constants.
#ifndef GK_PYTHON_FROZEN_FUNCTION_H_
#define GK_PYTHON_FROZEN_FUNCTION_H_

#include "python/src/binding/py_ref.h"

namespace gk::py {

bool AddFrozenFunction(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_FROZEN_FUNCTION_H_
