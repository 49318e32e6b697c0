// What TypeSpec gives its subclasses: equality of the parts that they are
// serialised to, whose subtypes and common types the core finds, and values
// taken apart and made of tensors by their components.
#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "framework/structure_match.h"
#include "python/src/binding/errors.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/message_methods.h"
#include "python/src/binding/only_argument.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/data/element_spec.h"
#include "python/src/function/function_trace_type.h"
#include "python/src/function/typed_values.h"
#include "python/src/nest/flattened_object.h"
#include "python/src/nest/nest_node.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/types/spec_of_value.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

using Object = nb::object;
using Handle = nb::handle;

// An entry of a table around a function of nanobind's objects.
template <Object (*kFunction)(Handle, Handle)>
PyObject* Method(PyObject* self, PyObject* argument) {
  try {
    return kFunction(self, argument).release().ptr();
  } catch (nb::python_error& error) {
    error.restore();
    return nullptr;
  }
}

Object Took(PyObject* o) {
  if (o == nullptr) throw nb::python_error();
  return nb::steal(o);
}
void Check(bool done) {
  if (!done) throw nb::python_error();
}
bool IsSpec(Handle o) { return PyObject_TypeCheck(o.ptr(), TypeSpecType); }
bool IsMapping(Handle o) {
  if (PyDict_Check(o.ptr())) return true;
  return nb::isinstance(
      o, nb::module_::import_("collections.abc").attr("Mapping"));
}

// How parts nest, and what the leaves are.
struct Parts {
  explicit Parts(Handle value)
      : structure(StructureOf(value.ptr(), NestRules::kNest, &leaves)) {
    Check(static_cast<bool>(structure));
  }
  Handle leaf(size_t i) const { return leaves[i].get(); }
  size_t size() const { return leaves.size(); }
  bool NestsLike(const Parts& other) const {
    return AssertSameStructure(*structure, *other.structure,
                               /*check_types=*/false,
                               StructureWords(*structure, *other.structure))
        .ok();
  }
  Object Packed(const std::vector<PyRef>& values) const {
    return Took(PackValue(*structure, values));
  }

  std::vector<PyRef> leaves;  // before what fills it
  StructureRef structure;
};
Parts Components(Handle spec) { return Parts(spec.attr("_component_specs")); }

// --- Equality.

// Something hashable that is equal for equal parts of specs.
Object KeyOfPart(Handle value);
Object Key(Handle value) {
  // What contains itself ends in a RecursionError.
  if (Py_EnterRecursiveCall(" in a spec")) throw nb::python_error();
  struct Leave {
    ~Leave() { Py_LeaveRecursiveCall(); }
  } leave;
  return KeyOfPart(value);
}
Object KeyOfPart(Handle value) {
  if (IsSpec(value) && !IsTensorSpec(value.ptr())) return value.attr("_key")();
  if (IsTensorShape(value.ptr())) {
    Object sizes = value.attr("rank").is_none()
                       ? nb::none()
                       : Object(nb::tuple(value.attr("as_list")()));
    return nb::make_tuple(value.type(), sizes);
  }
  if (IsListOrTuple(value.ptr())) {
    nb::list keys;
    for (Handle item : value) keys.append(Key(item));
    return nb::tuple(keys);
  }
  if (IsMapping(value)) {
    nb::list items;
    for (Handle key : value) {
      items.append(nb::make_tuple(key, Key(Object(value[key]))));
    }
    const nb::module_ builtins = nb::module_::import_("builtins");
    items.attr("sort")(nb::arg("key") = builtins.attr("repr"));
    return nb::make_tuple(Handle(reinterpret_cast<PyObject*>(&PyDict_Type)),
                          nb::tuple(items));
  }
  if (IsFlattenedDataclass(Py_TYPE(value.ptr()))) {
    const PyRef flat = FlattenObject(value.ptr());
    Check(static_cast<bool>(flat));
    const Object metadata = nb::borrow(PyTuple_GET_ITEM(flat.get(), 0));
    return nb::make_tuple(value.type(), metadata.type(), Key(metadata),
                          Key(PyTuple_GET_ITEM(flat.get(), 1)));
  }
  if (nb::hasattr(value, "tobytes") && nb::hasattr(value, "dtype")) {
    return nb::make_tuple(value.type(), nb::str(value.attr("dtype")),
                          value.attr("shape"), value.attr("tobytes")());
  }
  return nb::borrow(value);
}

