// tf.RaggedTensor.
#include <utility>

#include "ops/element_moves.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/joined_tables.h"
#include "python/src/binding/text_caster.h"
#include "python/src/ragged/composite_types.h"
#include "python/src/ragged/ragged_arguments.h"
#include "python/src/tensors/slicing.h"
#include "python/src/tensors/tensor_leaves.h"
#include "python/src/tensors/version_one.h"

namespace gk::py {
namespace {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;

using Partition = RowPartition;

// --- Methods.

Object ToDense(Handle ragged, Handle fill, Handle name, Handle shape) {
  const CallScope scope(name, "RaggedToTensor");
  const RaggedValue value = AsRagged(ragged);
  Tensor filler;
  if (!fill.is_none()) filler = AsComponent(fill, value.dtype());
  if (IsTensor(shape.ptr())) {
    return Wrapped(RaggedToTensorOf(value, filler, TensorOf(shape.ptr())));
  }
  return Wrapped(RaggedToTensor(
      value, filler, shape.is_none() ? PartialTensorShape() : Shape(shape)));
}

Object ToSparse(Handle ragged, Handle name) {
  const CallScope scope(name, "RaggedToSparse");
  return Wrapped(RaggedToSparse(AsRagged(ragged)));
}

Object Lengths(Handle ragged, int64_t axis, Handle name) {
  if (axis == 1 && name.is_none()) return LengthsOfRows(ragged);
  const CallScope scope(name, "RaggedRowLengths");
  return Wrapped(RowLengths(AsRagged(ragged), axis));
}

Object Bounds(Handle ragged, Handle axis, Handle name, Handle out_type) {
  const CallScope scope(name, "RaggedBoundingBox");
  const Tensor all = BoundingShape(AsRagged(ragged));
  const Tensor shape = CastTo(all, AsType(out_type, all.dtype()));
  if (axis.is_none()) return Wrapped(shape);
  return Wrapped(CallComposition("gather", {shape, OrNull(axis)})[0]);
}

Object RaggedWithValues(Handle ragged, Handle values) {
  return Wrapped(AsRagged(ragged).WithValues(AsRagged(values)));
}

Object WithFlatValues(Handle ragged, Handle values) {
  const RaggedValue new_values = AsRagged(values);
  std::vector<Partition> outer = AsRagged(ragged).partitions();
  if (new_values.is_ragged()) {
    RaggedValue made = new_values;
    for (size_t i = outer.size(); i-- > 0;) {
      made = RaggedValue(made, outer[i]);
    }
    return Wrapped(made);
  }
  const Partition innermost = outer.back();
  outer.pop_back();
  const RaggedValue below =
      RaggedValue(AsRagged(ragged).flat(), innermost).WithValues(new_values);
  return Wrapped(AsRagged(ragged).WithFlat(below.flat()));
}

Object WithSplitsType(Handle ragged, Handle dtype) {
  const DataType type = AsType(dtype, DataType::kInt64);
  if (type != DataType::kInt32 && type != DataType::kInt64) {
    Throw(ValueError(
        "Argument `row_splits` dtype must be int32 or int64. Received {}.",
        TextOf(dtype)));
  }
  return Wrapped(AsRagged(ragged).WithSplitsType(type));
}

Object GetItem(Handle ragged, Handle key) {
  const CallScope scope(nb::none(), "RaggedGetItem");
  StatusOr<std::vector<SubscriptEntry>> entries = ParseEntries(key.ptr());
  if (!entries.ok()) Throw(entries.status());
  return Wrapped(RaggedSubscript(AsRagged(ragged), *std::move(entries)));
}

Object ShapeOfValue(Handle ragged) { return Wrapped(AsRagged(ragged).shape()); }

Object JoinedDimensions(Handle ragged, int64_t outer, int64_t inner) {
  return Wrapped(MergeDims(AsRagged(ragged), outer, inner));
}

// --- What it is.

Object Init(Handle self, Handle values, Handle partition, bool internal) {
  if (!internal) {
    Throw(ValueError(
        "RaggedTensor constructor is private; please use one of the factory "
        "methods instead (e.g., RaggedTensor.from_row_lengths())"));
  }
  SetParts(self, {{"_values", nb::borrow(values)},
                  {"_row_splits", partition[0]},
                  {"_uniform_row_length", partition[1]},
                  {"_given_lengths", nb::none()}});
  return nb::none();
}

// The ragged tensor and those that are its values, the outermost first.
nb::list LevelsOf(Handle self) {
  nb::list levels;
  for (Object level = nb::borrow(self); IsRagged(level);
       level = level.attr("_values")) {
    levels.append(level);
  }
  return levels;
}
Object Levels(Handle self) { return LevelsOf(self); }
Object FlatValues(Handle self) {
  Object values = self.attr("_values");
  while (IsRagged(values)) values = values.attr("_values");
  return values;
}
template <Object (*kPart)(Handle level, Handle name)>
Object OfLevels(Handle self, Handle name) {
  nb::list parts;
  for (Handle level : LevelsOf(self)) parts.append(kPart(level, name));
  return nb::tuple(parts);
}
Object SplitsOf(Handle level, Handle) { return level.attr("_row_splits"); }
Object LengthsOf(Handle level, Handle) { return Lengths(level, 1, nb::none()); }
Object RowidsOf(Handle level, Handle) {
  return RowPart<&Partition::rowids, "RaggedValueRowIds">(level, nb::none());
}
Object AllSplits(Handle self) { return OfLevels<SplitsOf>(self, nb::none()); }

Object TypeOf(Handle self) { return self.attr("_values").attr("dtype"); }
Object RaggedRank(Handle self) { return nb::int_(LevelsOf(self).size()); }
Object NumberOfRows(Handle self, Handle out_type, Handle name) {
  const Object rows = RowPart<&Partition::nrows, "RaggedNRows">(self, name);
  if (out_type.is_none()) return rows;
  return Wrapped(CastTo(AsTensor(rows), AsType(out_type, DataType::kInt64)));
}
Object SpecOfRagged(Handle self) {
  return Handle(TheCompositeClasses().ragged_spec).attr("from_value")(self);
}
// --- As a Python value.

nb::module_ NumPy() { return nb::module_::import_("numpy"); }

// The value of a part that is no placeholder.
Object Eager(Handle part, const char* method) {
  if (!nb::hasattr(part, "numpy")) {
    Throw(ValueError("RaggedTensor.{}() is only supported in eager mode.",
                     method));
  }
  return part.attr("numpy")();
}
// values[from:to] of each row.
nb::list RowsOf(Handle values, Handle splits) {
  nb::list rows;
  const nb::list ends(splits.attr("tolist")());
  for (size_t i = 0; i + 1 < ends.size(); ++i) {
    const Object from = ends[i], to = ends[i + 1];
    rows.append(values[nb::slice(from, to, nb::none())]);
  }
  return rows;
}
Object ToList(Handle self) {
  const Object splits = Eager(self.attr("_row_splits"), "to_list"),
               values = self.attr("_values");
  return RowsOf(IsRagged(values) ? ToList(values)
                                 : Eager(values, "to_list").attr("tolist")(),
                splits);
}
Object ToNumpy(Handle self) {
  const Object splits = Eager(self.attr("_row_splits"), "numpy"),
               values = self.attr("_values").attr("numpy")();
  const nb::list rows = RowsOf(values, splits);
  if (rows.size() == 0) {
    nb::list shape(nb::make_tuple(0, 0));
    nb::list whole(Object(values.attr("shape")));
    for (size_t i = 1; i < whole.size(); ++i) shape.append(whole[i]);
    return NumPy().attr("zeros")(shape, values.attr("dtype"));
  }
  nb::set shapes;
  for (Handle row : rows) shapes.add(row.attr("shape"));
  if (shapes.size() == 1) return NumPy().attr("stack")(rows);
  Object made = NumPy().attr("empty")(
      rows.size(), nb::arg("dtype") =
                       Handle(reinterpret_cast<PyObject*>(&PyBaseObject_Type)));
  for (size_t i = 0; i < rows.size(); ++i) made[i] = rows[i];
  return made;
}

// As NumPy prints it, long rows cut; empty rows stay.
Object TextOfArray(Handle value, Handle formatter) {
  if (!nb::isinstance(value, NumPy().attr("ndarray"))) return nb::str(value);
  if (nb::cast<int64_t>(value.attr("size")) == 0) {
    return nb::repr(value.attr("tolist")());
  }
  return NumPy().attr("array2string")(value, nb::arg("separator") = ", ",
                                      nb::arg("formatter") = formatter);
}
Object RaggedText(Handle self) {
  const Object values = self.attr("_values"), splits = self.attr("_row_splits");
  if (!nb::hasattr(splits, "numpy") ||
      !nb::hasattr(FlatValues(self), "numpy")) {
    return nb::cast(Format("tf.RaggedTensor(values={}, row_splits={})",
                           TextOf(values), TextOf(splits)));
  }
  nb::dict formatter;
  formatter["all"] =
      nb::cpp_function([formatter = Handle(formatter)](Handle value) {
        return TextOfArray(value, formatter);
      });
  return nb::cast(Format("<tf.RaggedTensor {}>",
                         TextOf(TextOfArray(ToNumpy(self), formatter))));
}

Object NoTensor(Handle self, Handle, Handle) {
  if (OpBuilder::Current()->builds_graph()) {
    Throw(TypeError(
        "Failed to convert elements of {} to Tensor. Consider casting elements "
        "to a supported type. See "
        "https://www.tensorflow.org/api_docs/python/tf/dtypes for supported TF "
        "dtypes. A dense tensor of it: `to_tensor()`.",
        ReprOf(self)));
  }
  Throw(ValueError(
      "{} is no dense tensor: TypeError: object of type 'RaggedTensor' has no "
      "len(). Use its `to_tensor()` or `values`.",
      TextOf(self)));
}
Object Consumers(Handle self) {
  const Object flat = FlatValues(self);
  if (nb::hasattr(flat, "numpy")) return nb::list();
  return flat.attr("consumers")();
}
Object Iterate(Handle self) {
  const Object count = ShapeOfValue(self)[nb::int_(0)];
  if (count.is_none()) {
    Throw(
        TypeError("Cannot iterate over a ragged tensor with an unknown "
                  "number of rows."));
  }
  const nb::module_ builtins = nb::module_::import_("builtins");
  return builtins.attr("map")(self.attr("__getitem__"),
                              builtins.attr("range")(count));
}
template <Name kWhy>
Object Refused(Handle) {
  Throw(TypeError("{}", kWhy.text));
}
// Those of plain graphs, which sessions feed, may be keys.
Object RaggedHash(Handle self) {
  if (!version_one.compares_identity &&
      !IsOfPlainGraph(Object(self.attr("row_splits")).ptr())) {
    Throw(TypeError("RaggedTensor is unhashable."));
  }
  return nb::int_(reinterpret_cast<Py_hash_t>(self.ptr()) >> 4);
}

// --- Element by element.

// Operands, the deeper of which says what the rows are.
Object Binary(Operator which, Handle x, Handle y) {
  const DataType dtype = AsRagged(IsRagged(x) ? x : y).dtype();
  return Wrapped(RaggedOperator(which, AsRagged(x, dtype), AsRagged(y, dtype)));
}
template <Operator kWhich>
Object Forward(Handle self, Handle other) {
  return Binary(kWhich, self, other);
}
template <Operator kWhich>
Object Reflected(Handle self, Handle other) {
  return Binary(kWhich, other, self);
}
// Those that cannot be of one shape are not equal.
template <Operator kWhich>
Object Equality(Handle self, Handle other) {
  const Object otherwise = nb::bool_(kWhich == Operator::kNotEqual);
  if (other.is_none()) return otherwise;
  if (version_one.compares_identity) {
    return nb::bool_(self.is(other) == (kWhich == Operator::kEqual));
  }
  try {
    return Binary(kWhich, self, other);
  } catch (const Error& error) {
    const Code code = error.status().code();
    if (code != Code::kInvalidArgument && code != Code::kValueError) throw;
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_ValueError)) throw;
  }
  return otherwise;
}
template <Operator kWhich>
Object Unary(Handle self) {
  return Wrapped(RaggedOperator(kWhich, AsRagged(self)));
}

