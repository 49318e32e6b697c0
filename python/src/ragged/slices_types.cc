// IndexedSlices and its spec.
#include <array>

#include "function/slices_value.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/text_caster.h"
#include "python/src/ragged/composite_types.h"
#include "python/src/ragged/ragged_arguments.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_spec_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;

Handle SlicesClass() { return TheCompositeClasses().slices; }

// --- tf.IndexedSlicesSpec.

Object InitSlicesSpec(Handle self, Handle shape, Handle dtype,
                      Handle indices_dtype, Handle dense_shape_dtype,
                      Handle indices_shape) {
  SetParts(self, {{"_shape", ShapeObject(shape)},
                  {"_values_dtype", TypeObject(dtype)},
                  {"_indices_dtype", TypeObject(indices_dtype)},
                  {"_dense_shape_dtype", dense_shape_dtype.is_none()
                                             ? nb::none()
                                             : TypeObject(dense_shape_dtype)},
                  {"_indices_shape",
                   ShapeObject(indices_shape).attr("with_rank")(nb::int_(1))}});
  return nb::none();
}
Object SerializeSlices(Handle self) {
  return nb::make_tuple(self.attr("_shape"), self.attr("_values_dtype"),
                        self.attr("_indices_dtype"),
                        self.attr("_dense_shape_dtype"),
                        self.attr("_indices_shape"));
}
Object SlicesParts(Handle self) {
  const auto type = [&](const char* name) {
    return AsType(self.attr(name), DataType::kInvalid);
  };
  return nb::tuple(SpecsOfParts(TypeSpec::Slices(
      type("_values_dtype"), Shape(self.attr("_shape")), type("_indices_dtype"),
      type("_dense_shape_dtype"), Shape(self.attr("_indices_shape")))));
}
Object PartsOfSlices(Handle, Handle value) {
  const Object shape = value.attr("dense_shape");
  return shape.is_none()
             ? nb::make_tuple(value.attr("values"), value.attr("indices"))
             : nb::make_tuple(value.attr("values"), value.attr("indices"),
                              shape);
}
Object SlicesOfParts(Handle, Handle parts) {
  return SlicesClass()(*nb::tuple(parts));
}
Object ItsSlicesClass(Handle) { return nb::borrow(SlicesClass()); }

PyMethodDef slices_spec_methods[] = {
    GK_METHOD("__init__",
              "shape=None, dtype=tf.float32, indices_dtype=tf.int64, "
              "dense_shape_dtype=None, indices_shape=None",
              InitSlicesSpec, ""),
    GK_METHOD("_serialize", "", SerializeSlices, ""),
    GK_METHOD("_to_components", "value", PartsOfSlices, ""),
    GK_METHOD("_from_components", "components", SlicesOfParts, ""),
    {}};
PyGetSetDef slices_spec_properties[] = {
    GK_PROPERTY("value_type", ItsSlicesClass, "tf.IndexedSlices."),
    GK_PROPERTY("_component_specs", SlicesParts, nullptr),
    {}};

// --- tf.IndexedSlices.

#define GK_SLICES_PARAMETERS "values, indices, dense_shape=None"

Object InitSlices(Handle self, Handle values, Handle indices,
                  Handle dense_shape) {
  SetParts(self, {{"_values", nb::borrow(values)},
                  {"_indices", nb::borrow(indices)},
                  {"_dense_shape", nb::borrow(dense_shape)}});
  return nb::none();
}
// A call of the class itself, which is far longer on its way through
// __init__. Classes derived from it have their own ways.
PyObject* MadeSlices(PyObject* cls, PyObject* const* args, size_t given,
                     PyObject* names) {
  try {
    static const SignatureParameters parameters(GK_SLICES_PARAMETERS);
    std::array<Object, 3> parts;
    parameters.Bind("__init__", 1, args,
                    static_cast<size_t>(PyVectorcall_NARGS(given)), names,
                    parts.data());
    return NewValue(cls, {{"_values", parts[0]},
                          {"_indices", parts[1]},
                          {"_dense_shape", parts[2]}})
        .release()
        .ptr();
  } catch (...) {
    return RaiseCaught();
  }
}
// A part, whatever converts to a tensor; null for None.
Tensor PartOfSlices(Handle self, const char* name) {
  const Object part = self.attr(name);
  return part.is_none() ? Tensor() : Converted(part);
}

Object ShapeOfSlices(Handle self) {
  return Tried([&] {
    return Wrapped(
        SlicesValue{{}, {}, PartOfSlices(self, "_dense_shape")}.shape());
  });
}
template <Name kAttribute>
Object OfValues(Handle self) {
  return self.attr("_values").attr(kAttribute.text);
}
Object SpecOfSlices(Handle self) {
  const TypeSpec spec = Tried([&] { return AsSlices(self).Spec(); });
  const bool whole = spec.dense_shape != DataType::kInvalid;
  return Handle(TheCompositeClasses().slices_spec)(
      Wrapped(spec.shape), Wrapped(spec.dtype), Wrapped(spec.splits),
      whole ? Wrapped(spec.dense_shape) : nb::none(), Wrapped(spec.rows));
}
Object NegatedSlices(Handle self) {
  return SlicesClass()(
      Wrapped(Apply(Operator::kNegative, AsTensor(self.attr("_values")))),
      self.attr("_indices"), self.attr("_dense_shape"));
}
std::string ShownSlices(Handle self) {
  const Object dense = self.attr("_dense_shape");
  return SlicesText(TextOf(self.attr("_indices")), TextOf(self.attr("_values")),
                    dense.is_none() ? std::string() : TextOf(dense));
}
Object TextOfSlices(Handle self) { return nb::cast(ShownSlices(self)); }
Object SlicesConsumers(Handle self) {
  return self.attr("_values").attr("consumers")();
}
Object WholeOfSlices(Handle self, Handle dtype, Handle name) {
  if (!dtype.is_none()) {
    const Object own = OfValues<"dtype">(self);
    if (!own.equal(dtype)) {
      Throw(ValueError(
          "Tensor conversion requested dtype {} for IndexedSlices with dtype "
          "{}.",
          TextOf(dtype.attr("name")), TextOf(own.attr("name"))));
    }
  }
  const std::string called = name.is_none() ? std::string() : TextOf(name);
  return Tried([&] {
    return Wrapped(
        AsSlices(self).Whole([&] { return ShownSlices(self); }, called));
  });
}