Object KeyOf(Handle self, Handle) {
  const auto make = [&] {
    return nb::make_tuple(self.type(), Key(Object(self.attr("_serialize")())));
  };
  // Those of the extension have nowhere to keep it.
  if (!nb::hasattr(self, "__dict__")) return make();
  const auto facts = nb::cast<nb::dict>(self.attr("__dict__"));
  constexpr const char* kCached = "_cached_key";
  if (!facts.contains(kCached)) facts[kCached] = make();
  return Object(facts[kCached]);
}

PyObject* CompareSpecs(PyObject* a, PyObject* b, int op) {
  if (op != Py_EQ && op != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  if (op == Py_NE) {  // whatever a subclass says of ==
    const int equal = PyObject_RichCompareBool(a, b, Py_EQ);
    return equal < 0 ? nullptr : PyBool_FromLong(equal == 0);
  }
  if (Py_TYPE(a) != Py_TYPE(b)) Py_RETURN_FALSE;
  try {
    return nb::bool_(Handle(a).attr("_key")().equal(Handle(b).attr("_key")()))
        .release()
        .ptr();
  } catch (nb::python_error& error) {
    error.restore();
    return nullptr;
  }
}
Py_hash_t HashOf(PyObject* o) {
  PyRef key = PyRef::Steal(PyObject_CallMethod(o, "_key", nullptr));
  return key ? PyObject_Hash(key.get()) : -1;
}

Object KeyOfParts(Handle, Handle parts) { return Key(parts); }

// --- The same with less said of the tensors.

PartialTensorShape RankOnly(const PartialTensorShape& shape) {
  return shape.unknown_rank() ? shape
                              : PartialTensorShape::UnknownOfRank(shape.rank());
}
Object Changed(Handle self, const char* method, bool ranks_only) {
  const Parts parts(Object(self.attr("_serialize")()));
  std::vector<PyRef> values;
  for (const PyRef& leaf : parts.leaves) {
    Object value = nb::borrow(leaf.get());
    if (IsSpec(value)) {
      value = value.attr(method)();
    } else if (ranks_only && IsTensorShape(value.ptr())) {
      value = Took(WrapShape(RankOnly(ShapeOf(value.ptr()))));
    }
    values.push_back(PyRef::Steal(value.release().ptr()));
  }
  return self.type().attr("_deserialize")(parts.Packed(values));
}
Object WithoutNames(Handle self, Handle) {
  return Changed(self, "_without_tensor_names", false);
}
Object RanksOnly(Handle self, Handle) {
  return Changed(self, "_with_tensor_ranks_only", true);
}
Object TensorSpecWithoutName(Handle self, Handle) {
  const PyTensorSpec& spec = *TensorSpecOf(self.ptr());
  return Took(WrapTensorSpec(spec.shape, spec.dtype, nullptr));
}
Object TensorSpecOfRank(Handle self, Handle) {
  const PyTensorSpec& spec = *TensorSpecOf(self.ptr());
  return Took(
      WrapTensorSpec(spec.shape.unknown_rank()
                         ? spec.shape
                         : PartialTensorShape::UnknownOfRank(spec.shape.rank()),
                     spec.dtype, spec.name));
}

// --- Subtypes and common types.

SpecFields FieldsOf(Handle spec) {
  return PartsOfSpec(spec.attr("_serialize")());
}
bool AreOfOneClass(Handle a, Handle b) { return a.type().is(b.type()); }

Object IsSubtypeOf(Handle self, Handle other) {
  return nb::bool_(AreOfOneClass(self, other) && Told([&] {
                     return FieldsOf(self).IsSubtypeOf(FieldsOf(other));
                   }));
}
Object IsCompatibleWith(Handle self, Handle other) {
  Object spec = nb::borrow(other);
  if (!IsSpec(other)) {
    try {
      spec = SpecOfValue(other);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_TypeError)) throw;
      return nb::bool_(false);
    }
  }
  return nb::bool_(AreOfOneClass(self, spec) && Told([&] {
                     return FieldsOf(self).IsCompatibleWith(FieldsOf(spec));
                   }));
}

