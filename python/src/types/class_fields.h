// The fields of extension types, as annotations and defaults say them, and what
// their values hold.
#ifndef GK_PYTHON_CLASS_FIELDS_H_
#define GK_PYTHON_CLASS_FIELDS_H_

#include <nanobind/nanobind.h>

namespace gk::py {

// One field of a class.
struct ExtensionField {
  // (name, type), and a default if there is one.
  explicit ExtensionField(nanobind::handle row)
      : name(row[0]),
        type(row[1]),
        otherwise(nanobind::len(row) > 2 ? nanobind::object(row[2])
                                         : nanobind::object()) {}

  nanobind::object name, type;
  nanobind::object otherwise;  // null: it must be given
};

// Those of a class of values, those of base classes first; a row each.
nanobind::tuple FieldsOfClass(nanobind::handle cls);
// How many may be given by their place: all, or those before the first that
// must be given and comes after one that need not.
size_t NumByPlace(const nanobind::tuple& fields);

// In the dictionary of a value whose constructor is at work.
inline constexpr const char* kConstructing =
    "_tf_extension_type_in_constructor";
// In that of a value whose spec is known.
inline constexpr const char* kOwnSpec = "_tf_extension_type_cached_type_spec";
// What Keras sets on values that cannot be changed otherwise.
inline constexpr const char* kMutable = "_keras_mask";

// The attributes of a value or a spec.
nanobind::dict FactsOf(nanobind::handle self);
bool IsTypeSpec(nanobind::handle value);
// Those of the class of a value, or of the values of a spec.
nanobind::tuple FieldsOf(nanobind::handle value);

}  // namespace gk::py

#endif  // GK_PYTHON_CLASS_FIELDS_H_
