// What tracing changes for the values that a lambda makes.
#ifndef GK_API_TRACING_H_
#define GK_API_TRACING_H_

#include "api/inner.h"

namespace gk::api {

// The initial value of a variable that is being created: computed now, also
// while tracing. Throws ValueError where none may be created or the value is
// not known yet.
InnerTensor ValueForNewVariable(const InnerTensor& initial);

}  // namespace gk::api

#endif  // GK_API_TRACING_H_
