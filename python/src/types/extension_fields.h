// Fields of extension types: which annotations are understood, and the
// conversion of values to them.
#ifndef GK_PYTHON_EXTENSION_FIELDS_H_
#define GK_PYTHON_EXTENSION_FIELDS_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>

namespace gk::py {

// What a value of a field is wanted for: as one of the annotated type; what a
// spec holds of it; a default, which becomes no tensor before it is used.
enum class FieldPurpose : uint8_t { kValue, kSpec, kDefault };

// TypeError unless values of the field can be of that type; false if it names
// something that is not defined yet.
bool CheckAnnotation(nanobind::handle field, nanobind::handle type);
// TypeError names the `path` of the part that does not fit.
nanobind::object ConvertedField(nanobind::handle value, nanobind::handle type,
                                const std::string& path, FieldPurpose purpose);
// What a spec holds of the value of a field.
nanobind::object SpecOfField(nanobind::handle value);
bool IsCompositeTensor(nanobind::handle value);

}  // namespace gk::py

#endif  // GK_PYTHON_EXTENSION_FIELDS_H_
