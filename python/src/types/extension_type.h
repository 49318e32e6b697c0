// What values of tf.experimental.ExtensionType and their specs do. Their
// classes are made, with constructors, by the metaclass in
// graphkiln/_src/types/extension_type.py.
#ifndef GK_PYTHON_EXTENSION_TYPE_H_
#define GK_PYTHON_EXTENSION_TYPE_H_

#include <nanobind/nanobind.h>

namespace gk::py {

// ExtensionValue, ExtensionTypeSpec; after CompositeTensor.
void AddExtensionTypes(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_EXTENSION_TYPE_H_