#define GK_BOTH(name, op)                              \
  GK_METHOD("__" name "__", "other", Forward<op>, ""), \
      GK_METHOD("__r" name "__", "other", Reflected<op>, "")

PyMethodDef methods[] = {
    GK_METHOD("__init__", "values, row_partition, internal=False", Init, ""),
    GK_METHOD("_levels", "", Levels, ""),
    GK_METHOD("get_shape", "", ShapeOfValue, "The static shape."),
    GK_METHOD("nrows", "out_type=None, name=None", NumberOfRows,
              "How many rows there are; of the dtype of the splits by "
              "default."),
    GK_METHOD("row_starts", "name=None",
              (RowPart<&Partition::starts, "RaggedRowStarts">),
              "Where each row begins in `values`."),
    GK_METHOD("row_limits", "name=None",
              (RowPart<&Partition::limits, "RaggedRowLimits">),
              "Where each row ends in `values`."),
    GK_METHOD("row_lengths", "axis=1, name=None", Lengths,
              "The lengths of the rows along `axis`, ragged if that is above "
              "1.\n\n"
              ">>> tf.ragged.constant([[1, 2], [], [3]]).row_lengths()\n"
              "<tf.Tensor: shape=(3,), dtype=int64, numpy=array([2, 0, 1])>\n"),
    GK_METHOD("value_rowids", "name=None",
              (RowPart<&Partition::rowids, "RaggedValueRowIds">),
              "The row that each of `values` belongs to."),
    GK_METHOD("nested_row_lengths", "name=None", OfLevels<LengthsOf>,
              "The row lengths of all ragged dimensions, outermost first."),
    GK_METHOD("nested_value_rowids", "name=None", OfLevels<RowidsOf>,
              "The row ids of all ragged dimensions, outermost first."),
    GK_METHOD("bounding_shape", "axis=None, name=None, out_type=None", Bounds,
              "The shape of the smallest dense tensor that holds all "
              "values.\n\n"
              ">>> tf.ragged.constant([[1, 2, 3], [4]]).bounding_shape()\n"
              "<tf.Tensor: shape=(2,), dtype=int64, numpy=array([2, 3])>\n"),
    GK_METHOD("with_values", "new_values", RaggedWithValues,
              "The same rows with other values, as many as there were."),
    GK_METHOD("with_flat_values", "new_values", WithFlatValues,
              "The same partitions with other innermost values."),
    GK_METHOD("with_row_splits_dtype", "dtype", WithSplitsType,
              "The same with row splits of int32 or int64."),
    GK_METHOD("merge_dims", "outer_axis, inner_axis", JoinedDimensions,
              "The dimensions from one axis to another joined into one."),
    GK_METHOD("to_list", "", ToList,
              "Nested lists of Python values; eager only.\n\n"
              ">>> tf.ragged.constant([[1, 2], [3]]).to_list()\n"
              "[[1, 2], [3]]\n"),
    GK_METHOD("numpy", "", ToNumpy,
              "An array of arrays, or of numbers if all rows are of one "
              "length."),
    GK_METHOD("to_tensor", "default_value=None, name=None, shape=None", ToDense,
              "A dense tensor: short rows are filled up with "
              "`default_value`.\n\n"
              "Args:\n"
              "  default_value: a scalar of the same dtype; 0 or \"\" unless "
              "given.\n"
              "  shape: the shape wanted; longer rows are cut.\n\n"
              ">>> tf.ragged.constant([[1, 2], [3]]).to_tensor().numpy()"
              ".tolist()\n"
              "[[1, 2], [3, 0]]\n"),
    GK_METHOD("to_sparse", "name=None", ToSparse,
              "A tf.SparseTensor with the same values at the same places."),
    GK_METHOD("consumers", "", Consumers, "The operations that use its parts."),
    GK_METHOD("__tf_tensor__", "dtype=None, name=None", NoTensor, ""),
    GK_METHOD("__getitem__", "key", GetItem, ""),
    GK_METHOD("__iter__", "", Iterate, ""),
    GK_METHOD("__len__", "",
              Refused<"object of type 'RaggedTensor' has no len()">, ""),
    GK_METHOD("__hash__", "", RaggedHash, ""),
    GK_METHOD("__bool__", "",
              Refused<"RaggedTensor may not be used as a boolean.">, ""),
    GK_METHOD("__repr__", "", RaggedText, ""),
    GK_METHOD("__neg__", "", Unary<Operator::kNegative>, ""),
    GK_METHOD("__abs__", "", Unary<Operator::kAbsolute>, ""),
    GK_METHOD("__invert__", "", Unary<Operator::kInvert>, ""),
    GK_BOTH("add", Operator::kAdd),
    GK_BOTH("sub", Operator::kSubtract),
    GK_BOTH("mul", Operator::kMultiply),
    GK_BOTH("pow", Operator::kPower),
    GK_BOTH("truediv", Operator::kDivide),
    GK_BOTH("floordiv", Operator::kFloorDivide),
    GK_BOTH("mod", Operator::kModulo),
    GK_BOTH("and", Operator::kAnd),
    GK_BOTH("or", Operator::kOr),
    GK_BOTH("xor", Operator::kXor),
    GK_METHOD("__lt__", "other", Forward<Operator::kLess>, ""),
    GK_METHOD("__le__", "other", Forward<Operator::kLessEqual>, ""),
    GK_METHOD("__gt__", "other", Forward<Operator::kGreater>, ""),
    GK_METHOD("__ge__", "other", Forward<Operator::kGreaterEqual>, ""),
    GK_METHOD("__eq__", "other", Equality<Operator::kEqual>, ""),
    GK_METHOD("__ne__", "other", Equality<Operator::kNotEqual>, ""),
    {}};
