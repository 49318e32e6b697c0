// CancellationManager: stops the calls that were made through it, from another
// thread; of functions that run outside the GIL, as those that wait do.
#ifndef GK_PYTHON_CANCELABLE_CALLS_H_
#define GK_PYTHON_CANCELABLE_CALLS_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddCancellationManager(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_CANCELABLE_CALLS_H_
