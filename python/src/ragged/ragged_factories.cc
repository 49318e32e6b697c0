// How tf.RaggedTensor is made: its class methods.
#include <utility>

#include "ops/element_moves.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/text_caster.h"
#include "python/src/ragged/composite_types.h"

namespace gk::py {
namespace {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;
using Partition = RowPartition;

// All take the values, the partition, and `name` and `validate`.

// Values and their partition, whose dtypes of splits agree.
struct Given {
  RaggedValue values;
  Tensor partition;
};

Given Fitted(Handle values, Handle partition, std::string_view name) {
  Given given{AsRagged(values), {}};
  bool ours;
  given.partition = AsPartition(partition, name, &ours);
  if (!given.values.is_ragged()) return given;
  const DataType inner = given.values.splits_type();
  if (inner == given.partition.dtype()) return given;
  if (ours) given.values = given.values.WithSplitsType(DataType::kInt64);
  given.partition = CastTo(given.partition, ours ? DataType::kInt64 : inner);
  return given;
}

Object Made(const Given& given, const Partition& rows, bool check) {
  return Wrapped(RaggedValue(
      given.values, check ? rows.Checked(given.values.nrows()) : rows));
}

Object FromSplits(Handle, Handle values, Handle splits, Handle name,
                  bool validate) {
  const CallScope scope(name, "RaggedFromRowSplits");
  const Given g = Fitted(values, splits, "row_splits");
  return Made(g, Partition::FromSplits(g.partition, validate), validate);
}

Object FromLengths(Handle, Handle values, Handle lengths, Handle name,
                   bool validate) {
  const CallScope scope(name, "RaggedFromRowLengths");
  const Given g = Fitted(values, lengths, "row_lengths");
  return Made(g, Partition::FromLengths(g.partition, validate), validate);
}

Object FromRowids(Handle, Handle values, Handle ids, Handle nrows, Handle name,
                  bool validate) {
  const CallScope scope(name, "RaggedFromValueRowIds");
  const Given g = Fitted(values, ids, "value_rowids");
  const PartialTensorShape counts = g.values.shape();
  const int64_t many = g.partition.partial_shape().dims().empty()
                           ? kUnknownDim
                           : g.partition.partial_shape().dim(0);
  if (counts.rank() > 0 && counts.dim(0) >= 0 && many >= 0 &&
      counts.dim(0) != many) {
    Throw(ValueError("Shapes {} and {} are incompatible",
                     PartialTensorShape({counts.dim(0)}).PythonString(),
                     PartialTensorShape({many}).PythonString()));
  }
  return Made(g, Partition::FromRowids(g.partition, OrNull(nrows), validate),
              false);
}

Object FromStarts(Handle, Handle values, Handle starts, Handle name,
                  bool validate) {
  const CallScope scope(name, "RaggedFromRowStarts");
  const Given g = Fitted(values, starts, "row_starts");
  return Made(g, Partition::FromStarts(g.partition, g.values.nrows(), validate),
              false);
}

Object FromLimits(Handle, Handle values, Handle limits, Handle name,
                  bool validate) {
  const CallScope scope(name, "RaggedFromRowLimits");
  const Given g = Fitted(values, limits, "row_limits");
  return Made(g, Partition::FromLimits(g.partition, validate), validate);
}

Tensor AsLength(Handle given) {
  const Tensor length =
      AsComponent(given, DataType::kInvalid, DataType::kInt64);
  if (length.dtype() != DataType::kInt32 &&
      length.dtype() != DataType::kInt64) {
    Throw(ValueError("uniform_row_length must have dtype int32 or int64"));
  }
  return length;
}

Object FromUniform(Handle, Handle given, Handle row_length, Handle nrows,
                   bool validate, Handle name) {
  const CallScope scope(name, "RaggedFromUniformRowLength");
  const RaggedValue values = AsRagged(given);
  Tensor length = AsLength(row_length);
  if (values.is_ragged()) length = CastTo(length, values.splits_type());
  return Wrapped(RaggedValue(
      values,
      Partition::FromUniform(length, OrNull(nrows), values.nrows(), validate)));
}

// Partitions nested, the innermost made first.
template <class Make>
Object Nested(Handle flat, Handle nested, const char* argument, Make&& make) {
  if (IsTensor(nested.ptr())) {
    Throw(TypeError("Argument `{}` must be a list of Tensors. Received {}.",
                    argument, TextOf(nested)));
  }
  const nb::list partitions(nested);
  Object made = nb::borrow(flat);
  for (size_t i = partitions.size(); i-- > 0;) made = make(made, i);
  return made;
}
Object FromNestedSplits(Handle cls, Handle flat, Handle nested, Handle name,
                        bool validate) {
  return Nested(
      flat, nested, "nested_row_splits", [&](Handle values, size_t i) {
        return FromSplits(cls, values, Object(nested[i]), name, validate);
      });
}
Object FromNestedLengths(Handle cls, Handle flat, Handle nested, Handle name,
                         bool validate) {
  return Nested(
      flat, nested, "nested_row_lengths", [&](Handle values, size_t i) {
        return FromLengths(cls, values, Object(nested[i]), name, validate);
      });
}
Object FromNestedRowids(Handle cls, Handle flat, Handle nested, Handle nrows,
                        Handle name, bool validate) {
  if (!nrows.is_none() && nb::len(nrows) != nb::len(nested)) {
    Throw(ValueError(
        "Argument `nested_nrows` must have the same length as argument "
        "`nested_value_rowids`. len(nested_nrows) = {} vs. "
        "len(nested_values_rowids) = {}.",
        nb::len(nrows), nb::len(nested)));
  }
  return Nested(
      flat, nested, "nested_value_rowids", [&](Handle values, size_t i) {
        return FromRowids(cls, values, Object(nested[i]),
                          nrows.is_none() ? nb::none() : Object(nrows[i]), name,
                          validate);
      });
}

Object FromTensor(Handle, Handle given, Handle lengths, Handle padding,
                  Handle ragged_rank, Handle name, Handle dtype) {
  if (!PyLong_Check(ragged_rank.ptr())) {
    Throw(TypeError("Argument `ragged_rank` must be an int. Received {}.",
                    TextOf(ragged_rank)));
  }
  const CallScope scope(name, "RaggedFromTensor");
  const Tensor tensor = AsComponent(given);
  FromTensorOptions options{.ragged_rank = nb::cast<int>(ragged_rank),
                            .splits_type = AsType(dtype, DataType::kInt64)};
  if (!padding.is_none()) {
    options.padding = AsComponent(padding, DataType::kInvalid, tensor.dtype());
  }
  const auto is_nested = [](Handle list) {
    if (!PyList_Check(list.ptr()) && !PyTuple_Check(list.ptr())) return false;
    if (nb::len(list) == 0) return false;
    const Object first = list[0];
    return !PyLong_Check(first.ptr()) && !PyFloat_Check(first.ptr());
  };
  if (is_nested(lengths)) {
    for (Handle one : lengths) options.lengths.push_back(OrNull(one));
  } else if (!lengths.is_none()) {
    options.lengths.push_back(OrNull(lengths));
  }
  return Wrapped(RaggedFromTensor(tensor, options));
}

Object FromSparse(Handle, Handle sparse, Handle name, Handle dtype) {
  if (!PyObject_TypeCheck(sparse.ptr(), reinterpret_cast<PyTypeObject*>(
                                            TheCompositeClasses().sparse))) {
    Throw(TypeError(
        "Argument `st_input` must be of type SparseTensor, but is of type {}.",
        Py_TYPE(sparse.ptr())->tp_name));
  }
  const CallScope scope(name, "RaggedFromSparse");
  return Wrapped(
      RaggedFromSparse(AsSparse(sparse), AsType(dtype, DataType::kInt64)));
}

}  // namespace

PyMethodDef ragged_factories[] = {
    GK_CLASS_METHOD(
        "from_row_splits", "values, row_splits, name=None, validate=True",
        FromSplits,
        "Row i is `values[row_splits[i]:row_splits[i + 1]]`.\n\n"
        "Args:\n"
        "  values: the rows, one after the other; ragged, too, if wanted.\n"
        "  row_splits: int32 or int64, starts with 0, never falls.\n"
        "  validate: whether that is checked.\n\n"
        "Raises ValueError or InvalidArgumentError if they do not fit.\n\n"
        ">>> tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 3])\n"
        "<tf.RaggedTensor [[1, 2], [3]]>\n"),
    GK_CLASS_METHOD(
        "from_row_lengths", "values, row_lengths, name=None, validate=True",
        FromLengths,
        "Row i has `row_lengths[i]` of the values.\n\n"
        ">>> tf.RaggedTensor.from_row_lengths([1, 2, 3], [2, 0, 1])\n"
        "<tf.RaggedTensor [[1, 2], [], [3]]>\n"),
    GK_CLASS_METHOD(
        "from_value_rowids",
        "values, value_rowids, nrows=None, name=None, validate=True",
        FromRowids,
        "Value j belongs to row `value_rowids[j]`; the ids never fall.\n\n"
        ">>> tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2])\n"
        "<tf.RaggedTensor [[1, 2], [], [3]]>\n"),
    GK_CLASS_METHOD(
        "from_row_starts", "values, row_starts, name=None, validate=True",
        FromStarts,
        "Row i begins at `row_starts[i]` and ends where the next begins."),
    GK_CLASS_METHOD(
        "from_row_limits", "values, row_limits, name=None, validate=True",
        FromLimits,
        "Row i ends before `row_limits[i]`, where the next begins."),
    GK_CLASS_METHOD(
        "from_uniform_row_length",
        "values, uniform_row_length, nrows=None, validate=True, name=None",
        FromUniform,
        "All rows have `uniform_row_length` values.\n\n"
        ">>> tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2).shape\n"
        "TensorShape([2, 2])\n"),
    GK_CLASS_METHOD(
        "from_nested_row_splits",
        "flat_values, nested_row_splits, name=None, validate=True",
        FromNestedSplits,
        "One partition for each ragged dimension, the outermost first."),
    GK_CLASS_METHOD(
        "from_nested_row_lengths",
        "flat_values, nested_row_lengths, name=None, validate=True",
        FromNestedLengths,
        "One list of lengths for each ragged dimension, outermost first."),
    GK_CLASS_METHOD(
        "from_nested_value_rowids",
        "flat_values, nested_value_rowids, nested_nrows=None, name=None, "
        "validate=True",
        FromNestedRowids,
        "One list of row ids for each ragged dimension, outermost first."),
    GK_CLASS_METHOD(
        "from_tensor",
        "tensor, lengths=None, padding=None, ragged_rank=1, name=None, "
        "row_splits_dtype=tf.int64",
        FromTensor,
        "The rows of a dense tensor, cut to `lengths` or before `padding`.\n\n"
        ">>> tf.RaggedTensor.from_tensor([[1, 2, 0], [4, 0, 0]], padding=0)\n"
        "<tf.RaggedTensor [[1, 2], [4]]>\n"),
    GK_CLASS_METHOD(
        "from_sparse", "st_input, name=None, row_splits_dtype=tf.int64",
        FromSparse, "The rows of a 2-D tf.SparseTensor without gaps."),
    {}};

}  // namespace gk::py
