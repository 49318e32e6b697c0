// Fields of extension types: which annotations are understood, and the
// conversion of values to them.
#ifndef GK_PYTHON_EXTENSION_FIELDS_H_
#define GK_PYTHON_EXTENSION_FIELDS_H_

#include <nanobind/nanobind.h>

#include <string>

namespace gk::py {

// `value` as one of the annotated type, or as what a spec holds of it.
// TypeError names the `path` of the part that does not fit.
nanobind::object ConvertedField(nanobind::handle value, nanobind::handle type,
                                const std::string& path, bool as_spec);
// What a spec holds of the value of a field.
nanobind::object SpecOfField(nanobind::handle value);
bool IsCompositeTensor(nanobind::handle value);

void AddExtensionFields(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_EXTENSION_FIELDS_H_
