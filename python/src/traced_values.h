// Arguments and results of traced Python functions: values around the
// placeholders of a trace, and what a function returned taken apart.
#ifndef GK_PYTHON_TRACED_VALUES_H_
#define GK_PYTHON_TRACED_VALUES_H_

#include "py_ref.h"

namespace gk::py {

bool AddTracedValues(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_TRACED_VALUES_H_
