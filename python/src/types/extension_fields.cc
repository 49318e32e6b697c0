#include "python/src/types/extension_fields.h"

#include <string>
#include <vector>

#include "python/src/binding/bound_values.h"
#include "python/src/binding/package_parts.h"
#include "python/src/binding/text_caster.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/nest/nest_node.h"
#include "python/src/ragged/composite_classes.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/types/spec_of_value.h"

namespace gk::py {
namespace {

namespace nb = nanobind;
using Handle = nb::handle;
using Object = nb::object;

Object From(const char* module, const char* name) {
  return nb::module_::import_(module).attr(name);
}
Handle AsHandle(PyTypeObject* type) {
  return reinterpret_cast<PyObject*>(type);
}
std::string TypeName(Handle value) {
  return ReprOf(value.type().attr("__name__"));
}

// ---- Annotations ----

bool IsUnresolved(Handle type) {
  return nb::isinstance<nb::str>(type) ||
         nb::isinstance(type, From("typing", "ForwardRef"));
}
// The value of such a field is taken as it is.
bool IsPlain(Handle type) {
  for (PyTypeObject* plain : {&PyLong_Type, &PyFloat_Type, &PyUnicode_Type,
                              &PyBytes_Type, &PyBool_Type, Py_TYPE(Py_None)}) {
    if (type.is(AsHandle(plain))) return true;
  }
  return false;
}
bool IsComposite(Handle type) {
  if (!PyType_Check(type.ptr())) return false;
  const int derived =
      PyObject_IsSubclass(type.ptr(), TheCompositeClasses().composite);
  if (derived < 0) throw nb::python_error();
  return derived == 1;
}

// Tuple[...], Mapping[...], Union[...]: what it is made of.
struct Generic {
  explicit Generic(Handle type)
      : origin(From("typing", "get_origin")(type)),
        parts(nb::borrow<nb::tuple>(Object(From("typing", "get_args")(type)))) {
  }
  bool is_tuple() const { return origin.is(AsHandle(&PyTuple_Type)); }
  bool is_mapping() const {
    return origin.is(From("collections.abc", "Mapping"));
  }
  bool is_union() const {
    return origin.is(From("typing", "Union")) ||
           origin.is(From("types", "UnionType"));
  }
  // Tuple[X, ...]
  bool repeats() const {
    return nb::len(parts) == 2 && Object(parts[1]).is(Handle(Py_Ellipsis));
  }

  Object origin;
  nb::tuple parts;
};

// What is made of tensors is no key of a mapping.
void CheckKey(Handle field, Handle type) {
  if (type.is(AsHandle(TensorType)) || type.is(AsHandle(TensorShapeType)) ||
      IsComposite(type)) {
    Throw(TypeError("In field {}: Mapping had a key {} with type {}",
                    ReprOf(field), ReprOf(type.attr("__name__")),
                    TypeName(type)));
  }
}

bool Understood(Handle field, Handle type, bool is_key) {
  if (IsUnresolved(type)) return false;
  if (is_key) CheckKey(field, type);
  if (type.is_none() || IsPlain(type) || type.is(AsHandle(TensorType)) ||
      type.is(AsHandle(TensorShapeType)) || type.is(AsHandle(DTypeType)) ||
      IsComposite(type)) {
    return true;
  }
  const Generic generic(type);
  const size_t n = nb::len(generic.parts);
  const bool is_empty_tuple =
      n == 0 && ReprOf(type).find("()") != std::string::npos;
  if ((generic.is_tuple() && (n > 0 || is_empty_tuple)) ||
      ((generic.is_mapping() || generic.is_union()) && n > 0)) {
    bool known = true;
    const size_t count = generic.is_tuple() && generic.repeats() ? 1 : n;
    for (size_t i = 0; i < count; ++i) {
      known = Understood(field, Object(generic.parts[i]),
                         is_key || (generic.is_mapping() && i == 0)) &&
              known;
    }
    return known;
  }
  const bool is_class = PyType_Check(type.ptr()) && n == 0;
  Throw(TypeError("In field {}: Unsupported type annotation {}", ReprOf(field),
                  is_class ? ReprOf(type.attr("__name__")) : ReprOf(type)));
}

// ---- Values ----

[[noreturn]] void Wrong(const std::string& path, const std::string& expected,
                        Handle value) {
  Throw(TypeError("{}: expected {}, got {}", path, expected, TypeName(value)));
}

// What `make` returns; TypeError if it says that the value cannot be one.
template <class F>
Object Tried(const std::string& path, const char* expected, Handle value,
             F&& make) {
  try {
    return make();
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_TypeError)) throw;
  }
  Wrong(path, expected, value);
}

DataType DTypeOf(Handle value) {
  const DataType dtype = AsDType(value.ptr());
  if (dtype == DataType::kInvalid) throw nb::python_error();
  return dtype;
}

class FieldConverter {
 public:
  explicit FieldConverter(FieldPurpose purpose) : purpose_(purpose) {}

