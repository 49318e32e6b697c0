#include "python/src/types/spec_of_value.h"

#include "function/trace_type.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/late_attributes.h"
#include "python/src/binding/text_caster.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/function/function_trace_type.h"
#include "python/src/ragged/composite_types.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;

// (class, converter, of subclasses, too) in the order that they were told.
nb::list Converters() {
  static constinit MadeOnce list;
  PyObject* const all = list.Get([] { return PyList_New(0); });
  if (all == nullptr) throw nb::python_error();
  return nb::borrow<nb::list>(all);
}

Object AddConverter(Handle, Handle cls, Handle converter, Handle subclasses) {
  Converters().append(nb::make_tuple(cls, converter, subclasses));
  return nb::none();
}

Object ConvertedSpec(Handle value) {
  const nb::list all = Converters();
  for (size_t i = all.size(); i-- > 0;) {
    const Object entry = all[i];
    const Object cls = entry[0];
    if (!value.type().is(cls) &&
        !(nb::cast<bool>(entry[2]) && nb::isinstance(value, cls))) {
      continue;
    }
    Object found = entry[1](value);
    if (!found.is_none()) return found;
  }
  return nb::none();
}

// --- VariableSpec.

PyTypeObject* variable_spec = nullptr;  // the class, for ever

Handle Class() { return reinterpret_cast<PyObject*>(variable_spec); }

Object InitVariableSpec(Handle self, Handle shape, Handle dtype,
                        Handle trainable, Handle alias) {
  SetParts(self, {{"_shape", ShapeObject(shape)},
                  {"_dtype", TypeObject(dtype)},
                  {"trainable", nb::borrow(trainable)},
                  {"alias_id", nb::borrow(alias)}});
  return nb::none();
}
Object SpecOfVariable(Handle cls, Handle value) {
  return cls(value.attr("shape"), value.attr("dtype"), value.attr("trainable"));
}
TraceTypeRef TypeOfSpec(Handle spec) {
  const Object alias = spec.attr("alias_id");
  return TraceType::Variable(
      AsType(spec.attr("_dtype"), DataType::kInvalid),
      Shape(spec.attr("_shape")), Truth(spec.attr("trainable")),
      alias.is_none() ? kNoAlias : nb::cast<int>(alias));
}
Object TracingType(Handle self, Handle) {
  return Owned(WrapTraceType(TypeOfSpec(self)));
}
Object PartsOfVariableSpec(Handle self) {
  return nb::make_tuple(self.attr("_shape"), self.attr("_dtype"),
                        self.attr("trainable"), self.attr("alias_id"));
}
Object TextOfVariableSpec(Handle self) {
  return Owned(PyUnicode_FromFormat(
      "VariableSpec(shape=%S, dtype=%R, trainable=%R, alias_id=%R)",
      Object(self.attr("_shape")).ptr(), Object(self.attr("_dtype")).ptr(),
      Object(self.attr("trainable")).ptr(),
      Object(self.attr("alias_id")).ptr()));
}
Object HandleSpecs(Handle) {
  nb::list specs;
  specs.append(SpecOf(TensorShape(), DataType::kResource));
  return specs;
}
Object HandleOf(Handle, Handle value) {
  nb::list parts;
  parts.append(value.attr("handle"));
  return parts;
}
Object VariableOfComponents(Handle self, Handle components) {
  const nb::list parts(components);
  if (parts.size() != 1) {
    Throw(ValueError("A variable has one component, got {}", parts.size()));
  }
  const Tensor handle = AsTensor(Object(parts[0]));
  if (PyObject* known = FindVariable(handle)) return nb::borrow(known);
  if (handle.dtype() != DataType::kResource) {
    Throw(TypeError("the handle must be a resource tensor"));
  }
  const TraceTypeRef type = TypeOfSpec(self);
  return Owned(VariableOfHandle(handle, type->dtype(), type->shape(),
                                type->trainable(), "Variable"));
}
// Of the same dtype, and trainable if the other is?
bool AreOfOneKind(const TraceType& a, const TraceType& b) {
  return a.dtype() == b.dtype() && a.trainable() == b.trainable();
}
Object IsVariableCompatible(Handle self, Handle other) {
  const bool is_variable = IsVariable(other.ptr());
  if (!is_variable && !IsVariableSpec(other)) return nb::bool_(false);
  const TraceTypeRef ours = TypeOfSpec(self),
                     theirs = TypeOfSpec(
                         is_variable
                             ? SpecOfVariable(Class(), other)
                             : nb::borrow(other));
  return nb::bool_(AreOfOneKind(*ours, *theirs) &&
                   ours->shape().IsCompatibleWith(theirs->shape()));
}
Object IsVariableSubtype(Handle self, Handle other) {
  if (!IsVariableSpec(other)) return nb::bool_(false);
  const TraceTypeRef ours = TypeOfSpec(self), theirs = TypeOfSpec(other);
  return nb::bool_(AreOfOneKind(*ours, *theirs) &&
                   ours->shape().IsSubtypeOf(theirs->shape()) &&
                   (theirs->alias() == kNoAlias ||
                    ours->alias() == theirs->alias()));
}
Object TypeOfVariables(Handle) {
  return Handle(ThisModule()).attr("Variable");
}
Object NoName(Handle) { return nb::none(); }