Object CommonSupertype(Handle self, Handle others) {
  return Told([&]() -> Object {
    SpecFields common = FieldsOf(self);
    for (Handle other : others) {
      std::optional<SpecFields> both;
      if (AreOfOneClass(self, other)) both = common.Common(FieldsOf(other));
      if (!both) return nb::none();
      common = *std::move(both);
    }
    return self.type().attr("_deserialize")(PythonParts(common));
  });
}
Object CompatibleType(Handle self, Handle other) {
  nb::list others;
  others.append(other);
  Object found = self.attr("most_specific_common_supertype")(others);
  if (!found.is_none()) return found;
  PyErr_Format(PyExc_ValueError,
               "No TypeSpec is compatible with both %S and %S", self.ptr(),
               other.ptr());
  throw nb::python_error();
}

// --- In tracing.

Object Flatten(Handle self, Handle) {
  nb::list specs;
  for (const PyRef& spec : Components(self).leaves) {
    specs.extend(Handle(spec.get()).attr("flatten")());
  }
  return specs;
}

// The tensors are the components themselves, as those of most values are.
bool AreTensors(Handle parts, Handle specs) {
  const bool sequence =
      PyList_CheckExact(parts.ptr()) || PyTuple_CheckExact(parts.ptr());
  if (!sequence || nb::len(parts) != nb::len(specs)) return false;
  for (Handle part : parts) {
    if (!IsTensor(part.ptr())) return false;
  }
  return true;
}
Object ToTensors(Handle self, Handle value) {
  const Object given = self.attr("_to_components")(value);
  const Object described = self.attr("_component_specs");
  if (AreTensors(given, described)) return nb::list(given);
  const Parts parts(given), specs(described);
  if (parts.size() != specs.size()) {
    PyErr_Format(PyExc_TypeError, "%R does not have the components of %S.",
                 value.ptr(), self.ptr());
    throw nb::python_error();
  }
  nb::list tensors;
  for (size_t i = 0; i < parts.size(); ++i) {
    tensors.extend(specs.leaf(i).attr("to_tensors")(parts.leaf(i)));
  }
  return tensors;
}

// The value whose components are what a method of their specs gives.
Object FromComponents(Handle self, const char* method, Handle argument) {
  const Parts specs = Components(self);
  std::vector<PyRef> values;
  for (size_t i = 0; i < specs.size(); ++i) {
    Object value = specs.leaf(i).attr(method)(argument);
    values.push_back(PyRef::Steal(value.release().ptr()));
  }
  return self.attr("_from_components")(specs.Packed(values));
}
Object TensorList(Handle self, Handle value) {
  return self.attr("to_tensors")(value);
}
Object FromTensorList(Handle self, Handle tensors) {
  return self.attr("from_tensors")(nb::iter(tensors));
}
PyObject* FlatSpecs(PyObject* self, void*) {
  return PyObject_CallMethod(self, "flatten", nullptr);
}
Object FromTensors(Handle self, Handle tensors) {
  return FromComponents(self, "from_tensors", nb::iter(tensors));
}
Object PlaceholderValue(Handle self, Handle context) {
  return FromComponents(self, "placeholder_value", context);
}

