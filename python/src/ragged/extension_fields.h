// Fields of extension types: which annotations are understood, and the
// conversion of values to them.
#ifndef GK_PYTHON_EXTENSION_FIELDS_H_
#define GK_PYTHON_EXTENSION_FIELDS_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddExtensionFields(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_EXTENSION_FIELDS_H_
