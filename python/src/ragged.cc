#include "ragged.h"

#include <utility>

#include "ops/element_moves.h"
#include "ragged_arguments.h"
#include "slicing.h"
#include "text_caster.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

using Partition = RowPartition;

// --- Makers. All take the values, the partition, and `name` and `validate`.

// Values and their partition, whose dtypes of splits agree.
struct Given {
  RaggedValue values;
  Tensor partition;
};

Given Fitted(nb::handle values, nb::handle partition, std::string_view name) {
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

nb::object Made(const Given& given, const Partition& rows, bool check) {
  return Wrapped(RaggedValue(
      given.values, check ? rows.Checked(given.values.nrows()) : rows));
}

nb::object FromSplits(nb::handle values, nb::handle splits, nb::handle name,
                      bool validate) {
  const CallScope scope(name, "RaggedFromRowSplits");
  const Given g = Fitted(values, splits, "row_splits");
  return Made(g, Partition::FromSplits(g.partition, validate), validate);
}

nb::object FromLengths(nb::handle values, nb::handle lengths, nb::handle name,
                       bool validate) {
  const CallScope scope(name, "RaggedFromRowLengths");
  const Given g = Fitted(values, lengths, "row_lengths");
  return Made(g, Partition::FromLengths(g.partition, validate), validate);
}

Tensor OrNull(nb::handle value) {
  return value.is_none()
             ? Tensor()
             : AsComponent(value, DataType::kInvalid, DataType::kInt64);
}

nb::object FromRowids(nb::handle values, nb::handle ids, nb::handle nrows,
                      nb::handle name, bool validate) {
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

nb::object FromStarts(nb::handle values, nb::handle starts, nb::handle name,
                      bool validate) {
  const CallScope scope(name, "RaggedFromRowStarts");
  const Given g = Fitted(values, starts, "row_starts");
  return Made(g, Partition::FromStarts(g.partition, g.values.nrows(), validate),
              false);
}

nb::object FromLimits(nb::handle values, nb::handle limits, nb::handle name,
                      bool validate) {
  const CallScope scope(name, "RaggedFromRowLimits");
  const Given g = Fitted(values, limits, "row_limits");
  return Made(g, Partition::FromLimits(g.partition, validate), validate);
}

Tensor AsLength(nb::handle given) {
  const Tensor length =
      AsComponent(given, DataType::kInvalid, DataType::kInt64);
  if (length.dtype() != DataType::kInt32 &&
      length.dtype() != DataType::kInt64) {
    Throw(ValueError("uniform_row_length must have dtype int32 or int64"));
  }
  return length;
}

nb::object FromUniform(nb::handle given, nb::handle row_length,
                       nb::handle nrows, nb::handle name, bool validate) {
  const CallScope scope(name, "RaggedFromUniformRowLength");
  const RaggedValue values = AsRagged(given);
  Tensor length = AsLength(row_length);
  if (values.is_ragged()) length = CastTo(length, values.splits_type());
  return Wrapped(RaggedValue(
      values,
      Partition::FromUniform(length, OrNull(nrows), values.nrows(), validate)));
}

// --- Partitions alone: what tf.experimental.RowPartition is made of.

Tensor AsIntegers(nb::handle given, nb::handle dtype, nb::handle hint,
                  std::string_view name) {
  const Tensor t = AsComponent(given, AsType(dtype, DataType::kInvalid),
                               AsType(hint, DataType::kInt64));
  bool ours;
  return AsPartition(Wrapped(t), name, &ours);
}

nb::object PartitionOf(const std::string& kind, nb::handle given,
                       nb::handle nrows, bool validate, nb::handle dtype,
                       nb::handle hint) {
  const Tensor t = AsIntegers(given, dtype, hint, kind);
  if (kind == "row_splits") return Wrapped(Partition::FromSplits(t, validate));
  if (kind == "row_lengths") {
    return Wrapped(Partition::FromLengths(t, validate));
  }
  return Wrapped(Partition::FromRowids(t, OrNull(nrows), validate));
}

nb::object UniformPartition(nb::handle length, nb::handle nvals,
                            nb::handle nrows, bool validate, nb::handle dtype,
                            nb::handle hint) {
  if (nvals.is_none() && nrows.is_none()) {
    Throw(ValueError("At least one of nvals and nrows must be given."));
  }
  const Tensor t = AsComponent(length, AsType(dtype, DataType::kInvalid),
                               AsType(hint, DataType::kInt64));
  return Wrapped(
      Partition::FromUniform(t, OrNull(nrows), OrNull(nvals), validate));
}

// --- Methods.

nb::object FromTensor(nb::handle given, nb::handle lengths, nb::handle padding,
                      nb::handle ragged_rank, nb::handle name,
                      nb::handle dtype) {
  if (!PyLong_Check(ragged_rank.ptr())) {
    Throw(TypeError("Argument `ragged_rank` must be an int. Received {}.",
                    nb::cast<std::string>(nb::str(ragged_rank))));
  }
  const CallScope scope(name, "RaggedFromTensor");
  const Tensor tensor = AsComponent(given);
  FromTensorOptions options{.ragged_rank = nb::cast<int>(ragged_rank),
                            .splits_type = AsType(dtype, DataType::kInt64)};
  if (!padding.is_none()) {
    options.padding = AsComponent(padding, DataType::kInvalid, tensor.dtype());
  }
  const auto is_nested = [](nb::handle list) {
    if (!PyList_Check(list.ptr()) && !PyTuple_Check(list.ptr())) return false;
    if (nb::len(list) == 0) return false;
    const nb::object first = list[0];
    return !PyLong_Check(first.ptr()) && !PyFloat_Check(first.ptr());
  };
  if (is_nested(lengths)) {
    for (nb::handle one : lengths) options.lengths.push_back(OrNull(one));
  } else if (!lengths.is_none()) {
    options.lengths.push_back(OrNull(lengths));
  }
  return Wrapped(RaggedFromTensor(tensor, options));
}

nb::object FromSparse(nb::handle sparse, nb::handle name, nb::handle dtype) {
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

nb::object ToDense(nb::handle ragged, nb::handle fill, nb::handle name,
                   nb::handle shape) {
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

nb::object ToSparse(nb::handle ragged, nb::handle name) {
  const CallScope scope(name, "RaggedToSparse");
  return Wrapped(RaggedToSparse(AsRagged(ragged)));
}

nb::object Lengths(nb::handle ragged, int64_t axis, nb::handle name) {
  const CallScope scope(name, "RaggedRowLengths");
  return Wrapped(RowLengths(AsRagged(ragged), axis));
}

nb::object Bounds(nb::handle ragged, nb::handle axis, nb::handle name,
                  nb::handle out_type) {
  const CallScope scope(name, "RaggedBoundingBox");
  const Tensor all = BoundingShape(AsRagged(ragged));
  const Tensor shape = CastTo(all, AsType(out_type, all.dtype()));
  if (axis.is_none()) return Wrapped(shape);
  return Wrapped(CallComposite("gather", {shape, OrNull(axis)})[0]);
}

nb::object WithValues(nb::handle ragged, nb::handle values) {
  return Wrapped(AsRagged(ragged).WithValues(AsRagged(values)));
}

nb::object WithFlatValues(nb::handle ragged, nb::handle values) {
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

nb::object WithSplitsType(nb::handle ragged, nb::handle dtype) {
  const DataType type = AsType(dtype, DataType::kInt64);
  if (type != DataType::kInt32 && type != DataType::kInt64) {
    Throw(ValueError(
        "Argument `row_splits` dtype must be int32 or int64. Received {}.",
        nb::cast<std::string>(nb::str(dtype))));
  }
  return Wrapped(AsRagged(ragged).WithSplitsType(type));
}

nb::object GetItem(nb::handle ragged, nb::handle key) {
  const CallScope scope(nb::none(), "RaggedGetItem");
  StatusOr<std::vector<SubscriptEntry>> entries = ParseEntries(key.ptr());
  if (!entries.ok()) Throw(entries.status());
  return Wrapped(RaggedSubscript(AsRagged(ragged), *std::move(entries)));
}

nb::object ShapeOfValue(nb::handle ragged) {
  return Owned(WrapShape(AsRagged(ragged).shape()));
}

// `op` of the flat values of operands, one of which is ragged, in its rows.
nb::object Mapped(nb::handle op, nb::handle operands, nb::handle hint) {
  FlatOperands flat =
      FlattenOperands(AsRaggedList(operands, AsType(hint, DataType::kInvalid)));
  nb::list values;
  for (const Tensor& t : flat.flat) values.append(Wrapped(t));
  const Checks::Scope scope(flat.checks);
  nb::object made = op(*values);
  if (!IsTensor(made.ptr())) return made;
  return Wrapped(flat.known.WithFlat(TensorOf(made.ptr())));
}

// The same of two, the deeper of which says what the rows are.
nb::object Binary(nb::handle op, nb::handle x, nb::handle y) {
  const RaggedValue known = AsRagged(IsRagged(x) ? x : y);
  const auto operand = [&](nb::handle value) {
    return AsRagged(value, known.dtype());
  };
  return Wrapped(RaggedBinary(
      [&](const Tensor& a, const Tensor& b) {
        return AsTensor(op(Wrapped(a), Wrapped(b)));
      },
      operand(x), operand(y)));
}

// --- Sparse tensors.

nb::object SparseFromDense(nb::handle tensor, nb::handle name) {
  const CallScope scope(name, "dense_to_sparse");
  return Wrapped(SparseValue::FromDense(AsComponent(tensor)));
}

nb::object SparseToDense(nb::handle sparse, nb::handle fill, bool ordered,
                         nb::handle name) {
  const CallScope scope(name, "SparseToDense");
  const SparseValue value = AsSparse(sparse);
  Tensor filler;
  if (!fill.is_none()) filler = AsComponent(fill, value.values.dtype());
  return Wrapped(value.ToDense(filler, ordered));
}

nb::object SparseReorder(nb::handle sparse, nb::handle name) {
  const CallScope scope(name, "SparseReorder");
  return Wrapped(AsSparse(sparse).Reordered());
}

nb::object SparseBeside(nb::handle sparse, nb::handle other) {
  const SparseValue value = AsSparse(sparse);
  return Wrapped(value.Beside(
      AsComponent(other, DataType::kInvalid, value.values.dtype())));
}

// What is known of the shape: of parts that fit.
nb::object SparseShape(nb::handle indices, nb::handle values,
                       nb::handle dense_shape) {
  return Owned(WrapShape(SparseValue::Make(AsTensor(indices), AsTensor(values),
                                           AsTensor(dense_shape))
                             .shape));
}

// Binds a function any argument of which may be None.
template <class R, class... Args>
void Define(nb::module_& m, const char* name, R (*function)(Args...)) {
  m.def(name, function, (static_cast<void>(sizeof(Args)), nb::arg().none())...);
}

}  // namespace

void AddRaggedFunctions(nb::module_& m);

void AddRagged(nb::module_& module) {
  nb::module_ m = module.def_submodule("_ragged");
  m.def("set_ragged_class", [](nb::handle cls) {
    TheCompositeClasses().ragged = cls.inc_ref().ptr();
  });
  m.def("set_sparse_class", [](nb::handle cls) {
    TheCompositeClasses().sparse = cls.inc_ref().ptr();
  });
  Define(m, "from_row_splits", &FromSplits);
  Define(m, "from_row_lengths", &FromLengths);
  Define(m, "from_value_rowids", &FromRowids);
  Define(m, "from_row_starts", &FromStarts);
  Define(m, "from_row_limits", &FromLimits);
  Define(m, "from_uniform_row_length", &FromUniform);
  Define(m, "partition", &PartitionOf);
  Define(m, "uniform_partition", &UniformPartition);
  const auto part = [&](const char* name, Tensor (Partition::*of)() const,
                        const char* scope_name) {
    m.def(
        name,
        [of, scope_name](nb::handle splits, nb::handle name) {
          const CallScope scope(name, scope_name);
          return Wrapped((Partition{AsTensor(splits), {}}.*of)());
        },
        nb::arg(), nb::arg().none() = nb::none());
  };
  part("row_starts", &Partition::starts, "RaggedRowStarts");
  part("row_limits", &Partition::limits, "RaggedRowLimits");
  part("lengths", &Partition::lengths, "RaggedRowLengths");
  part("rowids", &Partition::rowids, "RaggedValueRowIds");
  part("nrows", &Partition::nrows, "RaggedNRows");
  part("nvals", &Partition::nvals, "RaggedNVals");
  Define(m, "from_tensor", &FromTensor);
  Define(m, "from_sparse", &FromSparse);
  Define(m, "to_tensor", &ToDense);
  Define(m, "to_sparse", &ToSparse);
  Define(m, "row_lengths", &Lengths);
  Define(m, "bounding_shape", &Bounds);
  m.def("merge_dims", [](nb::handle ragged, int64_t outer, int64_t inner) {
    return Wrapped(MergeDims(AsRagged(ragged), outer, inner));
  });
  Define(m, "with_values", &WithValues);
  Define(m, "with_flat_values", &WithFlatValues);
  Define(m, "with_row_splits_dtype", &WithSplitsType);
  Define(m, "getitem", &GetItem);
  Define(m, "shape", &ShapeOfValue);
  m.def("text", [](nb::handle ragged, int64_t summarize) {
    const CallScope scope(nb::none(), "RaggedToString");
    return Wrapped(RaggedText(AsRagged(ragged), summarize));
  });
  Define(m, "mapped", &Mapped);
  Define(m, "binary", &Binary);
  Define(m, "sparse_from_dense", &SparseFromDense);
  Define(m, "sparse_to_dense", &SparseToDense);
  Define(m, "sparse_reorder", &SparseReorder);
  Define(m, "sparse_beside", &SparseBeside);
  Define(m, "sparse_shape", &SparseShape);
  AddRaggedFunctions(m);
}

}  // namespace gk::py