[[noreturn]] void CannotCast(Handle self, Handle value) {
  PyErr_Format(PyExc_TypeError, "Can not cast %R to %R", value.ptr(),
               self.ptr());
  throw nb::python_error();
}
// The components of a value, which nest as those of its spec.
Parts ComponentsOf(Handle self, Handle value, const Parts& specs) {
  try {
    const Parts parts(Object(self.attr("_to_components")(value)));
    if (specs.NestsLike(parts)) return parts;
  } catch (nb::python_error& error) {
    for (PyObject* kind : {PyExc_AttributeError, PyExc_KeyError,
                           PyExc_TypeError, PyExc_ValueError}) {
      if (error.matches(kind)) CannotCast(self, value);
    }
    throw;
  }
  CannotCast(self, value);
}
Object CastTo(Handle self, Handle value, Handle context) {
  if (IsSpec(value)) {
    if (!nb::cast<bool>(value.attr("is_subtype_of")(self))) {
      CannotCast(self, value);
    }
    return nb::borrow(value);
  }
  const Parts specs = Components(self);
  const Parts parts = ComponentsOf(self, value, specs);
  std::vector<PyRef> cast;
  bool same = true;
  for (size_t i = 0; i < parts.size(); ++i) {
    Object part = specs.leaf(i).attr("cast")(parts.leaf(i), context);
    same &= part.is(parts.leaf(i));
    cast.push_back(PyRef::Steal(part.release().ptr()));
  }
  return same ? nb::borrow(value)
              : self.attr("_from_components")(specs.Packed(cast));
}
// --- TensorSpec, which is its own component.

Object NextOf(Handle, Handle tensors) {
  const nb::object iterator = nb::iter(tensors);
  PyObject* next = PyIter_Next(iterator.ptr());
  if (next == nullptr && !PyErr_Occurred()) PyErr_SetNone(PyExc_StopIteration);
  return Took(next);
}
Object NewArgument(Handle self, Handle context) {
  return context.attr("tensor")(self);
}

// A value that is no tensor yet; what cannot become one is a TypeError.
Object Converted(Handle value, DataType dtype) {
  const StatusOr<Tensor> tensor = ToTensor(value.ptr(), dtype);
  if (tensor.ok()) return Took(WrapTensor(*tensor));
  Raise(tensor.status());
  if (PyErr_ExceptionMatches(PyExc_ValueError)) {
    const std::string text = TakePythonErrorText();
    Raise(TypeError("{}", text));
  }
  throw nb::python_error();
}
Object CastToTensor(Handle self, Handle value, Handle) {
  const PyTensorSpec& spec = *TensorSpecOf(self.ptr());
  const bool is_tensor = IsTensor(value.ptr());
  const Object cast = is_tensor || IsTensorSpec(value.ptr())
                          ? nb::borrow(value)
                          : Converted(value, spec.dtype);
  const TraceTypeRef own = TypeOfValue(cast);
  if (own->IsSubtypeOf(*TypeOfValue(self))) return cast;
  // A symbolic tensor may turn out to fit.
  if (IsTensor(cast.ptr())) {
    const Tensor& t = TensorOf(cast.ptr());
    if (t.dtype() == spec.dtype &&
        spec.shape.IsCompatibleWith(t.partial_shape())) {
      return cast;
    }
  }
  PyErr_Format(PyExc_TypeError, "Can not cast %s to %R", own->Text().c_str(),
               self.ptr());
  throw nb::python_error();
}

template <Object (*kCast)(Handle, Handle, Handle)>
PyObject* Cast(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"value", "casting_context", nullptr};
  PyObject *value, *context;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "OO", const_cast<char**>(names), &value, &context)) {
    return nullptr;
  }
  try {
    return kCast(self, value, context).release().ptr();
  } catch (nb::python_error& error) {
    error.restore();
    return nullptr;
  }
}

// --- As an object.