PyMethodDef kSpecOfValueSpecMethods[] = {
    GK_METHOD("__init__",
              "shape, dtype=tf.float32, trainable=True, alias_id=None",
              InitVariableSpec, ""),
    GK_CLASS_METHOD("from_value", "value", SpecOfVariable,
                    "The spec of a variable."),
    GK_METHOD("_serialize", "", PartsOfVariableSpec, ""),
    GK_METHOD("_to_components", "value", HandleOf, ""),
    GK_METHOD("_from_components", "components", VariableOfComponents, ""),
    GK_METHOD("is_compatible_with", "spec_or_value", IsVariableCompatible,
              "Is it, or the spec of it, a variable that this may stand for?"),
    GK_METHOD("is_subtype_of", "other", IsVariableSubtype,
              "Can `other` stand for every variable that this stands for?"),
    GK_METHOD("__tf_tracing_type__", "context", TracingType, ""),
    GK_METHOD("__repr__", "", TextOfVariableSpec, ""),
    {}};
PyGetSetDef kSpecOfValueSpecProperties[] = {
    GK_PROPERTY("shape", Part<"_shape">, "What values must match."),
    GK_PROPERTY("dtype", Part<"_dtype">, "Of the elements."),
    GK_PROPERTY("name", NoName, "Variables are not told apart by name."),
    GK_PROPERTY("value_type", TypeOfVariables, "tf.Variable."),
    GK_PROPERTY("_component_specs", HandleSpecs, nullptr),
    {}};

Object TypeSpecFromValue(Handle, Handle value) { return SpecOfValue(value); }

PyMethodDef kSpecOfValueFunctions[] = {
    GK_MODULE_FUNCTION(
        "type_spec_from_value", "value", TypeSpecFromValue,
        "The tf.TypeSpec of `value`.\n\n"
        "Args:\n"
        "  value: a tensor, a composite tensor, or what can be made a tensor.\n"
        "\nRaises:\n"
        "  TypeError: nothing of that kind can be a tensor.\n\n"
        ">>> tf.type_spec_from_value(tf.constant([1, 2]))\n"
        "TensorSpec(shape=(2,), dtype=tf.int32, name=None)\n"
        ">>> tf.type_spec_from_value(tf.ragged.constant([[1], [2, 3]]))\n"
        "RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int64)\n"),
    GK_MODULE_FUNCTION(
        "register_type_spec_from_value_converter",
        "type_object, converter_fn, allow_subclass=False", AddConverter,
        "Makes `type_spec_from_value` know a class that has no "
        "`_type_spec`."),
    {}};

}  // namespace

Object VariableSpecOf(const TraceType& type) {
  const Object alias =
      type.alias() == kNoAlias ? nb::none() : nb::cast(type.alias());
  return Class()(Owned(WrapShape(type.shape())),
                 Object(nb::borrow(DTypeObject(type.dtype()))),
                 type.trainable(), alias);
}

bool IsVariableSpec(Handle o) {
  return PyObject_TypeCheck(o.ptr(), variable_spec);
}

Object SpecOfValue(Handle value) {
  if (IsTensor(value.ptr())) {
    const Tensor& t = TensorOf(value.ptr());
    return SpecOf(t.partial_shape(), t.dtype());
  }
  if (value.is_none()) return Handle(ThisModule()).attr("NoneTensorSpec")();
  Object own = nb::getattr(value, "_type_spec", nb::none());
  if (PyObject_TypeCheck(own.ptr(), TypeSpecType)) return own;
  Object found = ConvertedSpec(value);
  if (!found.is_none()) return found;
  if (IsVariable(value.ptr())) {
    return SpecOfVariable(Class(), value);
  }
  try {
    const Tensor t = Converted(value);
    return SpecOf(t.partial_shape(), t.dtype());
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError) && !error.matches(PyExc_ValueError)) {
      throw;
    }
  }
  PyErr_Format(PyExc_TypeError,
               "Could not build a TypeSpec for %R of unsupported type %S.",
               value.ptr(), value.type().ptr());
  throw nb::python_error();
}

void AddSpecsOfValues(nb::module_& m) {
  AddFunctions(m, kSpecOfValueFunctions);
  const Handle cls = AddClass(
      m, "VariableSpec", reinterpret_cast<PyObject*>(TypeSpecType),
      std::nullopt,
      "What is known of a variable: shape, dtype, trainable.\n\n"
      "`alias_id` tells which variables of one call are the same; where "
      "it is\nNone every spec stands for a variable of its own.\n\n"
      ">>> spec = tf.type_spec_from_value(tf.Variable([1.0, 2.0]))\n"
      ">>> spec\n"
      "VariableSpec(shape=(2,), dtype=tf.float32, trainable=True, "
      "alias_id=None)\n"
      ">>> f = tf.function(lambda v: v * 2.0)\n"
      ">>> f.get_concrete_function(spec)(tf.Variable([3.0, 4.0]))"
      ".numpy().tolist()\n"
      "[6.0, 8.0]\n",
      kSpecOfValueSpecMethods, kSpecOfValueSpecProperties);
  variable_spec = reinterpret_cast<PyTypeObject*>(cls.ptr());
}

}  // namespace gk::py
