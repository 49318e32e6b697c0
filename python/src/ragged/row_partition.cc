// tf.experimental.RowPartition and its spec.
#include "python/src/binding/class_members.h"
#include "python/src/binding/text_caster.h"
#include "python/src/ragged/composite_types.h"
#include "python/src/ragged/ragged_arguments.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "python/src/tensors/tensor_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;
using Partition = RowPartition;

RowPartition RowsOf(Handle self) { return AsRows(self, "_uniform"); }
Object Known(std::optional<int64_t> number) {
  return number ? Object(nb::int_(*number)) : nb::none();
}

// --- Made of what says where rows are.

// What becomes int64 unless told, but arrays of int32.
DataType UsualType(Handle given) {
  const Object dtype = nb::getattr(given, "dtype", nb::none());
  const bool is_int32 =
      !IsTensor(given.ptr()) && !dtype.is_none() && TextOf(dtype) == "int32";
  return is_int32 ? DataType::kInt32 : DataType::kInt64;
}
Tensor Integers(Handle given, Handle dtype, Handle hint,
                std::string_view name) {
  const Tensor t = AsComponent(given, AsType(dtype, DataType::kInvalid),
                               AsType(hint, UsualType(given)));
  bool ours;
  return AsPartition(Wrapped(t), name, &ours);
}
Object FromSplits(Handle, Handle splits, bool validate, Handle dtype,
                  Handle hint) {
  return Wrapped(Partition::FromSplits(
      Integers(splits, dtype, hint, "row_splits"), validate));
}
Object FromLengths(Handle, Handle lengths, bool validate, Handle dtype,
                   Handle hint) {
  return Wrapped(Partition::FromLengths(
      Integers(lengths, dtype, hint, "row_lengths"), validate));
}
Object FromLimits(Handle, Handle limits, bool validate, Handle dtype,
                  Handle hint) {
  return Wrapped(Partition::FromLimits(
      Integers(limits, dtype, hint, "row_limits"), validate));
}
Object FromStarts(Handle, Handle starts, Handle nvals, bool validate,
                  Handle dtype, Handle hint) {
  const Tensor t = Integers(starts, dtype, hint, "row_starts");
  return Wrapped(Partition::FromStarts(
      t, AsComponent(nvals, t.dtype(), t.dtype()), validate));
}
Object FromRowids(Handle, Handle ids, Handle nrows, bool validate, Handle dtype,
                  Handle hint) {
  return Wrapped(Partition::FromRowids(
      Integers(ids, dtype, hint, "value_rowids"), OrNull(nrows), validate));
}
Object FromUniform(Handle, Handle length, Handle nvals, Handle nrows,
                   bool validate, Handle dtype, Handle hint) {
  if (nvals.is_none() && nrows.is_none()) {
    Throw(ValueError("At least one of nvals and nrows must be given."));
  }
  const Tensor t = AsComponent(length, AsType(dtype, DataType::kInvalid),
                               AsType(hint, DataType::kInt64));
  return Wrapped(
      Partition::FromUniform(t, OrNull(nrows), OrNull(nvals), validate));
}
Object Init(Handle self, Handle row_splits, Handle uniform, bool internal) {
  if (!internal) {
    Throw(ValueError(
        "RowPartition constructor is private; please use one of the factory "
        "methods instead (e.g., RowPartition.from_row_lengths())"));
  }
  SetParts(self, {{"_row_splits", nb::borrow(row_splits)},
                  {"_uniform", nb::borrow(uniform)},
                  {"_given_lengths", nb::none()}});
  return nb::none();
}

// --- What it is.

