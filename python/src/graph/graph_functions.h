// Functions about the graph that is being built.
#ifndef GK_PYTHON_GRAPH_FUNCTIONS_H_
#define GK_PYTHON_GRAPH_FUNCTIONS_H_

#include "python/src/binding/py_ref.h"

namespace gk::py {

bool AddGraphFunctions(PyObject* module);

}  // namespace gk::py

#endif  // GK_PYTHON_GRAPH_FUNCTIONS_H_
