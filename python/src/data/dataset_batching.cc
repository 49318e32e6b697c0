// tf.data.Dataset: several elements at a time.
#include "function/dataset_builder.h"
#include "ops/composite.h"
#include "ops/fn/Cast.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Reshape.h"
#include "python/src/binding/class_attribute.h"
#include "python/src/data/dataset_methods.h"
#include "python/src/data/dataset_ops.h"
#include "python/src/data/dataset_step.h"
#include "python/src/data/element_spec.h"
#include "python/src/ragged/composite_classes.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_spec_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

nb::object Batch(const Arguments& a) {
  const auto [size, drop, known] = BatchesOf(a, "batch_size");
  const nb::object spec =
      MappedSpec(ElementSpecOf(a.self()), [&, n = known](nb::handle leaf) {
        return OfElements("batched", leaf, n);
      });
  Given given = {{"batch_size", size}, {"drop_remainder", drop}};
  if (!a.has("num_parallel_calls")) {
    return Then(a, kBatchDatasetV2, spec, given);
  }
  given.emplace_back("num_parallel_calls", nb::borrow(a["num_parallel_calls"]));
  given.emplace_back("deterministic", Deterministic(a["deterministic"]));
  return Then(a, kParallelBatchDataset, spec, given);
}

// The specs of tensors, ragged and sparse ones and datasets inside.
nb::object InnerLeaves(const Arguments& a) {
  return OfElements("leaves", ElementSpecOf(a.self()));
}

// Its rank is known to be 0.
bool IsScalar(nb::handle leaf) {
  const nb::object shape = nb::getattr(leaf, "shape", nb::none());
  return IsTensorShape(shape.ptr()) && ShapeOf(shape.ptr()).rank() == 0;
}

nb::object RowOf(nb::handle leaf) { return OfElements("sliced", leaf); }

// What `op` makes of the dataset of tensors whose rows are the components of
// rows.
nb::object OfRows(const Arguments& a, std::string_view op, nb::handle spec,
                  Given given) {
  const nb::object own = ElementSpecOf(a.self());
  nb::object input = nb::borrow(a.self());
  bool tensors = true;
  for (nb::handle leaf : ElementLeaves(own)) {
    tensors = tensors && IsTensorSpec(leaf.ptr());
  }
  if (!tensors) {
    input = Recoded(a, "Dataset_unbatch_rows", {},
                    nb::cpp_function([own](nb::object components) {
                      const nb::object value =
                          ElementOfComponents(own, components);
                      return ComponentsOfElement(own, value, /*rows=*/true);
                    }));
  }
  given.emplace(given.begin(), "input_dataset", input);
  return DatasetBy(op, spec, given);
}

nb::object Unbatch(const Arguments& a) {
  for (nb::handle leaf : InnerLeaves(a)) {
    if (IsTensorSpec(leaf.ptr()) && IsScalar(leaf)) {
      Throw(ValueError("Cannot unbatch an input with scalar components."));
    }
  }
  const nb::object own = ElementSpecOf(a.self());
  OfElements(
      "same_length", own,
      nb::str("`unbatch()` is only supported for datasets of elements whose "
              "components have a matching leading dimension. Encountered both "
              "{} and {}."));
  return OfRows(a, kUnbatchDataset, MappedSpec(own, RowOf), {});
}

nb::object Rebatch(const Arguments& a) {
  for (nb::handle leaf : InnerLeaves(a)) {
    if (IsScalar(leaf)) {
      Throw(ValueError(
          "Invalid `batch_sizes`. Expected dataset with rank of >= 1 but found "
          "a dataset with scalar elements. Fix the issue by adding the `batch` "
          "transformation to the dataset."));
    }
  }
  const auto [sizes, drop, known] = BatchesOf(a, "batch_sizes");
  const nb::object spec =
      MappedSpec(ElementSpecOf(a.self()), [&, n = known](nb::handle leaf) {
        return OfElements("batched", RowOf(leaf), n);
      });
  return OfRows(a, kRebatchDatasetV2, spec,
                {{"batch_sizes", sizes}, {"drop_remainder", drop}});
}

// ---- Tensors of unequal shapes ----

Tensor Constant(const Tensor& value) {
  return ValueOrThrow(OpBuilder::Current()->Constant(value, {}));
}
Tensor Int64s(const std::vector<int64_t>& values) {
  return IntsTensor(values, DataType::kInt64);
}