// The rows that are named by none of `mask_indices`.
Object MaskedSlices(Handle, Handle a, Handle mask_indices, Handle name) {
  if (!IsSlices(a)) {
    Throw(TypeError("sparse.mask takes IndexedSlices, not {}",
                    Py_TYPE(a.ptr())->tp_name));
  }
  const CallScope scope(name, "sparse_mask");
  const SlicesValue value = AsSlices(a);
  const Tensor which =
      AsComponent(mask_indices, DataType::kInvalid, value.indices.dtype());
  return Tried([&] { return Wrapped(value.Without(which)); });
}

PyMethodDef kSlicesFunctions[] = {
    GK_MODULE_FUNCTION(
        "sparse_mask", "a, mask_indices, name=None", MaskedSlices,
        "The rows of IndexedSlices that are named by none of "
        "`mask_indices`.\n\n"
        ">>> a = tf.IndexedSlices(tf.constant([[1], [2]]), tf.constant([5, "
        "7]))\n"
        ">>> tf.sparse.mask(a, [5]).indices.numpy().tolist()\n"
        "[7]\n"),
    {}};

PyMethodDef slices_methods[] = {
    GK_METHOD("__init__", GK_SLICES_PARAMETERS, InitSlices, ""),
    GK_METHOD("consumers", "", SlicesConsumers,
              "The operations that use the values."),
    GK_METHOD("__neg__", "", NegatedSlices, ""),
    GK_METHOD("__str__", "", TextOfSlices, ""),
    GK_METHOD("__tf_tensor__", "dtype=None, name=None", WholeOfSlices, ""),
    {}};
PyGetSetDef slices_properties[] = {
    GK_PROPERTY("values", Part<"_values">, "The rows."),
    GK_PROPERTY("indices", Part<"_indices">, "Where the rows belong."),
    GK_PROPERTY("dense_shape", Part<"_dense_shape">,
                "The shape of the whole, or None."),
    GK_PROPERTY("shape", ShapeOfSlices, "The static shape of the whole."),
    GK_PROPERTY("dtype", OfValues<"dtype">, "The type of the elements."),
    GK_PROPERTY("name", OfValues<"name">, "The name of the values."),
    GK_PROPERTY("device", OfValues<"device">, "Where the values are."),
    GK_PROPERTY("op", OfValues<"op">, "The operation that made the values."),
    GK_PROPERTY("graph", OfValues<"graph">, "The graph of the values."),
    GK_PROPERTY("_type_spec", SpecOfSlices, nullptr),
    {}};

}  // namespace

bool IsSlices(Handle value) {
  return PyObject_TypeCheck(
      value.ptr(), reinterpret_cast<PyTypeObject*>(SlicesClass().ptr()));
}
SlicesValue AsSlices(Handle value) {
  return {PartOfSlices(value, "_values"), PartOfSlices(value, "_indices"),
          PartOfSlices(value, "_dense_shape")};
}
Object Wrapped(const SlicesValue& value) {
  return SlicesClass()(
      Wrapped(value.values), Wrapped(value.indices),
      value.dense_shape ? Wrapped(value.dense_shape) : nb::none());
}

void AddSlicesTypes(nb::module_& m) {
  AddFunctions(m, kSlicesFunctions);
  CompositeClasses& classes = TheCompositeClasses();
  const Handle spec(reinterpret_cast<PyObject*>(TypeSpecType));
  classes.slices_spec =
      AddClass(m, "IndexedSlicesSpec", spec, std::nullopt,
               "What is known of a tf.IndexedSlices.\n\n"
               "Args:\n"
               "  shape: of the whole.\n"
               "  dtype: of the values.\n"
               "  indices_dtype: tf.int32 or tf.int64.\n"
               "  dense_shape_dtype: None if the value carries no dense "
               "shape.\n"
               "  indices_shape: the number of rows, if known.\n\n"
               ">>> tf.IndexedSlicesSpec([None, 2]).value_type is "
               "tf.IndexedSlices\n"
               "True\n",
               slices_spec_methods, slices_spec_properties)
          .ptr();
  classes.slices =
      AddClass(m, "IndexedSlices", classes.composite,
               Slots{"_dense_shape", "_indices", "_values", "__dict__"},
               "The rows `values` of a larger tensor, at `indices`.\n\n"
               ">>> rows = tf.IndexedSlices(tf.constant([[1., 2.]]), "
               "tf.constant([1]), tf.constant([3, 2]))\n"
               ">>> tf.convert_to_tensor(rows).numpy().tolist()\n"
               "[[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]]\n",
               slices_methods, slices_properties)
          .ptr();
  reinterpret_cast<PyTypeObject*>(classes.slices)->tp_vectorcall = MadeSlices;
  SlicesClass().attr("_counts_as_tensor") = nb::bool_(true);
}

}  // namespace gk::py
