// Why a Function was traced more than once: the core's words as Python's
// objects.
#ifndef GK_PYTHON_RETRACES_H_
#define GK_PYTHON_RETRACES_H_

#include <nanobind/nanobind.h>

#include "function/retrace_explanation.h"

namespace gk::py {

// New reference.
PyObject* ExplanationObject(RetraceExplanation explanation);

void AddRetraces(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_RETRACES_H_