Object Splits(Handle self) { return self.attr("_row_splits"); }
Object TypeOf(Handle self) { return Wrapped(RowsOf(self).dtype()); }
Object StaticRows(Handle self) { return Known(RowsOf(self).known_nrows()); }
Object StaticValues(Handle self) { return Known(RowsOf(self).known_nvals()); }
Object IsUniform(Handle self) {
  return nb::bool_(!self.attr("_uniform").is_none());
}
Object WithType(Handle self, Handle dtype) {
  const DataType type = AsType(dtype, DataType::kInvalid);
  if (type != DataType::kInt32 && type != DataType::kInt64) {
    Throw(ValueError("dtype must be tf.int32 or tf.int64. Received {}.",
                     TextOf(TypeObject(dtype))));
  }
  const RowPartition rows = RowsOf(self);
  if (rows.dtype() == type) return nb::borrow(self);
  return Wrapped(rows.WithType(type));
}
Object Spec(Handle self) {
  return Handle(TheCompositeClasses().partition_spec).attr("from_value")(self);
}
Object Offsets(Handle self) {
  const RowPartition rows = RowsOf(self);
  return Wrapped(rows.columns(rows.rowids()));
}
Object Shown(Handle self) {
  const RowPartition rows = RowsOf(self);
  const auto value = [](const Tensor& t) {
    const Object shown = Wrapped(t);
    return TextOf(nb::hasattr(shown, "numpy") ? shown.attr("numpy")() : shown);
  };
  return nb::cast(
      rows.uniform
          ? Format("tf.RowPartition(nrows={}, uniform_row_length={})",
                   value(rows.nrows()), *rows.uniform)
          : Format("tf.RowPartition(row_splits={})", value(rows.splits)));
}

PyMethodDef methods[] = {
    GK_METHOD("__init__", "row_splits, uniform_row_length=None, internal=False",
              Init, ""),
    GK_CLASS_METHOD(
        "from_row_splits",
        "row_splits, validate=True, dtype=None, dtype_hint=None", FromSplits,
        "Row i has the values from `row_splits[i]` to `row_splits[i + 1]`."),
    GK_CLASS_METHOD("from_row_lengths",
                    "row_lengths, validate=True, dtype=None, dtype_hint=None",
                    FromLengths, "Row i has `row_lengths[i]` values."),
    GK_CLASS_METHOD(
        "from_row_limits",
        "row_limits, validate=True, dtype=None, dtype_hint=None", FromLimits,
        "Row i ends before `row_limits[i]`, where the next begins."),
    GK_CLASS_METHOD(
        "from_row_starts",
        "row_starts, nvals, validate=True, dtype=None, dtype_hint=None",
        FromStarts,
        "Row i begins at `row_starts[i]`; the last ends before `nvals`."),
    GK_CLASS_METHOD("from_value_rowids",
                    "value_rowids, nrows=None, validate=True, dtype=None, "
                    "dtype_hint=None",
                    FromRowids,
                    "Value j belongs to row `value_rowids[j]`; the ids never "
                    "fall."),
    GK_CLASS_METHOD("from_uniform_row_length",
                    "uniform_row_length, nvals=None, nrows=None, "
                    "validate=True, dtype=None, dtype_hint=None",
                    FromUniform, "Every row has `uniform_row_length` values."),
    GK_METHOD("row_splits", "", Splits,
              "Where the rows begin, and where the last one ends."),
    GK_METHOD("row_lengths", "", LengthsOfRows,
              "How many values each row has."),
    GK_METHOD("row_starts", "",
              (UnnamedRowPart<&Partition::starts, "RaggedRowStarts">),
              "Where each row begins."),
    GK_METHOD("row_limits", "",
              (UnnamedRowPart<&Partition::limits, "RaggedRowLimits">),
              "Where each row ends."),
    GK_METHOD("value_rowids", "",
              (UnnamedRowPart<&Partition::rowids, "RaggedValueRowIds">),
              "The row of each value."),
    GK_METHOD("offsets_in_rows", "", Offsets,
              "The place of each value in its row."),
    GK_METHOD("nrows", "", (UnnamedRowPart<&Partition::nrows, "RaggedNRows">),
              "How many rows there are."),
    GK_METHOD("nvals", "", (UnnamedRowPart<&Partition::nvals, "RaggedNVals">),
              "How many values there are."),
    GK_METHOD("uniform_row_length", "", UniformLength<"_uniform">,
              "The length of every row if that is uniform, else None."),
    GK_METHOD("is_uniform", "", IsUniform,
              "Are all rows known to be of one length?"),
    GK_METHOD("with_dtype", "dtype", WithType,
              "The same with splits of int32 or int64."),
    GK_METHOD("__repr__", "", Shown, ""),
    {}};
