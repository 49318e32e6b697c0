// ArgumentSnapshot: says which arguments a Python function changed that it was
// traced with.
#ifndef GK_PYTHON_ARGUMENT_SNAPSHOT_H_
#define GK_PYTHON_ARGUMENT_SNAPSHOT_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddArgumentSnapshot(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_ARGUMENT_SNAPSHOT_H_
