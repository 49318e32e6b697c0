// Python values that become constants of a graph: kept, compared, shown.
#ifndef GK_PYTHON_PLAIN_VALUES_H_
#define GK_PYTHON_PLAIN_VALUES_H_

#include <nanobind/nanobind.h>

namespace gk::py {

// What a value is compared as: of an array that is too large to keep a copy of,
// something that stands for it.
nanobind::object Comparable(nanobind::handle value);
// A value as later changes leave it.
nanobind::object Copied(nanobind::handle value);
// Equal, and of equal types throughout?
bool Same(nanobind::handle a, nanobind::handle b);
// Is it a complex number of Python, or a list that begins with one?
bool HoldsComplex(nanobind::handle value);

void AddPlainValues(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_PLAIN_VALUES_H_