PyGetSetDef properties[] = {
    GK_PROPERTY("dtype", TypeOf, "Of the splits."),
    GK_PROPERTY("static_nrows", StaticRows,
                "How many rows there are, if that is known."),
    GK_PROPERTY("static_nvals", StaticValues,
                "How many values there are, if that is known."),
    GK_PROPERTY("static_uniform_row_length", Part<"_uniform">,
                "The length of every row, if that is uniform and known."),
    GK_PROPERTY("_type_spec", Spec, nullptr),
    {}};

// --- The spec.

Object InitSpec(Handle self, Handle nrows, Handle nvals, Handle uniform,
                Handle dtype) {
  SetParts(self, {{"_nrows", nb::borrow(nrows)},
                  {"_nvals", nb::borrow(nvals)},
                  {"_uniform", nb::borrow(uniform)},
                  {"_dtype", TypeObject(dtype)}});
  return nb::none();
}
Object SpecFromValue(Handle cls, Handle value) {
  return cls(StaticRows(value), StaticValues(value), value.attr("_uniform"),
             TypeOf(value));
}
Object ValueType(Handle) { return nb::borrow(TheCompositeClasses().partition); }
Object Serialize(Handle self) {
  return nb::make_tuple(self.attr("_nrows"), self.attr("_nvals"),
                        self.attr("_uniform"), self.attr("_dtype"));
}
Object ComponentSpecs(Handle self) {
  const Object rows = self.attr("_nrows");
  return SpecOf({rows.is_none() ? kUnknownDim : nb::cast<int64_t>(rows) + 1},
                AsType(self.attr("_dtype"), DataType::kInt64));
}
Object ToComponents(Handle, Handle value) { return Splits(value); }
Object FromComponents(Handle self, Handle splits) {
  return NewValue(TheCompositeClasses().partition,
                  {{"_row_splits", nb::borrow(splits)},
                   {"_uniform", self.attr("_uniform")},
                   {"_given_lengths", nb::none()}});
}
Object ShownSpec(Handle self) {
  return nb::cast(Format(
      "RowPartitionSpec(nrows={}, nvals={}, uniform_row_length={}, dtype={})",
      TextOf(self.attr("_nrows")), TextOf(self.attr("_nvals")),
      TextOf(self.attr("_uniform")), TextOf(nb::repr(self.attr("_dtype")))));
}

PyMethodDef spec_methods[] = {
    GK_METHOD("__init__",
              "nrows=None, nvals=None, uniform_row_length=None, "
              "dtype=tf.int64",
              InitSpec, ""),
    GK_CLASS_METHOD("from_value", "value", SpecFromValue,
                    "The spec of a partition."),
    GK_METHOD("_serialize", "", Serialize, ""),
    GK_METHOD("_to_components", "value", ToComponents, ""),
    GK_METHOD("_from_components", "components", FromComponents, ""),
    GK_METHOD("__repr__", "", ShownSpec, ""),
    {}};
PyGetSetDef spec_properties[] = {
    GK_PROPERTY("value_type", ValueType, "tf.experimental.RowPartition."),
    GK_PROPERTY("_component_specs", ComponentSpecs, nullptr),
    {}};

}  // namespace

void AddRowPartition(nb::module_& m) {
  CompositeClasses& classes = TheCompositeClasses();
  classes.partition =
      AddClass(m, "RowPartition", classes.composite,
               Slots{"_row_splits", "_uniform", "_given_lengths"},
               "Rows of values, by where each row begins and ends.\n\n"
               ">>> partition = "
               "tf.experimental.RowPartition.from_row_lengths([2, 0, 1])\n"
               ">>> partition\n"
               "tf.RowPartition(row_splits=[0 2 2 3])\n"
               ">>> partition.nvals().numpy().item()\n"
               "3\n",
               methods, properties)
          .ptr();
  classes.partition_spec =
      AddClass(m, "RowPartitionSpec", reinterpret_cast<PyObject*>(TypeSpecType),
               std::nullopt, "What is known of a tf.experimental.RowPartition.",
               spec_methods, spec_properties)
          .ptr();
}

}  // namespace gk::py
