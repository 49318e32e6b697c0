// The constructors of extension types and of their specs.
#ifndef GK_PYTHON_EXTENSION_CONSTRUCTOR_H_
#define GK_PYTHON_EXTENSION_CONSTRUCTOR_H_

#include <nanobind/nanobind.h>

namespace gk::py {

// Gives a class, of `values` or of their specs, the __init__ that takes the
// fields of `values`, or its own with the checks that follow.
void GiveConstructor(nanobind::handle cls, nanobind::handle values);

void AddExtensionConstructor(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_EXTENSION_CONSTRUCTOR_H_
