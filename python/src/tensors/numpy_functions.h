// Functions of the extension for graphkiln/_src/numpy.
#ifndef GK_PYTHON_NUMPY_FUNCTIONS_H_
#define GK_PYTHON_NUMPY_FUNCTIONS_H_

#include "python/src/binding/py_ref.h"

namespace gk::py {

bool AddNumpyFunctions(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_NUMPY_FUNCTIONS_H_
