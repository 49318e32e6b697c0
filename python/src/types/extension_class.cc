#include "python/src/types/extension_class.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/text_caster.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "python/src/types/class_fields.h"
#include "python/src/types/extension_constructor.h"
#include "python/src/types/extension_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;

constexpr const char* kEncoder = "__batch_encoder__";

// What the class's own body says; of a class that was made, it is never null.
PyObject* OwnDict(Handle cls) {
  return reinterpret_cast<PyTypeObject*>(cls.ptr())->tp_dict;
}
// Its (name, value), as they are now.
nb::list ItemsOf(Handle cls) {
  return nb::borrow<nb::list>(Owned(PyDict_Items(OwnDict(cls))));
}
Object OwnMember(Handle cls, const char* name) {
  return nb::borrow(PyDict_GetItemString(OwnDict(cls), name));
}
std::string NameOf(Handle cls) { return TextOf(cls.attr("__name__")); }
std::string QualifiedName(Handle cls) {
  return TextOf(cls.attr("__qualname__"));
}

// --- Names.

// What specs and values have by these names is theirs.
bool IsReserved(std::string_view name) {
  constexpr std::string_view kReserved[] = {"self",
                                            "Spec",
                                            "_type_spec",
                                            "_shape_invariant_to_type_spec",
                                            "_consumers",
                                            "value_type",
                                            "is_compatible_with",
                                            "most_specific_compatible_type",
                                            "_with_tensor_ranks_only",
                                            "_to_components",
                                            "_from_components",
                                            "_component_specs",
                                            "_to_tensor_list",
                                            "_from_tensor_list",
                                            "_from_compatible_tensor_list",
                                            "_flat_tensor_specs",
                                            "_serialize",
                                            "_deserialize",
                                            "_to_legacy_output_types",
                                            "_to_legacy_output_shapes",
                                            "_to_legacy_output_classes",
                                            "_keras_mask"};
  constexpr std::string_view kPrefix = "_tf_extension_type";
  const bool is_ours = name.size() >= kPrefix.size() &&
                       std::equal(kPrefix.begin(), kPrefix.end(), name.begin(),
                                  [](char ours, char given) {
                                    return ours == (given >= 'A' && given <= 'Z'
                                                        ? given - 'A' + 'a'
                                                        : given);
                                  });
  return is_ours ||
         std::count(std::begin(kReserved), std::end(kReserved), name);
}
[[noreturn]] void RefuseField(Handle cls, std::string_view what) {
  Throw(ValueError("The field annotations for {} are invalid. Field {}",
                   NameOf(cls), what));
}
void CheckNotReserved(Handle cls, Handle name) {
  if (IsReserved(TextOf(name))) {
    RefuseField(cls, Format("{} is reserved.", ReprOf(name)));
  }
}

// May a class have it beside its fields?
bool MayStand(std::string_view name, Handle value) {
  const bool is_special =
      name.size() >= 4 && name.starts_with("__") && name.ends_with("__");
  return is_special || name == "Spec" || name.starts_with("_abc_") ||
         PyCallable_Check(value.ptr()) ||
         PyObject_TypeCheck(value.ptr(), &PyProperty_Type) ||
         PyObject_TypeCheck(value.ptr(), &PyClassMethod_Type) ||
         PyObject_TypeCheck(value.ptr(), &PyStaticMethod_Type);
}

void CheckNames(Handle cls) {
  const nb::list own = ItemsOf(cls);
  const Object annotations = nb::getattr(cls, "__annotations__", nb::dict());
  for (Handle item : own) {
    const Object name = item[0];
    if (TextOf(name) != "Spec") CheckNotReserved(cls, name);
  }
  for (Handle name : annotations) CheckNotReserved(cls, name);
  for (Handle item : own) {
    const std::string name = TextOf(item[0]);
    if (!nb::cast<bool>(annotations.attr("__contains__")(item[0])) &&
        !MayStand(name, Object(item[1]))) {
      RefuseField(cls, name + " is missing a type annotation.");
    }
  }
}

// --- The class of its specs.

// What a class named Spec in its body gives to that.
nb::dict GivenForSpec(Handle cls) {
  const Object given = OwnMember(cls, "Spec");
  nb::dict body;
  if (!given.is_valid()) return body;
  const std::string name = QualifiedName(cls) + ".Spec";
  if (!PyType_Check(given.ptr())) {
    Throw(
        ValueError("{} must be a nested class; got {}.", name, TextOf(given)));
  }
  const nb::tuple bases = nb::cast<nb::tuple>(given.attr("__bases__"));
  const Handle base = bases[0];
  if (nb::len(bases) != 1 ||
      (base.ptr() != reinterpret_cast<PyObject*>(&PyBaseObject_Type) &&
       base.ptr() != reinterpret_cast<PyObject*>(TypeSpecType) &&
       !base.is(ExtensionSpecClass()))) {
    Throw(ValueError("{} must be directly subclassed from tf.TypeSpec.", name));
  }
  const nb::tuple fields = FieldsOfClass(cls);
  for (Handle item : ItemsOf(given)) {
    const std::string member = TextOf(item[0]);
    if (IsReserved(member)) {
      Throw(ValueError("TypeSpec {} uses reserved name '{}'.", name, member));
    }
    for (Handle field : fields) {
      if (!Object(field[0]).equal(item[0])) continue;
      Throw(ValueError(
          "TypeSpec {} defines a variable '{}' which shadows a field in {}",
          name, member, QualifiedName(cls)));
    }
    if (member == "__module__" || member == "__dict__" ||
        member == "__weakref__") {
      continue;
    }
    body[item[0]] = item[1];
  }
  return body;
}

void AddSpec(Handle cls, bool stacks) {
  nb::dict body = GivenForSpec(cls);
  const Object encoder = nb::getattr(cls, kEncoder, Object());
  if (stacks && encoder.is_valid() && !body.contains(kEncoder)) {
    body[kEncoder] = encoder;
  }
  if (!stacks && (encoder.is_valid() || body.contains(kEncoder))) {
    Throw(
        ValueError("{} should only be defined for BatchableExtensionType "
                   "classes.",
                   kEncoder));
  }
  body["__module__"] = cls.attr("__module__");
  body["__qualname__"] = nb::str((QualifiedName(cls) + ".Spec").c_str());
  body["value_type"] = cls;
  const Handle type(reinterpret_cast<PyObject*>(&PyType_Type));
  const Object spec = type(nb::str((NameOf(cls) + ".Spec").c_str()),
                           nb::make_tuple(ExtensionSpecClass()), body);
  GiveConstructor(spec, cls);
  cls.attr("Spec") = spec;
}

Object Complete(Handle, Handle cls) {
  CheckNames(cls);
  FieldsOfClass(cls);
  GiveConstructor(cls, cls);
  // tf.experimental.BatchableExtensionType has that.
  AddSpec(cls, nb::hasattr(cls, "_tf_extension_type_stacks"));
  return nb::none();
}

PyMethodDef kExtensionClassFunctions[] = {
    GK_MODULE_FUNCTION("complete_extension_type", "cls", Complete,
                       "Gives a new class its constructor and its Spec. "
                       "TypeError, ValueError\nif its fields are not what "
                       "extension types can have."),
    {}};

}  // namespace

void AddExtensionClasses(nb::module_& m) {
  AddFunctions(m, kExtensionClassFunctions);
}

}  // namespace gk::py
