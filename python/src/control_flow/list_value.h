// ListValue: the core's list of a graph, which Python's staged lists derive
// from; its elements nest as tf.nest sees them.
#ifndef GK_PYTHON_LIST_VALUE_H_
#define GK_PYTHON_LIST_VALUE_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddListValue(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_LIST_VALUE_H_
