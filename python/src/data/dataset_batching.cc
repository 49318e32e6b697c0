// tf.data.Dataset: several elements at a time.
#include "ops/composition.h"
#include "ops/fn/Cast.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Reshape.h"
#include "python/src/data/dataset_methods.h"
#include "python/src/data/dataset_padding.h"
#include "python/src/data/dataset_step.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_spec_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

nb::object Batch(const Arguments& a) {
  const Tensor size = Number(a, "batch_size"),
               drop = Number(a, "drop_remainder", DataType::kBool);
  const nb::object spec = BatchedSpec(ElementSpecOf(a.self()), size, drop);
  return Then(a, steps::Batch(Own(a), size, drop, ParallelOf(a)), spec);
}

// The dataset of tensors whose rows are the components of rows.
TypedDataset Rows(const Arguments& a) {
  const nb::object own = ElementSpecOf(a.self());
  bool tensors = true;
  for (nb::handle leaf : ElementLeaves(own)) {
    tensors = tensors && IsTensorSpec(leaf.ptr());
  }
  if (tensors) return Own(a);
  return DatasetOf(Recoded(
      a, "Dataset_unbatch_rows", {}, [&](std::span<const Tensor> components) {
        const nb::object value = ElementOfComponents(own, Wrapped(components));
        return Tensors(ComponentsOfElement(own, value, /*rows=*/true));
      }));
}

nb::object Unbatch(const Arguments& a) {
  const nb::object own = ElementSpecOf(a.self());
  steps::CheckUnbatched(CoreElement(own));
  const nb::object rows = RowsOfSpec(own);
  return Then(a, steps::Unbatch(Rows(a)), rows);
}

nb::object Rebatch(const Arguments& a) {
  const nb::object own = ElementSpecOf(a.self());
  steps::CheckRebatched(CoreElement(own));
  const Tensor sizes = NumberTensor(a["batch_size"], DataType::kInt64,
                                    "batch_sizes"),
               drop = Number(a, "drop_remainder", DataType::kBool);
  const nb::object spec = BatchedSpec(RowsOfSpec(own), sizes, drop);
  return Then(a, steps::Rebatch(Rows(a), sizes, drop), spec);
}

// ---- Tensors of unequal shapes ----

steps::PaddedShape PaddedShapeOf(nb::handle shape) {
  if (IsTensor(shape.ptr())) {
    const int64_t vector[] = {-1};
    return steps::PaddedShape(
        ops::Reshape(ops::Cast(AsTensor(shape), DataType::kInt64),
                     IntsTensor(vector, DataType::kInt64)));
  }
  if (shape.is_none()) {
    Throw(ValueError(
        "Attempt to convert a value (None) with an unsupported type ({}) to a "
        "Tensor. `padded_shapes` must hold a shape for each component.",
        TextOf(shape.type())));
  }
  if (IsTensorShape(shape.ptr())) {
    return steps::PaddedShape(ShapeOf(shape.ptr()));
  }
  nb::list dims;
  if (nb::hasattr(shape, "__iter__")) {
    dims.extend(shape);
  } else {
    dims.append(shape);
  }
  std::vector<int64_t> known;
  TensorVector parts;
  bool all_known = true;
  for (nb::handle d : dims) {
    if (IsTensor(d.ptr())) {
      all_known = false;
      parts.push_back(ops::Cast(AsTensor(d), DataType::kInt64));
      continue;
    }
    known.push_back(d.is_none() ? -1
                                : nb::cast<int64_t>(nb::object(nb::int_(d))));
    parts.push_back(IntegerOf(known.back(), DataType::kInt64));
  }
  return all_known ? steps::PaddedShape(PartialTensorShape(known))
                   : steps::PaddedShape(ops::Pack(parts));
}

}  // namespace

steps::Padding PaddingOf(const Arguments& a, nb::handle spec) {
  steps::Padding padding;
  if (a.has("padded_shapes")) {
    for (nb::handle shape : ElementLeavesUpTo(spec, a["padded_shapes"])) {
      padding.shapes.push_back(PaddedShapeOf(shape));
    }
  }
  const nb::handle given = a["padding_values"];
  if (given.is_none()) return padding;
  const bool one = IsElementLeaf(given);
  nb::list values;
  if (!one) values = ElementLeavesUpTo(spec, given, /*gaps=*/true);
  for (size_t i = 0; i < nb::len(ElementLeaves(spec)); ++i) {
    const nb::object value = one ? nb::borrow(given) : nb::object(values[i]);
    padding.values.push_back(
        value.is_none() ? Tensor() : Converted(value, "padding_value"));
  }
  return padding;
}

nb::object SpecOfComponents(nb::handle like, const ElementSignature& e) {
  size_t i = 0;
  return MappedSpec(like, [&](nb::handle) {
    const size_t k = i++;
    return Owned(WrapTensorSpec(e.shapes[k], e.types[k]));
  });
}

namespace {

nb::object PaddedBatch(const Arguments& a) {
  const nb::object own = ElementSpecOf(a.self());
  steps::CheckPadded(CoreElement(own));
  const Tensor size = Number(a, "batch_size"),
               drop = Number(a, "drop_remainder", DataType::kBool);
  const TypedDataset made =
      steps::PaddedBatch(Own(a), size, drop, PaddingOf(a, own));
  return Then(a, made, SpecOfComponents(own, made.elements));
}

nb::object RaggedBatch(const Arguments& a) {
  const ElementSpec own = CoreElement(ElementSpecOf(a.self()));
  const DataType splits = AsDType(a["row_splits_dtype"].ptr());
  if (splits == DataType::kInvalid) throw nb::python_error();
  const ElementSpec rows = steps::RaggedRows(own, splits);
  const Tensor size = Number(a, "batch_size"),
               drop = Number(a, "drop_remainder", DataType::kBool);
  return Then(
      a, steps::Batch(steps::AsRaggedRows(Own(a), own, rows), size, drop, {}),
      PythonElement(Batched(rows, KnownBatchSize(size, drop))));
}

nb::object SparseBatch(const Arguments& a) {
  const nb::object own = ElementSpecOf(a.self());
  const bool tensor = IsTensorSpec(own.ptr());
  const steps::PaddedShape shape =
      tensor ? PaddedShapeOf(a["row_shape"])
             : steps::PaddedShape(PartialTensorShape(TensorShape()));
  const ElementSignature e = SignatureOfSpec(own);
  const TypedDataset made =
      steps::SparseBatch(Own(a),
                         {e, tensor,
                          [&] {
                            return TextOf(MappedSpec(own, [](nb::handle leaf) {
                              return nb::getattr(leaf, "dtype", leaf);
                            }));
                          }},
                         Number(a, "batch_size"), shape);
  return Then(a, made,
              PythonElement(steps::SparseRows(CoreElement(own), shape)));
}

constexpr ToldFunction kDatasetBatchingMethods[] = {
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

PyMethodDef* BatchingMethods() {
  return MethodsOf<kDatasetBatchingMethods, METH_STATIC>();
}

}  // namespace gk::py
