// tf.experimental.DynamicRaggedShape, its spec, and broadcasts of shapes.
#include "python/src/ragged/ragged_shape_type.h"

#include "function/ragged/ragged_shape.h"
#include "ops/fn/BroadcastArgs.h"
#include "ops/fn/LogicalNot.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/text_caster.h"
#include "python/src/ragged/composite_types.h"
#include "python/src/tensors/tensor_spec_type.h"

namespace gk::py {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;

namespace {

Handle Class() { return TheCompositeClasses().ragged_shape; }

std::vector<RowPartition> PartitionsOf(Handle list) {
  const Handle cls = TheCompositeClasses().partition;
  std::vector<RowPartition> partitions;
  for (Handle part : list) {
    if (!nb::isinstance(part, cls)) {
      Throw(
          TypeError("row_partitions must be a list of RowPartition. Received "
                    "{}.",
                    ReprOf(part)));
    }
    partitions.push_back(AsRows(part, "_uniform"));
  }
  return partitions;
}

}  // namespace

bool IsRaggedShape(Handle value) { return nb::isinstance(value, Class()); }

RaggedShape AsRaggedShape(Handle value) {
  const Tensor inner = AsTensor(value.attr("_inner_shape"));
  return {PartitionsOf(value.attr("_row_partitions")), inner, inner.dtype(),
          Shape(value.attr("_static_inner_shape"))};
}

namespace {

void SetShape(Handle self, const RaggedShape& shape) {
  nb::list partitions;
  for (const RowPartition& p : shape.partitions()) {
    partitions.append(Wrapped(p));
  }
  SetParts(self, {{"_row_partitions", nb::tuple(partitions)},
                  {"_inner_shape", Wrapped(shape.inner())},
                  {"_static_inner_shape", Wrapped(shape.known_inner())}});
}

}  // namespace

Object Wrapped(const RaggedShape& shape) {
  Object made = NewValue(Class(), {});
  SetShape(made, shape);
  return made;
}

namespace {

// --- How it is made.

std::optional<DataType> GivenType(Handle dtype) {
  if (dtype.is_none()) return std::nullopt;
  return AsType(dtype, DataType::kInvalid);
}

Object Init(Handle self, Handle row_partitions, Handle inner_shape,
            Handle dtype, bool validate, Handle static_inner_shape) {
  std::vector<RowPartition> partitions = PartitionsOf(row_partitions);
  const auto made = [&]() -> RaggedShape {
    if (!IsTensor(inner_shape.ptr())) {
      return RaggedShape::OfKnown(std::move(partitions), Shape(inner_shape),
                                  GivenType(dtype));
    }
    const Tensor inner = TensorOf(inner_shape.ptr());
    const DataType type = AsType(dtype, RaggedShape::TypeOf(partitions, inner));
    return {std::move(partitions), inner, type, Shape(static_inner_shape)};
  }();
  SetShape(self, validate ? made.Checked() : made);
  return nb::none();
}
Object FromTensor(Handle, Handle value, Handle dtype) {
  const RaggedValue of = AsRagged(value);
  return Wrapped(RaggedShape::Of(
      of, AsType(dtype, of.is_ragged() ? of.splits_type() : DataType::kInt64)));
}
Object FromPartitions(Handle, Handle row_partitions, Handle dtype) {
  return Wrapped(RaggedShape::OfPartitions(PartitionsOf(row_partitions),
                                           GivenType(dtype)));
}
Object FromLengths(Handle, Handle lengths, Handle count, Handle dtype) {
  TensorVector all;
  for (Handle length : lengths) {
    all.push_back(IsTensor(length.ptr())
                      ? TensorOf(length.ptr())
                      : AsComponent(length, DataType::kInt64));
  }
  std::optional<int64_t> wanted;
  if (!count.is_none()) wanted = nb::cast<int64_t>(count);
  return Wrapped(
      RaggedShape::OfLengths(all, wanted, AsType(dtype, DataType::kInt64)));
}

// --- What it is.

Object Rank(Handle self) { return nb::int_(AsRaggedShape(self).rank()); }
Object InnerRank(Handle self) {
  return nb::int_(AsRaggedShape(self).known_inner().rank());
}
Object PartitionCount(Handle self) {
  return nb::int_(AsRaggedShape(self).num_partitions());
}
Object TypeOf(Handle self) { return self.attr("_inner_shape").attr("dtype"); }
Object WithType(Handle self, Handle dtype) {
  return Wrapped(
      AsRaggedShape(self).WithType(AsType(dtype, DataType::kInvalid)));
}
Object IsUniform(Handle self, Handle axis) {
  if (!PyLong_Check(axis.ptr())) Throw(TypeError("axis must be an integer"));
  return nb::bool_(AsRaggedShape(self).IsUniform(nb::cast<int64_t>(axis)));
}
Object StaticLengths(Handle self, bool ragged_lengths) {
  nb::list lengths;
  for (const auto& length : AsRaggedShape(self).known_lengths(ragged_lengths)) {
    if (length.uniform) {
      lengths.append(*length.uniform);
    } else if (length.rows) {
      nb::list rows;
      for (int64_t n : *length.rows) rows.append(n);
      lengths.append(nb::tuple(rows));
    } else {
      lengths.append(nb::none());
    }
  }
  return lengths;
}
Object GetItem(Handle self, Handle index) {
  const RaggedShape shape = AsRaggedShape(self);
  if (PyLong_Check(index.ptr())) {
    return Wrapped(shape.At(nb::cast<int64_t>(index)));
  }
  if (!PySlice_Check(index.ptr())) {
    Throw(TypeError("Argument is not an int or a slice"));
  }
  Py_ssize_t start, stop, step;
  if (PySlice_Unpack(index.ptr(), &start, &stop, &step) < 0) {
    throw nb::python_error();
  }
  if (step != 1) {
    PyErr_SetString(PyExc_NotImplementedError, "Slicing a shape with a step");
    throw nb::python_error();
  }
  return Wrapped(shape.Slice(start, stop));
}
Object Iterate(Handle self) {
  const nb::module_ builtins = nb::module_::import_("builtins");
  return builtins.attr("map")(self.attr("__getitem__"),
                              builtins.attr("range")(Rank(self)));
}
std::optional<Tensor> Equality(Handle self, Handle other) {
  if (!IsRaggedShape(other)) return std::nullopt;
  return AsRaggedShape(self).IsEqual(AsRaggedShape(other));
}
Object IsEqual(Handle self, Handle other) {
  const std::optional<Tensor> equal = Equality(self, other);
  return equal ? Wrapped(*equal) : Object(nb::bool_(false));
}
Object IsNotEqual(Handle self, Handle other) {
  const std::optional<Tensor> equal = Equality(self, other);
  return equal ? Wrapped(ops::LogicalNot(*equal)) : Object(nb::bool_(true));
}
Object NoHash(Handle) {
  Throw(TypeError("unhashable type: 'DynamicRaggedShape'"));
}
Object Shown(Handle self) { return nb::cast(AsRaggedShape(self).ToString()); }
Object NoTensor(Handle self, Handle, Handle) {
  Throw(
      ValueError("{} is no tensor: TypeError: object of type "
                 "'DynamicRaggedShape' has no len()",
                 TextOf(self)));
}
Object SpecOfShape(Handle self) {
  return Handle(TheCompositeClasses().ragged_shape_spec)
      .attr("from_value")(self);
}

PyMethodDef methods[] = {
    GK_METHOD("__init__",
              "row_partitions, inner_shape, dtype=None, validate=False, "
              "static_inner_shape=None",
              Init, ""),
    GK_CLASS_METHOD(
        "from_tensor", "t, dtype=None", FromTensor,
        "The shape of a tensor or ragged tensor.\n\n"
        ">>> tf.experimental.DynamicRaggedShape.from_tensor([[1, 2]])\n"
        "<DynamicRaggedShape lengths=[1, 2] num_row_partitions=0>\n"),
    GK_CLASS_METHOD("from_row_partitions", "row_partitions, dtype=None",
                    FromPartitions, "The shape of rows of scalars."),
    GK_CLASS_METHOD(
        "from_lengths", "lengths, num_row_partitions=None, dtype=tf.int64",
        FromLengths,
        "The shape with these lengths: an int for a uniform dimension, the\n"
        "lengths of all rows for a ragged one.\n\n"
        ">>> tf.experimental.DynamicRaggedShape.from_lengths([3, (2, 0, 1)])\n"
        "<DynamicRaggedShape lengths=[3, (2, 0, 1)] num_row_partitions=1>\n"),
    GK_METHOD("with_dtype", "dtype", WithType,
              "The same with numbers of int32 or int64."),
    GK_METHOD("is_uniform", "axis", IsUniform,
              "Are all slices along `axis` of one length?"),
    GK_METHOD("static_lengths", "ragged_lengths=True", StaticLengths,
              "What is known of the length of each dimension: an int, None, "
              "or\nthe lengths of all rows, if `ragged_lengths`, of a ragged "
              "one.\n\n"
              ">>> tf.shape(tf.ragged.constant([[1], []])).static_lengths()\n"
              "[2, (1, 0)]\n"),
    GK_METHOD("__getitem__", "index", GetItem, ""),
    GK_METHOD("__iter__", "", Iterate, ""),
    GK_METHOD("__eq__", "other", IsEqual, ""),
    GK_METHOD("__ne__", "other", IsNotEqual, ""),
    GK_METHOD("__hash__", "", NoHash, ""),
    GK_METHOD("__repr__", "", Shown, ""),
    GK_METHOD("__tf_tensor__", "dtype=None, name=None", NoTensor, ""),
    {}};
PyGetSetDef properties[] = {
    GK_PROPERTY("rank", Rank, "How many dimensions there are."),
    GK_PROPERTY("inner_rank", InnerRank, "The rank of the flat values."),
    GK_PROPERTY("inner_shape", Part<"_inner_shape">,
                "The shape of the flat values."),
    GK_PROPERTY("num_row_partitions", PartitionCount,
                "How many dimensions are partitions, uniform or ragged."),
    GK_PROPERTY("row_partitions", Part<"_row_partitions">,
                "The partitions, the outermost first."),
    GK_PROPERTY("dtype", TypeOf, "Of the shape's numbers."),
    GK_PROPERTY("_type_spec", SpecOfShape, nullptr),
    {}};

// --- The spec.

Object InitSpec(Handle self, Handle row_partitions, Handle known,
                Handle dtype) {
  SetParts(self, {{"_row_partitions", nb::tuple(row_partitions)},
                  {"_static_inner_shape", ShapeObject(known)},
                  {"_dtype", TypeObject(dtype)}});
  return nb::none();
}
Object SpecFromValue(Handle cls, Handle value) {
  nb::list specs;
  for (Handle part : value.attr("row_partitions")) {
    specs.append(part.attr("_type_spec"));
  }
  return cls(specs, value.attr("_static_inner_shape"), value.attr("dtype"));
}
Object ValueType(Handle) { return nb::borrow(Class()); }
Object Serialize(Handle self) {
  return nb::make_tuple(self.attr("_row_partitions"),
                        self.attr("_static_inner_shape"), self.attr("_dtype"));
}
Object ComponentSpecs(Handle self) {
  nb::list specs(Object(self.attr("_row_partitions")));
  const PartialTensorShape known = Shape(self.attr("_static_inner_shape"));
  specs.append(SpecOf({known.unknown_rank() ? kUnknownDim : known.rank()},
                      AsType(self.attr("_dtype"), DataType::kInt64)));
  return specs;
}
Object ToComponents(Handle, Handle value) {
  nb::list parts(Object(value.attr("row_partitions")));
  parts.append(value.attr("inner_shape"));
  return parts;
}
Object FromComponents(Handle self, Handle given) {
  const nb::list parts(given);
  if (parts.size() == 0) {
    Throw(ValueError("A ragged shape has at least one component, got none."));
  }
  const size_t count = parts.size() - 1;
  nb::list partitions;
  for (size_t i = 0; i < count; ++i) partitions.append(parts[i]);
  return Class()(partitions, parts[count], self.attr("_dtype"), false,
                 self.attr("_static_inner_shape"));
}
Object ShownSpec(Handle self) {
  const auto repr = [&](const char* part) { return ReprOf(self.attr(part)); };
  return nb::cast(Format(
      "DynamicRaggedShape.Spec(row_partitions={}, "
      "static_inner_shape={}, dtype={})",
      repr("_row_partitions"), repr("_static_inner_shape"), repr("_dtype")));
}

PyMethodDef spec_methods[] = {
    GK_METHOD("__init__", "row_partitions, static_inner_shape, dtype=tf.int64",
              InitSpec, ""),
    GK_CLASS_METHOD("from_value", "value", SpecFromValue,
                    "The spec of a shape."),
    GK_METHOD("_serialize", "", Serialize, ""),
    GK_METHOD("_to_components", "value", ToComponents, ""),
    GK_METHOD("_from_components", "components", FromComponents, ""),
    GK_METHOD("__repr__", "", ShownSpec, ""),
    {}};
PyGetSetDef spec_properties[] = {
    GK_PROPERTY("value_type", ValueType, "tf.experimental.DynamicRaggedShape."),
    GK_PROPERTY("_component_specs", ComponentSpecs, nullptr),
    {}};

// --- Broadcasts of shapes.

RaggedShape AnyShape(Handle shape) {
  if (IsRaggedShape(shape)) return AsRaggedShape(shape);
  return RaggedShape::OfVector(
      AsComponent(shape, DataType::kInvalid, DataType::kInt64));
}
Object BroadcastDynamic(Handle, Handle x, Handle y) {
  if (IsRaggedShape(x) || IsRaggedShape(y)) {
    return Wrapped(BroadcastRaggedShapes(AnyShape(x), AnyShape(y)));
  }
  const Tensor a = AsComponent(x, DataType::kInvalid, DataType::kInt32);
  return Wrapped(ops::BroadcastArgs(a, AsComponent(y, a.dtype())));
}
Object BroadcastStatic(Handle, Handle x, Handle y) {
  return Wrapped(BroadcastStaticShapes(Shape(x), Shape(y)));
}

PyMethodDef functions[] = {
    GK_MODULE_FUNCTION(
        "broadcast_dynamic_shape", "shape_x, shape_y", BroadcastDynamic,
        "The shape of the broadcast of two shapes, as a tensor.\n\n"
        ">>> tf.broadcast_dynamic_shape([2, 1], [3]).numpy().tolist()\n"
        "[2, 3]\n"),
    GK_MODULE_FUNCTION("broadcast_static_shape", "shape_x, shape_y",
                       BroadcastStatic,
                       "The shape of the broadcast of two TensorShapes.\n\n"
                       ">>> tf.broadcast_static_shape(tf.TensorShape([2, 1]), "
                       "tf.TensorShape([3]))\n"
                       "TensorShape([2, 3])\n"),
    {}};

}  // namespace

void AddRaggedShape(nb::module_& m) {
  CompositeClasses& classes = TheCompositeClasses();
  classes.ragged_shape =
      AddClass(
          m, "DynamicRaggedShape", classes.composite,
          Slots{"_inner_shape", "_row_partitions", "_static_inner_shape"},
          "The partitions of the outer dimensions and the lengths of the "
          "others.\n\n"
          "What `tf.shape` gives for ragged tensors; `tf.reshape`, "
          "`tf.broadcast_to`,\n"
          "`tf.fill`, `tf.ones` and `tf.zeros` take it as a shape.\n\n"
          "Args:\n"
          "  row_partitions: tf.experimental.RowPartition, the outermost "
          "first.\n"
          "  inner_shape: of the flat values: a vector of integers.\n"
          "  dtype: tf.int32 or tf.int64; of the shape's numbers.\n"
          "  validate: whether partitions and inner shape are checked to "
          "fit.\n\n"
          ">>> shape = tf.shape(tf.ragged.constant([[1, 2, 3], [], [4]]))\n"
          ">>> shape\n"
          "<DynamicRaggedShape lengths=[3, (3, 0, 1)] "
          "num_row_partitions=1>\n"
          ">>> tf.broadcast_to(7, shape)\n"
          "<tf.RaggedTensor [[7, 7, 7], [], [7]]>\n",
          methods, properties)
          .ptr();
  const Handle spec = AddClass(
      m, "DynamicRaggedShapeSpec", reinterpret_cast<PyObject*>(TypeSpecType),
      std::nullopt, "What is known of a tf.experimental.DynamicRaggedShape.",
      spec_methods, spec_properties);
  classes.ragged_shape_spec = spec.ptr();
  spec.attr("__name__") = "Spec";
  spec.attr("__qualname__") = "DynamicRaggedShape.Spec";
  Class().attr("Spec") = spec;
  AddFunctions(m, functions);
}

}  // namespace gk::py