  Object Convert(Handle value, Handle type, const std::string& path) const {
    if (IsUnresolved(type)) {
      Throw(
          TypeError("{}: unresolved forward reference {}", path, ReprOf(type)));
    }
    if (type.is_none() || type.is(AsHandle(Py_TYPE(Py_None)))) {
      if (!value.is_none()) Wrong(path, "'NoneType'", value);
      return nb::none();
    }
    if (IsPlain(type)) {
      if (!nb::isinstance(value, type)) {
        Wrong(path, ReprOf(type.attr("__name__")), value);
      }
      return nb::borrow(value);
    }
    if (type.is(AsHandle(TensorType))) return AsTensor(value, path);
    if (type.is(AsHandle(TensorShapeType))) {
      return Tried(path, "'tf.TensorShape'", value,
                   [&] { return type(value); });
    }
    if (type.is(AsHandle(DTypeType))) {
      return Tried(path, "'tf.DType'", value,
                   [&] { return nb::borrow(DTypeObject(DTypeOf(value))); });
    }
    if (IsComposite(type)) return AsComposite(value, type, path);
    const Generic generic(type);
    if (generic.is_tuple()) return AsTuple(value, generic, path);
    if (generic.is_mapping()) return AsMapping(value, generic.parts, path);
    return AsOneOf(value, generic.parts, type, path);
  }

 private:
  bool as_spec() const { return purpose_ == FieldPurpose::kSpec; }

  Object AsTensor(Handle value, const std::string& path) const {
    if (as_spec()) {
      if (!IsTensorSpec(value.ptr())) Wrong(path, "a TensorSpec", value);
      return nb::borrow(value);
    }
    if (IsTensor(value.ptr()) || purpose_ == FieldPurpose::kDefault) {
      return nb::borrow(value);
    }
    return Tried(path, "a Tensor", value, [&] {
      try {
        return Wrapped(Converted(value));
      } catch (nb::python_error& e) {
        if (!e.matches(PyExc_ValueError)) throw;
      }
      Wrong(path, "a Tensor", value);
    });
  }

  Object AsComposite(Handle value, Handle type, const std::string& path) const {
    const std::string name = ReprOf(type.attr("__name__"));
    if (!as_spec()) {
      if (!nb::isinstance(value, type)) Wrong(path, name, value);
      return nb::borrow(value);
    }
    const bool fits =
        PyObject_TypeCheck(value.ptr(), TypeSpecType) &&
        PyObject_IsSubclass(Object(value.attr("value_type")).ptr(),
                            type.ptr()) == 1;
    if (PyErr_Occurred()) throw nb::python_error();
    if (!fits) Wrong(path, "a TypeSpec for " + name, value);
    return nb::borrow(value);
  }

  Object AsTuple(Handle value, const Generic& generic,
                 const std::string& path) const {
    if (!nb::isinstance(value, From("collections.abc", "Sequence"))) {
      Wrong(path, "tuple", value);
    }
    const size_t n = nb::len(value);
    const size_t wanted = generic.repeats() ? n : nb::len(generic.parts);
    if (wanted != n) {
      Throw(TypeError("{}: expected tuple with length {}, got {}", path, wanted,
                      ReprOf(value)));
    }
    nb::list items;
    for (size_t i = 0; i < n; ++i) {
      const Object part = generic.parts[generic.repeats() ? 0 : i];
      items.append(Convert(Object(value[i]), part, Format("{}[{}]", path, i)));
    }
    return nb::tuple(items);
  }

  Object AsMapping(Handle value, const nb::tuple& parts,
                   const std::string& path) const {
    if (!nb::isinstance(value, From("collections.abc", "Mapping"))) {
      Wrong(path, "mapping", value);
    }
    nb::dict items;
    for (Handle key : value) {
      Object own = Convert(key, Object(parts[0]), path + "[<key>]");
      items[own] = Convert(Object(value[key]), Object(parts[1]),
                           Format("{}[{}]", path, ReprOf(key)));
    }
    return package::ImmutableDict(items);
  }

  Object AsOneOf(Handle value, const nb::tuple& parts, Handle type,
                 const std::string& path) const {
    for (Handle part : parts) {
      if (part.is(AsHandle(TensorType)) && !as_spec() &&
          IsCompositeTensor(value)) {
        continue;
      }
      try {
        return Convert(value, part, path);
      } catch (nb::python_error& e) {
        if (!e.matches(PyExc_TypeError)) throw;
      }
    }
    Wrong(path, TextOf(type), value);
  }

  FieldPurpose purpose_;
};

}  // namespace

bool CheckAnnotation(Handle field, Handle type) {
  return Understood(field, type, /*is_key=*/false);
}
Object ConvertedField(Handle value, Handle type, const std::string& path,
                      FieldPurpose purpose) {
  return FieldConverter(purpose).Convert(value, type, path);
}

Object SpecOfField(Handle value) {
  std::vector<PyRef> leaves;
  const StructureRef structure =
      StructureOf(value.ptr(), NestRules::kNest, &leaves);
  if (!structure) throw nb::python_error();
  for (PyRef& leaf : leaves) {
    if (!IsTensor(leaf.get()) && !IsCompositeTensor(leaf.get())) continue;
    leaf = PyRef::Steal(SpecOfValue(leaf.get()).release().ptr());
  }
  return Owned(PackValue(*structure, leaves));
}

bool IsCompositeTensor(Handle value) {
  const int is =
      PyObject_IsInstance(value.ptr(), TheCompositeClasses().composite);
  if (is < 0) throw nb::python_error();
  return is == 1;
}

}  // namespace gk::py
