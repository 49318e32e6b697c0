// Classes of extension types: the fields that annotations give them, their
// constructors and the classes of their specs, as ExtensionTypeMetaclass
// (graphkiln/_src/types/extension_metaclass.py) has them made.
#ifndef GK_PYTHON_EXTENSION_CLASS_H_
#define GK_PYTHON_EXTENSION_CLASS_H_

#include <nanobind/nanobind.h>

namespace gk::py {

// complete_extension_type.
void AddExtensionClasses(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_EXTENSION_CLASS_H_
