// Classes of values that hold elements of datasets, and of their specs:
// tf.data.DatasetSpec, Iterator, IteratorSpec and NumpyIterator,
// tf.experimental.Optional, tf.OptionalSpec. And those that nothing is below:
// composite tensors, the spec of None.
#include "checkpoint/trackable.h"
#include "framework/op_builder.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/late_attributes.h"
#include "python/src/binding/package_parts.h"
#include "python/src/binding/text_caster.h"
#include "python/src/checkpoint/trackable_type.h"
#include "python/src/control_flow/control_flow.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/data/dataset_ops.h"
#include "python/src/data/element_spec.h"
#include "python/src/data/made_dataset.h"
#include "python/src/data/run_freely.h"
#include "python/src/graph/name_scope.h"
#include "python/src/ops/call_op.h"
#include "python/src/tensors/converted.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_spec_type.h"

namespace gk::py {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;

namespace {

// The classes, for ever.
struct Classes {
  Handle composite, none_spec;
  Handle datasets, dataset_spec;
  Handle optional, optional_spec;
  Handle iterator, iterator_spec;
};
Classes& The() {
  static Classes classes;
  return classes;
}

bool IsA(Handle value, Handle cls) {
  return PyObject_TypeCheck(value.ptr(),
                            reinterpret_cast<PyTypeObject*>(cls.ptr()));
}
PartialTensorShape ScalarShape() { return TensorShape(); }
Object ScalarSpec(DataType type) {
  return Owned(WrapTensorSpec(ScalarShape(), type));
}
nb::list ListOf(Handle item) {
  nb::list list;
  list.append(item);
  return list;
}
// What an op of an element is called with.
nb::dict ElementCall(const char* input, Handle value, Handle element_spec) {
  nb::dict call = ElementAttributes(element_spec);
  call[input] = value;
  return call;
}

Object Itself(Handle self) { return nb::borrow(self); }

// --- Composite tensors, and the spec of None.

Object NoTypeSpec(Handle self) {
  const std::string name = nb::cast<std::string>(self.type().attr("__name__"));
  PyErr_Format(PyExc_NotImplementedError, "%s._type_spec", name.c_str());
  throw nb::python_error();
}
PyGetSetDef composite_properties[] = {
    GK_PROPERTY("_type_spec", NoTypeSpec, nullptr), {}};
Object Unchanged(Handle self) { return nb::borrow(self); }
PyMethodDef composite_methods[] = {
    GK_METHOD("_convert_variables_to_tensors", "", Unchanged, ""), {}};

Object TypeOfNone(Handle) { return nb::borrow(Handle(Py_None).type()); }
Object NoParts(Handle) { return nb::tuple(); }
Object NoSpecs(Handle) { return nb::list(); }
Object NoComponents(Handle, Handle) { return nb::list(); }
Object NoneOf(Handle, Handle) { return nb::none(); }
Object CompatibleWithNone(Handle self, Handle other) {
  if (!other.type().is(self.type())) {
    PyErr_Format(PyExc_ValueError,
                 "No `TypeSpec` is compatible with both %S and %S", self.ptr(),
                 other.ptr());
    throw nb::python_error();
  }
  return nb::borrow(self);
}
Object SpecOfNone(Handle, Handle) { return Handle(The().none_spec)(); }
PyMethodDef none_methods[] = {
    GK_METHOD("_serialize", "", NoParts, ""),
    GK_METHOD("_to_components", "value", NoComponents, ""),
    GK_METHOD("_from_components", "components", NoneOf, ""),
    GK_METHOD("most_specific_compatible_type", "other", CompatibleWithNone,
              "This, if the other is one, too; else ValueError."),
    GK_METHOD("most_specific_compatible_shape", "other", CompatibleWithNone,
              "The older name of `most_specific_compatible_type`."),
    GK_STATIC_METHOD("from_value", "value", SpecOfNone,
                     "The spec; of None, which is the only value."),
    {}};
PyGetSetDef none_properties[] = {
    GK_PROPERTY("value_type", TypeOfNone, "The class of None."),
    GK_PROPERTY("_component_specs", NoSpecs, nullptr),
    {}};

// --- Datasets in a tensor, and the spec of them.

Object DatasetsSpec(Handle self) {
  return DatasetSpecOf(self.attr("_element_spec"),
                       ShapeOf(Object(self.attr("_dataset_shape")).ptr()));
}
Object VariantOf(Handle self) { return self.attr("_variant_tensor"); }
PyMethodDef datasets_methods[] = {GK_METHOD("_as_input", "", VariantOf, ""),
                                  {}};
PyGetSetDef datasets_properties[] = {
    GK_PROPERTY("_type_spec", DatasetsSpec, nullptr), {}};

Object InitDatasetSpec(Handle self, Handle element_spec, Handle shape) {
  self.attr("_element_spec") = element_spec;
  self.attr("_dataset_shape") = Owned(WrapShape(Shape(shape)));
  return nb::none();
}
Object TypeOfDatasets(Handle) { return nb::borrow(DatasetClass()); }
Object SpecOfDataset(Handle, Handle value) {
  return DatasetSpecOf(value.attr("element_spec"), ScalarShape());
}
Object PartsOfDatasetSpec(Handle self) {
  return nb::make_tuple(self.attr("_element_spec"),
                        self.attr("_dataset_shape"));
}
Object VariantSpec(Handle self) {
  return Owned(WrapTensorSpec(ShapeOfDatasets(self), DataType::kVariant));
}
Object InputOf(Handle, Handle dataset) { return dataset.attr("_as_input")(); }
Object ComponentDatasets(Handle self, Handle variant) {
  const PartialTensorShape shape = ShapeOfDatasets(self);
  const Object elements = self.attr("_element_spec");
  if (shape.rank() != 0) return DatasetsInTensor(variant, elements, shape);
  return MakeDataset("_VariantDataset", variant, elements);
}
PyMethodDef dataset_spec_methods[] = {
    GK_METHOD("__init__", "element_spec, dataset_shape=()", InitDatasetSpec,
              ""),
    GK_STATIC_METHOD(
        "from_value", "value", SpecOfDataset,
        "The spec of a dataset.\n\n"
        ">>> tf.data.DatasetSpec.from_value(tf.data.Dataset.range(3))\n"
        "DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), "
        "TensorShape([]))\n"),
    GK_METHOD("_serialize", "", PartsOfDatasetSpec, ""),
    GK_METHOD("_to_components", "value", InputOf, ""),
    GK_METHOD("_from_components", "components", ComponentDatasets, ""),
    {}};
PyGetSetDef dataset_spec_properties[] = {
    GK_PROPERTY(
        "element_spec", OwnElementSpec,
        "The structure of tf.TypeSpecs of an element.\n\n"
        ">>> spec = tf.data.DatasetSpec.from_value(tf.data.Dataset.range(3))\n"
        ">>> spec.element_spec\n"
        "TensorSpec(shape=(), dtype=tf.int64, name=None)\n"),
    GK_PROPERTY("value_type", TypeOfDatasets, "tf.data.Dataset."),
    GK_PROPERTY("_component_specs", VariantSpec, nullptr),
    {}};

// --- Optionals.

Object NewOptional(Handle variant, Handle element_spec) {
  return The().optional(variant, element_spec);
}
Object InitOptional(Handle self, Handle variant, Handle element_spec) {
  self.attr("_variant_tensor") = variant;
  self.attr("_element_spec") = element_spec;
  return nb::none();
}
Object HasValue(Handle self, Handle name) {
  const Object optional = self.attr("_variant_tensor");
  return Owned(
      CallOp(kOptionalHasValue, {{"optional", optional.ptr()}}, name.ptr()));
}
Object ValueOfOptional(Handle self, Handle name) {
  const Object spec = self.attr("_element_spec");
  const nb::dict call =
      ElementCall("optional", self.attr("_variant_tensor"), spec);
  return ElementOfComponents(
      spec, Owned(CallOp(kOptionalGetValue, call.ptr(), name.ptr())));
}
Object NoOptional(Handle, Handle element_spec) {
  return NewOptional(Owned(CallOp(kOptionalNone, {})), element_spec);
}
Object OptionalOf(Handle, Handle given) {
  const OpScope scope("optional");
  if (!scope.status().ok()) Throw(scope.status());
  const Object value = NormalizedElement(given);
  const Object spec = SpecOfElement(value);
  const Object components = ComponentsOfElement(spec, value);
  return NewOptional(
      Owned(CallOp(kOptionalFromValue, {{"components", components.ptr()}})),
      spec);
}
Object SpecOfOptional(Handle, Handle value) {
  return The().optional_spec(value.attr("element_spec"));
}
Object OwnOptionalSpec(Handle self) { return SpecOfOptional({}, self); }

PyMethodDef optional_methods[] = {
    GK_METHOD("__init__", "variant_tensor, element_spec", InitOptional, ""),
    GK_METHOD("has_value", "name=None", HasValue,
              "Is there a value? A bool scalar.\n\n"
              ">>> bool(tf.experimental.Optional.from_value(1.0).has_value())\n"
              "True\n"),
    GK_METHOD(
        "get_value", "name=None", ValueOfOptional,
        "The value.\n\n"
        "Raises:\n"
        "  tf.errors.InvalidArgumentError: there is none.\n\n"
        ">>> float(tf.experimental.Optional.from_value(1.5).get_value())\n"
        "1.5\n"),
    GK_STATIC_METHOD("empty", "element_spec", NoOptional,
                     "An optional without a value.\n\n"
                     "Args:\n"
                     "  element_spec: what a value would be.\n\n"
                     ">>> spec = tf.TensorSpec([2], tf.float32)\n"
                     ">>> tf.experimental.Optional.empty(spec).element_spec\n"
                     "TensorSpec(shape=(2,), dtype=tf.float32, name=None)\n"),
    GK_STATIC_METHOD(
        "from_value", "value", OptionalOf,
        "An optional of this value, a structure of what can be tensors.\n\n"
        ">>> o = tf.experimental.Optional.from_value({\"a\": 1})\n"
        ">>> int(o.get_value()[\"a\"])\n"
        "1\n"),
    {}};
PyGetSetDef optional_properties[] = {
    GK_PROPERTY("element_spec", OwnElementSpec,
                "The structure of tf.TypeSpecs of the value."),
    GK_PROPERTY("_type_spec", OwnOptionalSpec, nullptr),
    {}};

Object InitSpec(Handle self, Handle element_spec) {
  self.attr("_element_spec") = element_spec;
  return nb::none();
}
Object PartsOfSpec(Handle self) {
  return nb::make_tuple(self.attr("_element_spec"));
}
Object TypeOfOptionals(Handle) { return nb::borrow(The().optional); }
Object OptionalSpecs(Handle) { return ListOf(ScalarSpec(DataType::kVariant)); }
Object PartsOfOptional(Handle, Handle value) {
  return ListOf(value.attr("_variant_tensor"));
}
Object OptionalOfParts(Handle self, Handle components) {
  return NewOptional(components[0], self.attr("_element_spec"));
}
PyMethodDef optional_spec_methods[] = {
    GK_METHOD("__init__", "element_spec", InitSpec, ""),
    GK_STATIC_METHOD(
        "from_value", "value", SpecOfOptional,
        "The spec of an optional.\n\n"
        ">>> one = tf.experimental.Optional.from_value(1)\n"
        ">>> tf.OptionalSpec.from_value(one)\n"
        "OptionalSpec(TensorSpec(shape=(), dtype=tf.int32, name=None),)\n"),
    GK_METHOD("_serialize", "", PartsOfSpec, ""),
    GK_METHOD("_to_components", "value", PartsOfOptional, ""),
    GK_METHOD("_from_components", "components", OptionalOfParts, ""),
    {}};
PyGetSetDef optional_spec_properties[] = {
    GK_PROPERTY("value_type", TypeOfOptionals, "tf.experimental.Optional."),
    GK_PROPERTY("_component_specs", OptionalSpecs, nullptr),
    {}};

// --- Iterators.

// Python that iterates while a graph is built never sees an end.
constexpr int64_t kMostInAGraph = 10'000;

// Of a dataset; or `components`, the handle of one.
Object InitIterator(Handle self, Handle dataset, Handle components,
                    Handle element_spec) {
  const bool made = dataset.is_none();
  const Object spec =
      made ? nb::borrow(element_spec) : Object(dataset.attr("element_spec"));
  const Object handle =
      made ? Object(components[0])
           : Owned(CallOp(kAnonymousIteratorV3, ElementAttributes(spec).ptr()));
  self.attr("_element_spec") = spec;
  self.attr("_handle") = handle;
  self.attr("_call") = ElementCall("iterator", handle, spec);
  self.attr("_asked") = 0;
  if (made) return nb::none();
  // Functions of the dataset may belong to its Python face. It goes after the
  // handle: the end of an iterator may call them.
  self.attr("_parts") = dataset;
  const Object input = dataset.attr("_as_input")();
  Owned(CallOp(kMakeIterator,
               {{"dataset", input.ptr()}, {"iterator", handle.ptr()}}));
  return nb::none();
}
Object GetNext(Handle self) {
  const Object spec = self.attr("_element_spec");
  const Object components =
      Owned(CallOp(kIteratorGetNext, Object(self.attr("_call")).ptr()));
  if (Py_TYPE(spec.ptr()) == TensorSpecType) return components[0];
  return ElementOfComponents(spec, components);
}
Object Next(Handle self) {
  if (OpBuilder::Current()->builds_graph()) {
    const int64_t asked = nb::cast<int64_t>(self.attr("_asked")) + 1;
    self.attr("_asked") = asked;
    if (asked > kMostInAGraph) {
      PyErr_SetString(
          OperatorNotAllowedInGraphError(),
          "Iterating over a `tf.data.Dataset` is not allowed in Python code "
          "that builds a graph: it never comes to an end. Use a for statement "
          "in a function that AutoGraph converts.");
      throw nb::python_error();
    }
  }
  try {
    return GetNext(self);
  } catch (nb::python_error& error) {
    if (!error.matches(ErrorClass(Code::kOutOfRange))) throw;
  }
  PyErr_SetNone(PyExc_StopIteration);
  throw nb::python_error();
}
Object NextAsOptional(Handle self) {
  return NewOptional(Owned(CallOp(kIteratorGetNextAsOptional,
                                  Object(self.attr("_call")).ptr())),
                     self.attr("_element_spec"));
}
Object SpecOfIterator(Handle, Handle value) {
  return The().iterator_spec(value.attr("element_spec"));
}
Object OwnIteratorSpec(Handle self) { return SpecOfIterator({}, self); }

Object LoopOverIterator(Handle self, nb::tuple loop) {
  return package::iterator_loop.Held()(self, *loop);
}
// next(iterator) or next(iterator, otherwise) while tracing.
Object NextOr(Handle self, nb::tuple otherwise) {
  if (otherwise.size() == 0) return GetNext(self);
  const Object element = NextAsOptional(self);
  return CondOf(
      HasValue(element, nb::none()), Object(element.attr("get_value")),
      nb::cpp_function([value = Object(otherwise[0])] { return value; }));
}

// Of checkpoints.
Object HandleOf(Handle self) { return self.attr("_handle"); }
Object StateOfIterator(Handle self) {
  const Object handle = self.attr("_handle");
  return Wrapped(SaveIterator(TensorOf(handle.ptr())));
}
Object SetIteratorState(Handle self, Handle state) {
  const Object handle = self.attr("_handle");
  const Tensor iterator = TensorOf(handle.ptr()), given = TensorOf(state.ptr());
  // Its functions may be Python's, on other threads.
  RunFreely([&] { RestoreIterator(iterator, given); });
  return nb::none();
}

Object SaveOf(Handle self) {
  const Object handle = self.attr("_handle");
  return Wrapped(SaveIterator(TensorOf(handle.ptr()))[0]);
}
Object RestoreTo(Handle self, Handle state) {
  if (!IsTensor(state.ptr())) {
    Throw(TypeError("`state` must be what `save` returned, but is {}",
                    TextOf(state)));
  }
  return SetIteratorState(self, state);
}

PyMethodDef iterator_methods[] = {
    GK_METHOD("__init__", "dataset=None, components=None, element_spec=None",
              InitIterator, ""),
    GK_METHOD("get_next", "", GetNext,
              "The next element.\n\n"
              "Raises:\n"
              "  tf.errors.OutOfRangeError: there is none.\n\n"
              ">>> int(iter(tf.data.Dataset.range(5, 7)).get_next())\n"
              "5\n"),
    GK_METHOD(
        "get_next_as_optional", "", NextAsOptional,
        "The next element as a tf.experimental.Optional, which has no value\n"
        "at the end.\n\n"
        ">>> it = iter(tf.data.Dataset.range(0))\n"
        ">>> bool(it.get_next_as_optional().has_value())\n"
        "False\n"),
    GK_METHOD("__iter__", "", Itself, ""),
    GK_METHOD("__next__", "", Next, ""),
    GK_METHOD("next", "", Next,
              "The same as `next(iterator)`.\n\n"
              ">>> int(iter(tf.data.Dataset.range(3, 4)).next())\n"
              "3\n"),
    GK_METHOD("_next_internal", "", GetNext, ""),
    GK_METHOD("_save_state", "", StateOfIterator, ""),
    GK_METHOD("_save", "", SaveOf, ""),
    GK_METHOD("_restore", "state", RestoreTo, ""),
    GK_METHOD("_restore_state", "state", SetIteratorState, ""),
    GK_METHOD("_autograph_for", "*args", LoopOverIterator, ""),
    GK_METHOD("_autograph_next", "*default", NextOr, ""),
    {}};
PyGetSetDef iterator_properties[] = {
    GK_PROPERTY("element_spec", OwnElementSpec,
                "The structure of tf.TypeSpecs of an element.\n\n"
                ">>> iter(tf.data.Dataset.range(2)).element_spec\n"
                "TensorSpec(shape=(), dtype=tf.int64, name=None)\n"),
    GK_PROPERTY("_type_spec", OwnIteratorSpec, nullptr),
    GK_PROPERTY("_iterator_resource", HandleOf, nullptr),
    {}};

Object TypeOfIterators(Handle) { return nb::borrow(The().iterator); }
Object IteratorSpecs(Handle) { return ListOf(ScalarSpec(DataType::kResource)); }
Object PartsOfIterator(Handle, Handle value) {
  return ListOf(value.attr("_handle"));
}
Object IteratorOfParts(Handle self, Handle components) {
  return The().iterator(nb::none(), components, self.attr("_element_spec"));
}
PyMethodDef iterator_spec_methods[] = {
    GK_METHOD("__init__", "element_spec", InitSpec, ""),
    GK_STATIC_METHOD(
        "from_value", "value", SpecOfIterator,
        "The spec of an iterator.\n\n"
        ">>> it = iter(tf.data.Dataset.range(1))\n"
        ">>> tf.data.IteratorSpec.from_value(it)\n"
        "IteratorSpec(TensorSpec(shape=(), dtype=tf.int64, name=None),)\n"),
    GK_METHOD("_serialize", "", PartsOfSpec, ""),
    GK_METHOD("_to_components", "value", PartsOfIterator, ""),
    GK_METHOD("_from_components", "components", IteratorOfParts, ""),
    {}};
PyGetSetDef iterator_spec_properties[] = {
    GK_PROPERTY("value_type", TypeOfIterators, "tf.data.Iterator."),
    GK_PROPERTY("_component_specs", IteratorSpecs, nullptr),
    {}};

}  // namespace

Handle NoneSpecClass() { return The().none_spec; }
Object NewIterator(Handle dataset) { return The().iterator(dataset); }

bool IsDatasetSpec(Handle spec) { return IsA(spec, The().dataset_spec); }

Object DatasetSpecOf(Handle element_spec, const PartialTensorShape& shape) {
  return The().dataset_spec(element_spec, Owned(WrapShape(shape)));
}

PartialTensorShape ShapeOfDatasets(Handle spec) {
  return ShapeOf(Object(spec.attr("_dataset_shape")).ptr());
}

Object DatasetsInTensor(Handle variant, Handle element_spec,
                        const PartialTensorShape& shape) {
  Object made = The().datasets();
  made.attr("_variant_tensor") = variant;
  made.attr("_element_spec") = element_spec;
  made.attr("_dataset_shape") = Owned(WrapShape(shape));
  return made;
}

void AddElementClasses(nb::module_& m) {
  Classes& c = The();
  const Handle spec(reinterpret_cast<PyObject*>(TypeSpecType));
  const auto add = [&](const char* home, const char* name, Handle base,
                       PyMethodDef* methods, PyGetSetDef* properties,
                       const char* doc, std::optional<Slots> slots = {}) {
    return AddClass(m, name, base, std::move(slots), doc, methods, properties,
                    home);
  };
  c.composite = add(
      nullptr, "CompositeTensor", {}, composite_methods, composite_properties,
      "A value made of tensors, which its `_type_spec` describes.",
      Slots{"__weakref__"});
  c.none_spec =
      add(nullptr, "NoneTensorSpec", spec, none_methods, none_properties,
          "The spec of None.\n\n"
          ">>> tf.NoneTensorSpec()\n"
          "NoneTensorSpec()");
  c.datasets = add("graphkiln.data", "_NestedVariant", c.composite,
                   datasets_methods, datasets_properties,
                   "Datasets whose elements have one spec, in a tensor.");
  c.dataset_spec = add(
      "graphkiln.data", "DatasetSpec", spec, dataset_spec_methods,
      dataset_spec_properties,
      "What is known of a tf.data.Dataset.\n\n"
      "Args:\n"
      "  element_spec: the structure of tf.TypeSpecs of an element.\n"
      "  dataset_shape: of the tensor that holds it.\n\n"
      ">>> spec = tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))\n"
      ">>> f = tf.function(lambda d: d.cardinality(), input_signature=[spec])\n"
      ">>> int(f(tf.data.Dataset.range(3)))\n"
      "3\n");
  c.optional = add(
      "graphkiln.experimental", "Optional", c.composite, optional_methods,
      optional_properties,
      "A value that may be missing: what an iterator gives at its end.\n\n"
      ">>> o = tf.experimental.Optional.from_value(3)\n"
      ">>> bool(o.has_value()), int(o.get_value())\n"
      "(True, 3)\n"
      ">>> empty = tf.experimental.Optional.empty(tf.TensorSpec([], tf.int32))"
      "\n>>> bool(empty.has_value())\n"
      "False\n");
  c.optional_spec =
      add("graphkiln", "OptionalSpec", spec, optional_spec_methods,
          optional_spec_properties,
          "What is known of a tf.experimental.Optional.\n\n"
          "Args:\n"
          "  element_spec: the structure of tf.TypeSpecs of the value.\n\n"
          ">>> tf.OptionalSpec(tf.TensorSpec([], tf.int32))\n"
          "OptionalSpec(TensorSpec(shape=(), dtype=tf.int32, name=None),)\n");
  c.iterator =
      add("graphkiln.data", "Iterator", c.composite, iterator_methods,
          iterator_properties,
          "Gives the elements of a tf.data.Dataset one by one: "
          "`iter(dataset)`.\n\n"
          "It can be an argument of a tf.function, which moves it on.\n\n"
          ">>> it = iter(tf.data.Dataset.range(2))\n"
          ">>> int(it.get_next()), int(next(it))\n"
          "(0, 1)\n");
  // Checkpoints hold it, other values that are made of tensors not.
  c.iterator.attr("__bases__") = nb::make_tuple(
      c.composite, nb::handle(reinterpret_cast<PyObject*>(TrackableType)));
  c.iterator_spec =
      add("graphkiln.data", "IteratorSpec", spec, iterator_spec_methods,
          iterator_spec_properties,
          "What is known of a tf.data.Iterator.\n\n"
          "Args:\n"
          "  element_spec: the structure of tf.TypeSpecs of an element.\n\n"
          ">>> spec = tf.data.IteratorSpec(tf.TensorSpec([], tf.int64))\n"
          ">>> f = tf.function(lambda it: next(it) + 1, "
          "input_signature=[spec])\n"
          ">>> int(f(iter(tf.data.Dataset.range(3))))\n"
          "1\n");
  AddNumpyIterator(m);
}

}  // namespace gk::py
