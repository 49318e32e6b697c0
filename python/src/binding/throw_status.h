// Errors of the core in functions bound with nanobind.
#ifndef GK_PYTHON_THROW_STATUS_H_
#define GK_PYTHON_THROW_STATUS_H_

#include "python/src/binding/throw_error.h"

namespace gk::py {

// What functions bound with nanobind throw.
void AddExceptionTranslator();

}  // namespace gk::py

#endif  // GK_PYTHON_THROW_STATUS_H_