// An int64 vector of what describes a shape; -1 for what is not known.
Tensor ShapeVector(nb::handle shape) {
  if (IsTensor(shape.ptr())) {
    return ops::Reshape(ops::Cast(AsTensor(shape), DataType::kInt64),
                        Int64s({-1}));
  }
  if (shape.is_none()) {
    Throw(ValueError(
        "Attempt to convert a value (None) with an unsupported type ({}) to a "
        "Tensor. `padded_shapes` must hold a shape for each component.",
        TextOf(shape.type())));
  }
  if (IsTensorShape(shape.ptr())) {
    const PartialTensorShape& known = ShapeOf(shape.ptr());
    if (known.unknown_rank()) {
      Throw(ValueError(
          "Cannot convert a partially known TensorShape {} to a Tensor.",
          TextOf(shape)));
    }
    return Int64s({known.dims().begin(), known.dims().end()});
  }
  nb::list dims;
  if (nb::hasattr(shape, "__iter__")) {
    for (nb::handle d : shape) dims.append(d);
  } else {
    dims.append(shape);
  }
  bool all_known = true;
  std::vector<int64_t> known;
  TensorVector parts;
  for (nb::handle d : dims) all_known = all_known && !IsTensor(d.ptr());
  for (nb::handle d : dims) {
    if (IsTensor(d.ptr())) {
      parts.push_back(ops::Cast(AsTensor(d), DataType::kInt64));
      continue;
    }
    known.push_back(d.is_none() ? -1
                                : nb::cast<int64_t>(nb::object(nb::int_(d))));
    if (!all_known) {
      parts.push_back(Constant(Tensor::Scalar(known.back())));
    }
  }
  return all_known ? Int64s(known) : ops::Pack(parts);
}

// What is known of the shape that such a vector says.
PartialTensorShape KnownShape(const Tensor& vector) {
  if (const auto known = KnownInts(vector)) {
    std::vector<int64_t> dims;
    for (const int64_t d : *known) dims.push_back(d < 0 ? -1 : d);
    return PartialTensorShape(dims);
  }
  const PartialTensorShape& shape = vector.partial_shape();
  if (shape.rank() != 1 || shape.dim(0) < 0) return PartialTensorShape();
  return PartialTensorShape(std::vector<int64_t>(shape.dim(0), -1));
}

// The scalar that tensors are filled up with.
Tensor Padding(DataType dtype, nb::handle given) {
  if (given.is_none()) {
    if (dtype == DataType::kVariant) {
      Throw(TypeError(
          "Unable to create padding for field of type 'variant' because "
          "t.base_dtype == tf.variant"));
    }
    return Constant(ValueOrThrow(Tensor::Zeros(dtype, TensorShape())));
  }
  Tensor value = Converted(given, "padding_value");
  if (!value.partial_shape().IsCompatibleWith(TensorShape())) {
    Throw(ValueError(
        "Invalid `padding_values`. `padding_values` values should be scalars, "
        "but got {}.",
        value.partial_shape().PythonString()));
  }
  if (value.dtype() != dtype) {
    Throw(TypeError(
        "Invalid `padding_values`. `padding_values` values type {} does not "
        "match type {} of the corresponding input component.",
        TextOf(DTypeObject(value.dtype())), TextOf(DTypeObject(dtype))));
  }
  return value;
}

