#include "python/src/ragged/ragged_arguments.h"

#include "function/ragged/ragged_parts.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/text_caster.h"
#include "python/src/ragged/rows_value.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"

namespace gk::py {

namespace nb = nanobind;

CompositeClasses& TheCompositeClasses() {
  static CompositeClasses classes;
  return classes;
}

namespace {

bool IsOf(nb::handle value, PyObject* cls) {
  return cls != nullptr &&
         PyObject_TypeCheck(value.ptr(), reinterpret_cast<PyTypeObject*>(cls));
}

nb::object Attribute(nb::handle value, const char* literal) {
  return GetPart(value, literal);
}

}  // namespace

bool IsRagged(nb::handle value) {
  return IsOf(value, TheCompositeClasses().ragged);
}

Tensor AsComponent(nb::handle value, DataType dtype, DataType hint) {
  StatusOr<Tensor> t = ToTensor(value.ptr(), dtype, hint);
  if (!t.ok()) Throw(t.status());
  return *std::move(t);
}

Tensor OrNull(nb::handle value) {
  return value.is_none()
             ? Tensor()
             : AsComponent(value, DataType::kInvalid, DataType::kInt64);
}

RaggedValue AsRagged(nb::handle value, DataType hint) {
  if (!IsRagged(value)) {
    return AsComponent(value, DataType::kInvalid, hint);
  }
  std::vector<RowPartition> partitions;
  nb::object level = nb::borrow(value);
  while (IsRagged(level)) {
    partitions.push_back(AsRows(level, "_uniform_row_length"));
    level = Attribute(level, "_values");
  }
  return {AsTensor(level), std::move(partitions)};
}

std::vector<RaggedValue> AsRaggedList(nb::handle values, DataType hint) {
  std::vector<RaggedValue> list;
  for (nb::handle value : values) list.push_back(AsRagged(value, hint));
  return list;
}

RowPartition AsRows(nb::handle value, const char* uniform) {
  RowPartition rows{AsTensor(Attribute(value, "_row_splits")), {}};
  rows.given_lengths = GivenLengths(value);
  const nb::object length = Attribute(value, uniform);
  if (!length.is_none()) rows.uniform = nb::cast<int64_t>(length);
  return rows;
}

Tensor GivenLengths(nb::handle value) {
  const nb::object lengths = Attribute(value, "_given_lengths");
  return lengths.is_none() ? Tensor() : AsTensor(lengths);
}

namespace {

nb::object UniformOf(const RowPartition& rows) {
  return rows.uniform ? nb::object(nb::int_(*rows.uniform)) : nb::none();
}
nb::object LengthsOf(const RowPartition& rows) {
  return rows.given_lengths ? Wrapped(rows.given_lengths) : nb::none();
}

}  // namespace

nb::object Wrapped(const RowPartition& rows) {
  return NewValue(TheCompositeClasses().partition,
                  {{"_row_splits", Wrapped(rows.splits)},
                   {"_uniform", UniformOf(rows)},
                   {"_given_lengths", LengthsOf(rows)}});
}

nb::object Wrapped(const RaggedValue& value) {
  nb::object made = Wrapped(value.flat());
  for (size_t i = value.partitions().size(); i-- > 0;) {
    const RowPartition& rows = value.partitions()[i];
    made = NewValue(TheCompositeClasses().ragged,
                    {{"_values", made},
                     {"_row_splits", Wrapped(rows.splits)},
                     {"_uniform_row_length", UniformOf(rows)},
                     {"_given_lengths", LengthsOf(rows)}});
  }
  return made;
}

nb::object Wrapped(const std::vector<RaggedValue>& values) {
  nb::list list;
  for (const RaggedValue& v : values) list.append(Wrapped(v));
  return list;
}

bool IsSparse(nb::handle value) {
  return IsOf(value, TheCompositeClasses().sparse);
}

bool IsRaggedArrays(nb::handle value) {
  return std::string_view(Py_TYPE(value.ptr())->tp_name) == "RaggedTensorValue";
}

nb::object AsComposite(nb::handle value) {
  const std::string_view type = Py_TYPE(value.ptr())->tp_name;
  const auto parts = TheCompositeClasses();
  if (type == "SparseTensorValue" && PyTuple_Check(value.ptr())) {
    return nb::handle(parts.sparse)(*nb::borrow<nb::tuple>(value));
  }
  if (IsRaggedArrays(value)) {
    return nb::handle(parts.ragged)
        .attr("from_nested_row_splits")(Attribute(value, "flat_values"),
                                        Attribute(value, "nested_row_splits"));
  }
  return nb::borrow(value);
}

SparseValue AsSparse(nb::handle given) {
  const nb::object value = AsComposite(given);
  if (!IsSparse(value)) {
    Throw(TypeError("Input must be a SparseTensor."));
  }
  const auto part = [&](const char* name) {
    return AsTensor(Attribute(value, name));
  };
  return {part("_indices"), part("_values"), part("_dense_shape"),
          Shape(Attribute(value, "_static_shape"))};
}

nb::object Wrapped(const SparseValue& value) {
  const nb::handle cls = TheCompositeClasses().sparse;
  nb::object made = cls(Wrapped(value.indices), Wrapped(value.values),
                        Wrapped(value.dense_shape));
  made.attr("set_shape")(Owned(WrapShape(value.shape)));
  return made;
}

StatusOr<std::optional<RowsValue>> RowsOf(PyObject* given) {
  try {
    const nb::object value = AsComposite(given);
    if (IsRagged(value)) {
      const RaggedValue ragged = AsRagged(value);
      RowsValue rows{RowsValue::Kind::kRagged, ragged.flat()};
      for (const RowPartition& p : ragged.partitions()) {
        rows.places.push_back(p.splits);
      }
      return std::optional(std::move(rows));
    }
    if (IsSparse(value)) {
      const SparseValue sparse = AsSparse(value);
      return std::optional(RowsValue{RowsValue::Kind::kSparse,
                                     sparse.values,
                                     {sparse.indices, sparse.dense_shape}});
    }
  } catch (nb::python_error& error) {
    error.restore();
    return PythonError();
  }
  return std::optional<RowsValue>();
}

PyObject* WrapRows(const TensorVector& parts) {
  try {
    return Wrapped(RaggedOfParts(parts)).release().ptr();
  } catch (nb::python_error& error) {
    error.restore();
    return nullptr;
  }
}

PyObject* WrapSparse(const Tensor& indices, const Tensor& values,
                     const Tensor& dense_shape) {
  try {
    return Wrapped(SparseValue::Make(indices, values, dense_shape))
        .release()
        .ptr();
  } catch (nb::python_error& error) {
    error.restore();
    return nullptr;
  }
}

int64_t AsAxis(nb::handle value, std::string_view name) {
  if (IsTensor(value.ptr())) {
    const auto known = KnownInts(TensorOf(value.ptr()));
    if (known && known->size() == 1) return (*known)[0];
  }
  if (!PyLong_Check(value.ptr())) {
    Throw(TypeError("{} must be an int; got {}", name,
                    Py_TYPE(value.ptr())->tp_name));
  }
  return nb::cast<int64_t>(value);
}

RaggedAxes AsAxes(nb::handle value, std::string_view name) {
  if (value.is_none()) return {};
  if (IsTensor(value.ptr())) {
    const Tensor t = TensorOf(value.ptr());
    const auto known = KnownInts(t);
    if (!known) {
      Throw(ValueError("{} must be known at graph construction time.", name));
    }
    return {*known, t.partial_shape().rank() == 0};
  }
  if (!PyList_Check(value.ptr()) && !PyTuple_Check(value.ptr())) {
    return {std::vector<int64_t>{AsAxis(value, name)}, true};
  }
  RaggedAxes axes{std::vector<int64_t>()};
  for (nb::handle item : value) axes.values->push_back(AsAxis(item, name));
  return axes;
}

DataType AsType(nb::handle dtype, DataType otherwise) {
  if (dtype.is_none()) return otherwise;
  const DataType type = AsDType(dtype.ptr());
  if (type == DataType::kInvalid) throw nb::python_error();
  return type;
}

Tensor AsPartition(nb::handle given, std::string_view name, bool* ours) {
  const auto fits = [](const Tensor& t) {
    return t.dtype() == DataType::kInt32 || t.dtype() == DataType::kInt64;
  };
  *ours = IsTensor(given.ptr());
  // Arrays keep their own dtype.
  const DataType hint =
      IsNumpyValue(given.ptr()) ? DataType::kInvalid : DataType::kInt64;
  Tensor t = *ours ? TensorOf(given.ptr())
                   : AsComponent(given, DataType::kInvalid, hint);
  if (!fits(t) && !*ours &&
      (IsInteger(t.dtype()) || t.partial_shape().num_elements() == 0)) {
    t = AsComponent(given, DataType::kInt64);
  }
  if (!fits(t)) Throw(ValueError("{} must have dtype int32 or int64", name));
  const PartialTensorShape shape = t.partial_shape();
  if (!shape.unknown_rank() && shape.rank() != 1) {
    Throw(ValueError("Shape {} must have rank 1", shape.PythonString()));
  }
  return t;
}

CallScope::CallScope(nb::handle name, const char* otherwise) {
  FuncGraph* graph = FuncGraph::Current();
  if (graph == nullptr) return;
  const bool given = !name.is_none() && nb::len(name) > 0;
  scope_.emplace(graph,
                 given ? nb::cast<std::string>(name) : std::string(otherwise));
}

}  // namespace gk::py
