// What a ConcreteFunction captured, changed after tracing; and graphs that
// keep functions which none of their operations calls.
#ifndef GK_PYTHON_EXTERNAL_CAPTURES_H_
#define GK_PYTHON_EXTERNAL_CAPTURES_H_

#include "python/src/binding/type_parts.h"

namespace gk::py {

void AddExternalCaptures(TypeParts* concrete_function);

}  // namespace gk::py

#endif  // GK_PYTHON_EXTERNAL_CAPTURES_H_
