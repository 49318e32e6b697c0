// What a ConcreteFunction says of its trace, and changes of what it captured.
#ifndef GK_PYTHON_CONCRETE_FUNCTION_FACTS_H_
#define GK_PYTHON_CONCRETE_FUNCTION_FACTS_H_

#include "type_parts.h"

namespace gk::py {

void AddConcreteFunctionFacts(TypeParts* parts);

}  // namespace gk::py

#endif  // GK_PYTHON_CONCRETE_FUNCTION_FACTS_H_