#undef GK_BOTH

PyGetSetDef properties[] = {
    GK_PROPERTY("dtype", TypeOf, "The type of the values."),
    GK_PROPERTY("values", Part<"_values">,
                "The rows, one after the other; ragged if the rank is above "
                "2."),
    GK_PROPERTY("flat_values", FlatValues, "The innermost values, a tensor."),
    GK_PROPERTY("row_splits", Part<"_row_splits">,
                "Where the rows begin, and where the last one ends."),
    GK_PROPERTY("nested_row_splits", AllSplits,
                "The row splits of all ragged dimensions, outermost first."),
    GK_PROPERTY("ragged_rank", RaggedRank,
                "How many of the dimensions are partitions, uniform or "
                "ragged."),
    GK_PROPERTY("uniform_row_length", UniformLength<"_uniform_row_length">,
                "The length of every row if that is uniform, else None."),
    GK_PROPERTY("shape", ShapeOfValue,
                "The static shape: None for ragged dimensions."),
    GK_PROPERTY("_type_spec", SpecOfRagged, nullptr),
    {}};

}  // namespace

void AddRaggedTensor(nb::module_& m) {
  PyObject*& cls = TheCompositeClasses().ragged;
  cls =
      AddClass(m, "RaggedTensor", TheCompositeClasses().composite,
               Slots{"_row_splits", "_uniform_row_length", "_values",
                     "_given_lengths", "__dict__"},
               "A tensor with one or more dimensions of slices of different "
               "lengths.\n\n"
               "Made by `tf.ragged.constant` and by the `from_...` class "
               "methods.\n\n"
               ">>> rt = tf.RaggedTensor.from_row_splits([3, 1, 4, 1], [0, 1, "
               "1, 4])\n"
               ">>> rt\n"
               "<tf.RaggedTensor [[3], [], [1, 4, 1]]>\n"
               ">>> rt.shape\n"
               "TensorShape([3, None])\n"
               ">>> tf.function(lambda x: x.with_values(x.values * 2))(rt)\n"
               "<tf.RaggedTensor [[6], [], [2, 8, 2]]>\n",
               JoinedTables(&PyMethodDef::ml_name, ragged_factories, methods),
               properties)
          .ptr();
  Handle(cls).attr("_counts_as_tensor") = nb::bool_(true);
}

}  // namespace gk::py
