#include "python/src/types/class_fields.h"

#include "python/src/binding/package_parts.h"
#include "python/src/binding/text_caster.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "python/src/types/extension_fields.h"

namespace gk::py {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;

namespace {
constexpr const char* kFields = "_tf_extension_type_fields";
}

nb::tuple FieldsOfClass(Handle cls) {
  PyObject* const own = reinterpret_cast<PyTypeObject*>(cls.ptr())->tp_dict;
  if (PyObject* const known = PyDict_GetItemString(own, kFields)) {
    return nb::borrow<nb::tuple>(known);
  }
  nb::list fields;
  bool all_known = true;
  for (auto [name, type] : nb::cast<nb::dict>(package::field_types(cls))) {
    const bool is_known = CheckAnnotation(name, type);
    all_known &= is_known;
    Object otherwise = nb::getattr(cls, name, Object());
    if (!otherwise.is_valid()) {
      fields.append(nb::make_tuple(name, type));
      continue;
    }
    if (is_known) {
      otherwise =
          ConvertedField(otherwise, type, "default value for " + TextOf(name),
                         FieldPurpose::kDefault);
    }
    fields.append(nb::make_tuple(name, type, otherwise));
  }
  nb::tuple made(fields);
  if (all_known) cls.attr(kFields) = made;
  return made;
}

size_t NumByPlace(const nb::tuple& fields) {
  bool optional = false;
  for (size_t i = 0; i < nb::len(fields); ++i) {
    const bool has_default =
        ExtensionField(Object(fields[i])).otherwise.is_valid();
    if (optional && !has_default) return i;
    optional |= has_default;
  }
  return nb::len(fields);
}

nb::dict FactsOf(Handle self) {
  return nb::cast<nb::dict>(
      Owned(PyObject_GenericGetDict(self.ptr(), nullptr)));
}
bool IsTypeSpec(Handle value) {
  return PyObject_TypeCheck(value.ptr(), TypeSpecType);
}
nb::tuple FieldsOf(Handle value) {
  const Object cls = IsTypeSpec(value) ? Object(value.type().attr("value_type"))
                                       : nb::borrow(value.type());
  if (!PyType_Check(cls.ptr())) Throw(TypeError("not of an extension type"));
  return FieldsOfClass(cls);
}

}  // namespace gk::py
