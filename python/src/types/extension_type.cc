#include "python/src/types/extension_type.h"

#include <string>
#include <vector>

#include "ops/fn/LogicalNot.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/package_parts.h"
#include "python/src/binding/text_caster.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/data/element_spec.h"
#include "python/src/nest/nest_node.h"
#include "python/src/ragged/composite_classes.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "python/src/types/class_fields.h"
#include "python/src/types/extension_fields.h"

namespace gk::py {
namespace {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;

PyObject* spec_class = nullptr;

Object ClassOfValues(Handle spec) { return spec.type().attr("value_type"); }
// Calls `f(name, value)` for all fields in order.
void ForEachField(Handle self, FunctionRef<void(Handle, Handle)> f) {
  const nb::dict facts = FactsOf(self);
  for (Handle field : FieldsOf(self)) {
    const Object name = field[0];
    f(name, Object(facts[name]));
  }
}
std::vector<PyRef> LeavesIn(Handle value, NestRules rules = NestRules::kNest) {
  std::vector<PyRef> leaves;
  if (!StructureOf(value.ptr(), rules, &leaves)) throw nb::python_error();
  return leaves;
}

// --- Attributes are set by the constructor and never again.

// The attributes of a value, if its constructor may change this one.
nb::dict FactsToChange(Handle self, Handle name) {
  nb::dict facts = FactsOf(self);
  const bool is_spec = IsTypeSpec(self);
  bool may = !is_spec && nb::str(kMutable).equal(name);
  if (facts.contains(kConstructing)) {
    for (Handle field : FieldsOf(self)) {
      may |= Object(field[0]).equal(name);
    }
  }
  if (may) return facts;
  PyErr_Format(PyExc_AttributeError,
               "Cannot mutate attribute `%S` outside the custom constructor "
               "of ExtensionType%s.",
               name.ptr(), is_spec ? "Spec" : "");
  throw nb::python_error();
}
Object SetAttribute(Handle self, Handle name, Handle value) {
  FactsToChange(self, name)[name] = value;
  return nb::none();
}
Object DeleteAttribute(Handle self, Handle name) {
  nb::del(FactsToChange(self, name)[name]);
  return nb::none();
}

// --- Values.

Object NewSpec(Handle cls, const nb::dict& fields) {
  Object spec = NewValue(cls, {});
  FactsOf(spec).update(fields);
  return spec;
}
Object SpecOfExtension(Handle self) {
  nb::dict facts = FactsOf(self);
  if (facts.contains(kOwnSpec)) return facts[kOwnSpec];
  nb::dict fields;
  ForEachField(self, [&](Handle name, Handle value) {
    fields[name] = SpecOfField(value);
  });
  facts[kOwnSpec] = NewSpec(self.attr("Spec"), fields);
  return facts[kOwnSpec];
}
Object AsDict(Handle self) {
  nb::dict fields;
  ForEachField(self, [&](Handle name, Handle value) { fields[name] = value; });
  return fields;
}
Object AsDictOf(Handle, Handle value) { return AsDict(value); }
Object SetState(Handle self, Handle state) {
  FactsOf(self).update(nb::cast<nb::dict>(state));
  return nb::none();
}
Object Validate(Handle) { return nb::none(); }

Object IsEqual(Handle self, Handle other) {
  if (!self.type().is(other.type())) return nb::bool_(false);
  const Object spec = SpecOfExtension(self);
  if (!nb::cast<bool>(
          spec.attr("is_compatible_with")(SpecOfExtension(other)))) {
    return nb::bool_(false);
  }
  TensorVector tensors[2];
  for (int side = 0; side < 2; ++side) {
    for (const PyRef& leaf :
         LeavesIn(side == 0 ? self : other, NestRules::kExpanded)) {
      tensors[side].push_back(Converted(leaf.get()));
    }
  }
  if (tensors[0].empty()) return nb::bool_(true);
  return Told([&] { return Wrapped(AreEqual(tensors[0], tensors[1])); });
}
Object IsUnequal(Handle self, Handle other) {
  const Object equal = self.attr("__eq__")(other);
  if (PyBool_Check(equal.ptr())) return nb::bool_(equal.ptr() == Py_False);
  return Told([&] { return Wrapped(ops::LogicalNot(AsTensor(equal))); });
}
Object TextOfValue(Handle self) {
  nb::list parts;
  ForEachField(self, [&](Handle name, Handle value) {
    parts.append(Owned(PyUnicode_FromFormat("%U=%R", name.ptr(), value.ptr())));
  });
  const nb::str between(", ");
  const Object inside = Owned(PyUnicode_Join(between.ptr(), parts.ptr())),
               name = self.type().attr("__qualname__");
  return Owned(PyUnicode_FromFormat("%U(%U)", name.ptr(), inside.ptr()));
}

PyMethodDef value_methods[] = {
    GK_METHOD("__setattr__", "name, value", SetAttribute, ""),
    GK_METHOD("__delattr__", "name", DeleteAttribute, ""),
    GK_METHOD("__validate__", "", Validate,
              "Checks the fields; called by the constructor."),
    GK_METHOD("__getstate__", "", AsDict, ""),
    GK_METHOD("__setstate__", "state", SetState, ""),
    GK_METHOD("__eq__", "other", IsEqual, ""),
    GK_METHOD("__ne__", "other", IsUnequal, ""),
    GK_METHOD("__repr__", "", TextOfValue, ""),
    {}};
PyGetSetDef value_properties[] = {
    GK_PROPERTY("_type_spec", SpecOfExtension, nullptr), {}};

// --- Specs: the same fields, with specs in place of tensors.

// Mappings of fields cannot be changed; as parts of a spec they are plain.
Object AsPlain(Handle value) {
  if (PyTuple_Check(value.ptr())) {
    nb::list items;
    for (Handle item : value) items.append(AsPlain(item));
    return nb::tuple(items);
  }
  if (!value.type().is(package::ImmutableDict.Held())) return nb::borrow(value);
  nb::dict items;
  for (Handle key : value) items[key] = AsPlain(Object(value[key]));
  return items;
}
Object AsField(Handle value) {
  if (PyTuple_Check(value.ptr())) {
    nb::list items;
    for (Handle item : value) items.append(AsField(item));
    return nb::tuple(items);
  }
  if (!PyDict_Check(value.ptr())) return nb::borrow(value);
  nb::dict items;
  for (auto [key, item] : nb::cast<nb::dict>(value)) {
    items[key] = AsField(item);
  }
  return package::ImmutableDict(items);
}

Object FromValue(Handle, Handle value) { return value.attr("_type_spec"); }
Object Serialize(Handle self) {
  nb::list parts;
  ForEachField(self, [&](Handle name, Handle value) {
    parts.append(nb::make_tuple(name, AsPlain(value)));
  });
  return nb::tuple(parts);
}
Object Deserialize(Handle cls, Handle parts) {
  nb::dict fields;
  for (Handle part : parts) {
    fields[Object(part[0])] = AsField(Object(part[1]));
  }
  return NewSpec(cls, fields);
}
Object ComponentSpecs(Handle self) {
  nb::list specs;
  ForEachField(self, [&](Handle, Handle value) {
    for (const PyRef& leaf : LeavesIn(value)) {
      if (IsTypeSpec(leaf.get())) specs.append(Handle(leaf.get()));
    }
  });
  return nb::tuple(specs);
}

// Is a part of a field a value that is no component?
bool IsPlainClass(PyObject* leaf) {
  return leaf == Py_None || PyLong_Check(leaf) || PyFloat_Check(leaf) ||
         PyUnicode_Check(leaf) || PyBytes_Check(leaf) || IsTensorShape(leaf) ||
         PyObject_TypeCheck(leaf, DTypeType);
}
Object ToComponents(Handle self, Handle value) {
  const Object cls = ClassOfValues(self);
  if (!nb::isinstance(value, cls)) {
    PyErr_Format(PyExc_TypeError, "Expected a value of %S, got %R", cls.ptr(),
                 value.ptr());
    throw nb::python_error();
  }
  nb::list components;
  ForEachField(value, [&](Handle, Handle field) {
    for (const PyRef& leaf : LeavesIn(field)) {
      if (!IsPlainClass(leaf.get())) components.append(Handle(leaf.get()));
    }
  });
  return nb::tuple(components);
}
Object FromComponents(Handle self, Handle components) {
  const Object parts = nb::iter(components);
  nb::dict fields;
  ForEachField(self, [&](Handle name, Handle field) {
    std::vector<PyRef> leaves;
    const StructureRef structure =
        StructureOf(field.ptr(), NestRules::kNest, &leaves);
    if (!structure) throw nb::python_error();
    for (PyRef& leaf : leaves) {
      if (!IsTypeSpec(leaf.get())) continue;
      leaf = PyRef::Steal(PyIter_Next(parts.ptr()));
      if (leaf) continue;
      if (!PyErr_Occurred()) PyErr_SetNone(PyExc_StopIteration);
      throw nb::python_error();
    }
    fields[name] = Owned(PackValue(*structure, leaves));
  });
  if (PyRef::Steal(PyIter_Next(parts.ptr()))) {
    Throw(ValueError(
        "Cannot build an ExtensionType instance from components because more "
        "components are provided than the number expected by the type spec."));
  }
  if (PyErr_Occurred()) throw nb::python_error();
  return NewSpec(ClassOfValues(self), fields);
}

Object Cast(Handle self, Handle value, Handle context) {
  Object result = Handle(reinterpret_cast<PyObject*>(TypeSpecType))
                      .attr("cast")(self, value, context);
  if (!IsTypeSpec(result) &&
      !nb::cast<bool>(self.attr("is_compatible_with")(result))) {
    PyErr_Format(PyExc_TypeError, "Can not cast %R to %R", value.ptr(),
                 self.ptr());
    throw nb::python_error();
  }
  return result;
}
Object TextOfSpec(Handle self) {
  return Told([&] { return nb::str(FieldsOfSpec(self).Text().c_str()); });
}

PyMethodDef kExtensionSpecMethods[] = {
    GK_METHOD("__setattr__", "name, value", SetAttribute, ""),
    GK_METHOD("__delattr__", "name", DeleteAttribute, ""),
    GK_CLASS_METHOD("from_value", "value", FromValue,
                    "The spec of a value of the extension type."),
    GK_METHOD("_serialize", "", Serialize, ""),
    GK_CLASS_METHOD("_deserialize", "serialization", Deserialize, ""),
    GK_METHOD("_to_components", "value", ToComponents, ""),
    GK_METHOD("_from_components", "components", FromComponents, ""),
    GK_METHOD("cast", "value, casting_context", Cast,
              "`value` as one of this spec; TypeError if it cannot be."),
    GK_METHOD("__validate__", "", Validate,
              "Checks the fields; called by the constructor."),
    GK_METHOD("__repr__", "", TextOfSpec, ""),
    {}};
PyGetSetDef kExtensionSpecProperties[] = {
    GK_PROPERTY("_component_specs", ComponentSpecs, nullptr), {}};

PyMethodDef kExtensionFunctions[] = {
    GK_MODULE_FUNCTION("as_dict", "value", AsDictOf,
                       "The fields of an extension type by name.\n\n"
                       ">>> class Point(tf.experimental.ExtensionType):\n"
                       "...     x: int\n"
                       ">>> tf.experimental.extension_type.as_dict(Point(3))\n"
                       "{'x': 3}\n"),
    {}};

}  // namespace

Handle ExtensionSpecClass() { return spec_class; }

void AddExtensionTypes(nb::module_& m) {
  AddFunctions(m, kExtensionFunctions);
  AddClass(m, "ExtensionValue", TheCompositeClasses().composite, std::nullopt,
           "What values of extension types do.", value_methods,
           value_properties);
  spec_class =
      AddClass(m, "ExtensionTypeSpec",
               reinterpret_cast<PyObject*>(TypeSpecType), std::nullopt,
               "The spec of an extension type: the same fields, with specs in "
               "place of\ntensors.",
               kExtensionSpecMethods, kExtensionSpecProperties,
               "graphkiln.experimental")
          .ptr();
}

}  // namespace gk::py
