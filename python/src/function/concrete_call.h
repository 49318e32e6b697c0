// Calls of a ConcreteFunction with more than the tensors of its trace: bound
// like a call of the Python function, else as a list of tensors.
#ifndef GK_PYTHON_CONCRETE_CALL_H_
#define GK_PYTHON_CONCRETE_CALL_H_

#include "python/src/function/concrete_function.h"

namespace gk::py {

// For AddConcreteFunctionType.
PyObject* CallStructured(PyConcreteFunction* f, PyObject* const* args,
                         size_t n, PyObject* kwnames);

// A method that takes tensors alone, in order or by the names of the arguments.
void AddFlatCalls(TypeParts* concrete_function);

}  // namespace gk::py

#endif  // GK_PYTHON_CONCRETE_CALL_H_