nb::object PaddedBatch(const Arguments& a) {
  const nb::object own = ElementSpecOf(a.self());
  nb::list leaves = ElementLeaves(own);
  ElementSignature e;
  for (nb::handle leaf : leaves) {
    if (!IsTensorSpec(leaf.ptr())) {
      Throw(TypeError(
          "`padded_batch` is only supported for datasets that produce tensor "
          "elements but type spec of elements in the input dataset is not a "
          "subclass of TensorSpec: `{}`.",
          TextOf(leaf)));
    }
    e.types.push_back(TensorSpecOf(leaf.ptr())->dtype);
    e.shapes.push_back(TensorSpecOf(leaf.ptr())->shape);
  }
  const auto [size, drop, known] = BatchesOf(a, "batch_size");
  TensorVector shapes;
  std::vector<PartialTensorShape> padded;
  if (a.has("padded_shapes")) {
    for (nb::handle shape : ElementLeavesUpTo(own, a["padded_shapes"])) {
      shapes.push_back(ShapeVector(shape));
      padded.push_back(KnownShape(shapes.back()));
    }
    PaddedTo(e, padded);
  } else {
    padded = OwnPaddedShapes(e);
    for (const PartialTensorShape& s : padded) {
      shapes.push_back(Int64s({s.dims().begin(), s.dims().end()}));
    }
  }
  const nb::handle given = a["padding_values"];
  nb::list each;
  if (IsElementLeaf(given)) {
    for (size_t i = 0; i < nb::len(leaves); ++i) each.append(given);
  } else {
    each = ElementLeavesUpTo(own, given, /*gaps=*/true);
  }
  TensorVector values;
  for (size_t i = 0; i < nb::len(leaves); ++i) {
    values.push_back(Padding(e.types[i], each[i]));
    leaves[i] = OfElements("batched",
                           Owned(WrapTensorSpec(padded[i], e.types[i])), known);
  }
  return Then(a, kPaddedBatchDatasetV2, PackedElement(own, leaves),
              {{"batch_size", size},
               {"padded_shapes", Wrapped(shapes)},
               {"padding_values", Wrapped(values)},
               {"drop_remainder", drop}});
}

// What a tensor is as a row of a ragged tensor: ragged up to its last
// dimension that is not known.
nb::object RaggedSpec(nb::handle leaf, nb::handle row_splits_dtype) {
  if (!IsTensorSpec(leaf.ptr())) return nb::borrow(leaf);
  const PartialTensorShape& shape = TensorSpecOf(leaf.ptr())->shape;
  if (shape.unknown_rank()) {
    Throw(ValueError(
        "Converting a tensor of unknown rank to a ragged tensor is not "
        "supported."));
  }
  int last = shape.rank() - 1;
  while (last >= 0 && shape.dim(last) >= 0) --last;
  if (last < 0) return nb::borrow(leaf);
  return nb::handle(TheCompositeClasses().ragged_spec)(
      leaf.attr("shape"), leaf.attr("dtype"), nb::int_(last), row_splits_dtype);
}

nb::object AsRow(nb::handle spec, nb::handle value) {
  const nb::object rank = nb::getattr(spec, "ragged_rank", nb::int_(0));
  if (!IsTensor(value.ptr()) || nb::cast<int>(rank) == 0) {
    return nb::borrow(value);
  }
  nb::dict named;
  named["ragged_rank"] = rank;
  named["row_splits_dtype"] = spec.attr("row_splits_dtype");
  return spec.attr("value_type").attr("from_tensor")(value, **named);
}

nb::object RaggedBatch(const Arguments& a) {
  const nb::object own = ElementSpecOf(a.self());
  const nb::object spec = MappedSpec(own, [&](nb::handle leaf) {
    return RaggedSpec(leaf, a["row_splits_dtype"]);
  });
  const auto ragged = [own, spec](nb::object components) {
    nb::list leaves = ElementLeaves(spec);
    size_t i = 0;
    for (nb::handle part :
         ElementLeaves(ElementOfComponents(own, components))) {
      leaves[i] = AsRow(leaves[i], part);
      ++i;
    }
    return ComponentsOfElement(spec, PackedElement(spec, leaves));
  };
  return Recoded(a, "Dataset_ragged_batch", spec, nb::cpp_function(ragged))
      .attr("batch")(a["batch_size"], a["drop_remainder"]);
}

nb::object SparseBatch(const Arguments& a) {
  const nb::object own = ElementSpecOf(a.self());
  if (!IsTensorSpec(own.ptr())) {
    const nb::object types = MappedSpec(
        own, [](nb::handle leaf) { return nb::getattr(leaf, "dtype", leaf); });
    Throw(TypeError(
        "`dense_to_sparse_batch` requires an input dataset whose elements have "
        "a single component, but the given dataset has the following component "
        "types: {}.",
        TextOf(types)));
  }
  const Tensor shape = ShapeVector(a["row_shape"]);
  const nb::object row = nb::handle(TheCompositeClasses().sparse_spec)(
      Owned(WrapShape(KnownShape(shape))), own.attr("dtype"));
  return Then(a, kDenseToSparseBatchDataset,
              OfElements("batched", row, nb::none()),
              {{"batch_size", nb::borrow(a["batch_size"])},
               {"row_shape", Wrapped(shape)}});
}