int Init(PyObject* self, PyObject*, PyObject*) {
  if (Py_TYPE(self) != TypeSpecType) return 0;
  PyErr_SetString(PyExc_TypeError,
                  "Can't instantiate abstract class TypeSpec with abstract "
                  "methods _component_specs, _from_components, _serialize, "
                  "_to_components, value_type");
  return -1;
}
PyObject* Repr(PyObject* o) {
  PyRef parts = PyRef::Steal(PyObject_CallMethod(o, "_serialize", nullptr));
  PyRef name = PyRef::Steal(
      parts ? PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(o)),
                                     "__name__")
            : nullptr);
  return name ? PyUnicode_FromFormat("%U%R", name.get(), parts.get()) : nullptr;
}
Object Reduce(Handle self, Handle) {
  return nb::make_tuple(self.type().attr("_deserialize"),
                        nb::make_tuple(self.attr("_serialize")()));
}
Object Deserialize(Handle cls, Handle parts) { return cls(*nb::tuple(parts)); }
PyObject* Itself(PyObject* self, PyObject*) { return Py_NewRef(self); }
PyObject* ItsArgument(PyObject*, PyObject* o) { return Py_NewRef(o); }
Object SerializeTensorSpec(Handle self, Handle) {
  return nb::make_tuple(self.attr("shape"), self.attr("dtype"),
                        self.attr("name"));
}
PyObject* ItselfAlone(PyObject* self, void*) { return Py_NewRef(self); }

// What subclasses have to have.
PyObject* Missing(PyObject* self, const char* name) {
  PyRef cls = PyRef::Steal(PyObject_GetAttrString(
      reinterpret_cast<PyObject*>(Py_TYPE(self)), "__name__"));
  if (cls) PyErr_Format(PyExc_NotImplementedError, "%U.%s", cls.get(), name);
  return nullptr;
}
PyObject* MissingProperty(PyObject* self, void* name) {
  return Missing(self, static_cast<const char*>(name));
}
PyObject* NoSerialize(PyObject* self, PyObject*) {
  return Missing(self, "_serialize");
}
PyObject* NoToComponents(PyObject* self, PyObject*) {
  return Missing(self, "_to_components");
}
PyObject* NoFromComponents(PyObject* self, PyObject*) {
  return Missing(self, "_from_components");
}

constexpr char kOther[] = "other", kOthers[] = "others", kValue[] = "value",
               kTensors[] = "tensors", kContext[] = "placeholder_context",
               kSpecOrValue[] = "spec_or_value";
void* Name(const char* name) { return const_cast<char*>(name); }
#define ARGUMENT(name, f) GK_OF_ARGUMENT(name, Method<f>)

