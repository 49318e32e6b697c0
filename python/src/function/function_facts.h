// What a Function tells of its Python function and its traces.
#ifndef GK_PYTHON_FUNCTION_FACTS_H_
#define GK_PYTHON_FUNCTION_FACTS_H_

#include <nanobind/nanobind.h>

#include "python/src/binding/type_parts.h"

namespace gk::py {

void AddFunctionFacts(TypeParts* function);
// FunctionSpec.
void AddFunctionSpec(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_FUNCTION_FACTS_H_
