// How what branches return, and loop variables, nest unlike.
#ifndef GK_PYTHON_COMPARED_VALUES_H_
#define GK_PYTHON_COMPARED_VALUES_H_

#include "function/staged_value.h"

namespace gk::py {

// OK, or how what two branches return differs.
Status ComparedBranches(const StagedValue& a, const StagedValue& b);
// The same of loop variables before and after an iteration.
Status ComparedIterations(const StagedValue& before, const StagedValue& after);

}  // namespace gk::py

#endif  // GK_PYTHON_COMPARED_VALUES_H_