PyMethodDef methods[] = {
    {"_serialize", Guarded<NoSerialize>, METH_NOARGS, nullptr},
    {"_to_components", Guarded<NoToComponents>, METH_O, nullptr},
    {"_from_components", Guarded<NoFromComponents>, METH_O, nullptr},
    {"_deserialize", Guarded<Method<Deserialize>>, METH_O | METH_CLASS,
     nullptr},
    {"_key", Guarded<Method<KeyOf>>, METH_NOARGS, nullptr},
    {"_TypeSpec__make_cmp_key", Guarded<Method<KeyOfParts>>, METH_O, nullptr},
    {"_without_tensor_names", Guarded<Method<WithoutNames>>, METH_NOARGS,
     nullptr},
    {"_with_tensor_ranks_only", Guarded<Method<RanksOnly>>, METH_NOARGS,
     nullptr},
    {"_to_tensor_list", Guarded<Method<TensorList>>, METH_O, nullptr},
    {"_from_tensor_list", Guarded<Method<FromTensorList>>, METH_O, nullptr},
    {"_from_compatible_tensor_list", Guarded<Method<FromTensorList>>, METH_O,
     nullptr},
    {"__reduce__", Guarded<Method<Reduce>>, METH_NOARGS, nullptr},
    {"__tf_tracing_type__", Guarded<Itself>, METH_O, nullptr},
    GK_MESSAGE_METHODS,
    {"is_subtype_of", ARGUMENT(kOther, IsSubtypeOf),
     "is_subtype_of($self, other)\n--\n\n"
     "Is every value of this spec one of `other`?"},
    {"most_specific_common_supertype", ARGUMENT(kOthers, CommonSupertype),
     "most_specific_common_supertype($self, others)\n--\n\n"
     "The narrowest spec that covers this and `others`, or None."},
    {"most_specific_compatible_type", ARGUMENT(kOther, CompatibleType),
     "most_specific_compatible_type($self, other)\n--\n\n"
     "The narrowest spec that covers both; ValueError if there is none."},
    {"is_compatible_with", ARGUMENT(kSpecOrValue, IsCompatibleWith),
     "is_compatible_with($self, spec_or_value)\n--\n\n"
     "Could the value, or some value of the spec, be one of this spec?"},
    {"flatten", Guarded<Method<Flatten>>, METH_NOARGS,
     "flatten($self)\n--\n\n"
     "The specs of the tensors inside, from left to right."},
    {"to_tensors", ARGUMENT(kValue, ToTensors),
     "to_tensors($self, value)\n--\n\n"
     "The tensors inside `value`, in the order of `flatten`."},
    {"from_tensors", ARGUMENT(kTensors, FromTensors),
     "from_tensors($self, tensors)\n--\n\n"
     "The value made of the next of the iterator `tensors`."},
    {"placeholder_value", ARGUMENT(kContext, PlaceholderValue),
     "placeholder_value($self, placeholder_context)\n--\n\n"
     "A value whose tensors are arguments of the graph being traced."},
    {"cast", AsCFunction(Guarded<Cast<CastTo>>), METH_VARARGS | METH_KEYWORDS,
     "cast($self, value, casting_context)\n--\n\n"
     "`value` as one of this spec; TypeError if it cannot be."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {
    {"_component_specs", Guarded<MissingProperty>, nullptr, nullptr,
     Name("_component_specs")},
    {"_flat_tensor_specs", Guarded<FlatSpecs>, nullptr, nullptr, nullptr},
    {"value_type", Guarded<MissingProperty>, nullptr,
     "The class of the values.", Name("value_type")},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

bool ArePartsEqual(PyObject* a, PyObject* b) {
  return Py_TYPE(a) == Py_TYPE(b) && Key(a).equal(Key(b));
}

PyMethodDef tensor_spec_members[] = {
    {"_serialize", Guarded<Method<SerializeTensorSpec>>, METH_NOARGS, nullptr},
    {"_to_components", Guarded<ItsArgument>, METH_O, nullptr},
    {"_from_components", Guarded<ItsArgument>, METH_O, nullptr},
    {"_without_tensor_names", Guarded<Method<TensorSpecWithoutName>>,
     METH_NOARGS, nullptr},
    {"_with_tensor_ranks_only", Guarded<Method<TensorSpecOfRank>>, METH_NOARGS,
     nullptr},
    {"from_tensors", ARGUMENT(kTensors, NextOf),
     "from_tensors($self, tensors)\n--\n\n"
     "The next of the iterator `tensors`."},
    {"placeholder_value", ARGUMENT(kContext, NewArgument),
     "placeholder_value($self, placeholder_context)\n--\n\n"
     "A new argument of the graph being traced."},
    {"cast", AsCFunction(Guarded<Cast<CastToTensor>>),
     METH_VARARGS | METH_KEYWORDS,
     "cast($self, value, casting_context)\n--\n\n"
     "`value` as a tensor of this spec; TypeError if it cannot be."},
    {nullptr, nullptr, 0, nullptr}};
#undef ARGUMENT
PyGetSetDef tensor_spec_properties[] = {
    {"_component_specs", Guarded<ItselfAlone>, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyType_Slot type_spec_slots[] = {
    {Py_tp_doc,
     Doc("TypeSpec()\n--\n\n"
         "Describes values that are made of tensors.\n\n"
         "A subclass says with `_serialize` what it is made with, with\n"
         "`_component_specs` what the tensors inside are, and takes values "
         "apart\nand together with `_to_components` and `_from_components`.")},
    {Py_tp_init, Slot<Init>()},
    {Py_tp_repr, Slot<Repr>()},
    {Py_tp_hash, Slot<HashOf>()},
    {Py_tp_richcompare, Slot<CompareSpecs>()},
    {Py_tp_methods, Slot<methods>()},
    {Py_tp_getset, Slot<properties>()},
    {0, nullptr}};

}  // namespace gk::py