constexpr ToldFunction kMethods[] = {
    {R"(batch(self, batch_size, drop_remainder=False, num_parallel_calls=None,
      deterministic=None, name=None)
`batch_size` consecutive elements at a time, stacked.

Args:
  batch_size: an int64 scalar.
  drop_remainder: whether a last batch of fewer elements is left out; then the
    first dimension is known.
  num_parallel_calls: how many batches are stacked at a time; tf.data.AUTOTUNE
    for as many as there are CPUs.
  deterministic: accepted; batches always keep their order.
  name: accepted for compatibility.

Raises:
  tf.errors.InvalidArgumentError: `batch_size` is not positive; or, when
    iterating, elements have different shapes.

>>> [x.numpy().tolist() for x in tf.data.Dataset.range(5).batch(2)]
[[0, 1], [2, 3], [4]])",
     &Batch},
    {R"(unbatch(self, name=None)
The rows of each element.

Raises:
  ValueError: elements hold scalars, or tensors of different lengths.

>>> [int(x) for x in tf.data.Dataset.range(3).batch(2).unbatch()]
[0, 1, 2])",
     &Unbatch},
    {R"(padded_batch(self, batch_size, padded_shapes=None, padding_values=None,
             drop_remainder=False, name=None)
`batch_size` consecutive elements at a time, filled up to one shape.

Args:
  batch_size: an int64 scalar.
  padded_shapes: a structure of shapes; a dimension that is None or -1 is as
    large as the largest in the batch. All are if not given.
  padding_values: a structure of scalars of the components' types, or one for
    all; 0 and "" where it is None.
  drop_remainder: whether a last batch of fewer elements is left out.
  name: accepted for compatibility.

Raises:
  TypeError: elements are no tensors, or a value has another type.
  ValueError: a shape does not fit, or none is given and the rank is not known.
  tf.errors.DataLossError: when iterating, an element is larger.

>>> rows = tf.data.Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
>>> [x.numpy().tolist() for x in rows.padded_batch(2)]
[[[1, 0], [2, 2]], [[3, 3, 3]]])",
     &PaddedBatch},
    {R"(ragged_batch(self, batch_size, drop_remainder=False,
             row_splits_dtype=tf.int64, name=None)
`batch_size` consecutive elements at a time. Tensors whose shape is not known
become rows of a tf.RaggedTensor.

Args:
  batch_size: an int64 scalar.
  drop_remainder: whether a last batch of fewer elements is left out.
  row_splits_dtype: tf.int32 or tf.int64.
  name: accepted for compatibility.

Raises:
  ValueError: the rank of a tensor is not known.

>>> rows = tf.data.Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
>>> [x.to_list() for x in rows.ragged_batch(2)]
[[[1], [2, 2]], [[3, 3, 3]]])",
     &RaggedBatch},
    {R"(sparse_batch(self, batch_size, row_shape, name=None)
`batch_size` consecutive elements at a time as a tf.SparseTensor of all of their
values.

Args:
  batch_size: an int64 scalar.
  row_shape: of each row; an element may be smaller. A dimension that is None or
    -1 is as large as the largest in the batch.
  name: accepted for compatibility.

Raises:
  TypeError: elements are more than one tensor.
  tf.errors.DataLossError: when iterating, an element is larger.

>>> rows = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], n))
>>> [tf.sparse.to_dense(x).numpy().tolist()
...  for x in rows.sparse_batch(2, [3])]
[[[1, 0, 0], [2, 2, 0]]])",
     &SparseBatch},
    {R"(rebatch(self, batch_size, drop_remainder=False, name=None)
The rows of batches in batches of other sizes.

Args:
  batch_size: an int64 scalar, or a vector of sizes to take in turn.
  drop_remainder: whether a last batch of fewer rows is left out.
  name: accepted for compatibility.

Raises:
  ValueError: elements hold scalars.

>>> batches = tf.data.Dataset.range(7).batch(4)
>>> [x.numpy().tolist() for x in batches.rebatch(3)]
[[0, 1, 2], [3, 4, 5], [6]])",
     &Rebatch},
};

}  // namespace

PyMethodDef* BatchingMethods() { return MethodsOf<kMethods, METH_STATIC>(); }

}  // namespace gk::py
