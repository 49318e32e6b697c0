// Calls of a ConcreteFunction with more than the tensors of its trace: bound
// like a call of the Python function, else as a list of tensors.
#ifndef GK_PYTHON_CONCRETE_CALL_H_
#define GK_PYTHON_CONCRETE_CALL_H_

#include <string_view>

#include "concrete_function.h"
#include "function_signature.h"

namespace gk::py {

// For AddConcreteFunctionType.
PyObject* CallStructured(PyConcreteFunction* f, PyObject* const* args,
                         size_t n, PyObject* kwnames);

// Raises the one TypeError of calls that do not fit. `signature`: what is
// called, as it prints; `more`: follows.
void RaiseMisfit(std::string_view reason, const CallArguments& call,
                 PyObject* signature, std::string_view more = {});

}  // namespace gk::py

#endif  // GK_PYTHON_CONCRETE_CALL_H_
