// Python values that become constants of a graph: kept, compared, shown.
#ifndef GK_PYTHON_PLAIN_VALUES_H_
#define GK_PYTHON_PLAIN_VALUES_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddPlainValues(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_PLAIN_VALUES_H_
