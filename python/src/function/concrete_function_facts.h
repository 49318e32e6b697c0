// What a ConcreteFunction tells of its graph and how it was traced.
#ifndef GK_PYTHON_CONCRETE_FUNCTION_FACTS_H_
#define GK_PYTHON_CONCRETE_FUNCTION_FACTS_H_

#include <string>
#include <vector>

#include "function/concrete_function.h"
#include "python/src/binding/type_parts.h"

namespace gk::py {

void AddConcreteFunctionFacts(TypeParts* parts);

// "f" of "__inference_f_12".
std::string ShortName(const ConcreteFunction& f);
// Parameters, captures and output with their types. New reference.
PyObject* FunctionTypeOf(PyObject* concrete, void*);

}  // namespace gk::py

#endif  // GK_PYTHON_CONCRETE_FUNCTION_FACTS_H_
