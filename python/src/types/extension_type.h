// What values of tf.experimental.ExtensionType and their specs do; what their
// classes have of their fields: extension_class.h.
#ifndef GK_PYTHON_EXTENSION_TYPE_H_
#define GK_PYTHON_EXTENSION_TYPE_H_

#include <nanobind/nanobind.h>

namespace gk::py {

// tf.experimental.ExtensionTypeSpec, made with the module; borrowed.
nanobind::handle ExtensionSpecClass();

// ExtensionValue, ExtensionTypeSpec; after CompositeTensor.
void AddExtensionTypes(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_EXTENSION_TYPE_H_
