// Captures of values that a closure gives at each call.
#ifndef GK_PYTHON_DEFERRED_CAPTURES_H_
#define GK_PYTHON_DEFERRED_CAPTURES_H_

#include <nanobind/nanobind.h>

namespace gk::py {

// FuncGraph.capture_call_time_value.
PyObject* CaptureCallTimeValue(PyObject* graph, PyObject* args,
                               PyObject* kwargs);
// The closures of a graph, as made.
PyObject* DeferredExternalCaptures(PyObject* graph, void*);

void AddDeferredCaptures(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_DEFERRED_CAPTURES_H_
