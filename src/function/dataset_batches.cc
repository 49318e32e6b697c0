// Datasets of several elements at a time: batches, windows, buckets.
#include "data/debug_mode.h"
#include "function/dataset_steps.h"
#include "function/ragged/checks.h"
#include "function/ragged/ragged.h"
#include "ops/composition.h"
#include "ops/fn/BatchDatasetV2.h"
#include "ops/fn/Cast.h"
#include "ops/fn/DenseToSparseBatchDataset.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/GreaterEqual.h"
#include "ops/fn/Pack.h"
#include "ops/fn/PaddedBatchDatasetV2.h"
#include "ops/fn/ParallelBatchDataset.h"
#include "ops/fn/RebatchDatasetV2.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Sum.h"
#include "ops/fn/UnbatchDataset.h"
#include "ops/fn/WindowDataset.h"
#include "ops/fn/ZipDataset.h"

namespace gk::steps {
namespace {

Tensor Int64s(std::span<const int64_t> values) {
  return IntsTensor(values, DataType::kInt64);
}

bool HasScalar(const ElementSpec& e) {
  return std::ranges::any_of(LeavesInside(e), [](const TypeSpec& leaf) {
    return leaf.kind == TypeSpec::Kind::kTensor && leaf.shape.rank() == 0;
  });
}

// What is known of the shape that a vector says.
PartialTensorShape ShapeIn(const Tensor& vector) {
  if (auto known = KnownInts(vector)) {
    for (int64_t& d : *known) d = std::max<int64_t>(d, -1);
    return PartialTensorShape(*known);
  }
  const PartialTensorShape& shape = vector.partial_shape();
  if (shape.rank() != 1 || shape.dim(0) < 0) return PartialTensorShape();
  return PartialTensorShape(std::vector<int64_t>(shape.dim(0), -1));
}

// The scalar that a component is filled up with.
Tensor PaddingValue(DataType dtype, const Tensor& given) {
  auto words = [](DataType t) {
    return Format("<dtype: '{}'>", DataTypeName(t));
  };
  if (!given) {
    if (dtype == DataType::kVariant) {
      throw Error(TypeError(
          "Unable to create padding for field of type 'variant' because "
          "t.base_dtype == tf.variant"));
    }
    return ValueOrThrow(OpBuilder::Current()->Constant(
        ValueOrThrow(Tensor::Zeros(dtype, TensorShape())), {}));
  }
  if (!given.partial_shape().IsCompatibleWith(TensorShape())) {
    throw Error(ValueError(
        "Invalid `padding_values`. `padding_values` values should be scalars, "
        "but got {}.",
        given.partial_shape().PythonString()));
  }
  if (given.dtype() != dtype) {
    throw Error(TypeError(
        "Invalid `padding_values`. `padding_values` values type {} does not "
        "match type {} of the corresponding input component.",
        words(given.dtype()), words(dtype)));
  }
  return given;
}

}  // namespace

TypedDataset Batch(const TypedDataset& d, const Tensor& size,
                   const Tensor& drop_remainder, const Parallel& parallel) {
  const ElementSignature e =
      Stacked(d.elements, KnownBatchSize(size, drop_remainder));
  if (!parallel.calls || DatasetDebugMode()) {
    return {
        ops::BatchDatasetV2(d.variant, size, drop_remainder, e.types, e.shapes),
        e};
  }
  return {ops::ParallelBatchDataset(d.variant, size, parallel.calls,
                                    drop_remainder, e.types, e.shapes,
                                    /*parallel_copy=*/false, parallel.Order()),
          e};
}

PaddedShape::PaddedShape(PartialTensorShape shape) : known(std::move(shape)) {
  if (known.unknown_rank()) {
    throw Error(ValueError(
        "Cannot convert a partially known TensorShape {} to a Tensor.",
        known.PythonString()));
  }
}
PaddedShape::PaddedShape(Tensor shape)
    : known(ShapeIn(shape)), vector(std::move(shape)) {}

Tensor PaddedShape::AsVector() const {
  return vector ? vector : Int64s(known.dims());
}

TypedDataset PaddedBatch(const TypedDataset& d, const Tensor& size,
                         const Tensor& drop_remainder, const Padding& padding) {
  const ElementSignature& e = d.elements;
  std::vector<PartialTensorShape> known;
  for (const PaddedShape& s : padding.shapes) known.push_back(s.known);
  const ElementSignature padded =
      PaddedTo(e, padding.shapes.empty() ? OwnPaddedShapes(e) : known);
  if (!padding.values.empty() && padding.values.size() != e.types.size()) {
    throw Error(TypeError(
        "Invalid `padding_values`. {} values were given for {} components",
        padding.values.size(), e.types.size()));
  }
  TensorVector to, values;
  for (size_t i = 0; i < e.types.size(); ++i) {
    to.push_back(padding.shapes.empty() ? Int64s(padded.shapes[i].dims())
                                        : padding.shapes[i].AsVector());
    values.push_back(PaddingValue(
        e.types[i], padding.values.empty() ? Tensor() : padding.values[i]));
  }
  const ElementSignature batch =
      Stacked(padded, KnownBatchSize(size, drop_remainder));
  return {ops::PaddedBatchDatasetV2(d.variant, size, to, values, drop_remainder,
                                    batch.shapes),
          batch};
}

void CheckPadded(const ElementSpec& e) {
  for (const TypeSpec& leaf : e.leaves) {
    if (leaf.kind == TypeSpec::Kind::kTensor) continue;
    throw Error(TypeError(
        "`padded_batch` is only supported for datasets that produce tensor "
        "elements but type spec of elements in the input dataset is not a "
        "subclass of TensorSpec: `{}`.",
        leaf.Text()));
  }
}

TypedDataset ComponentsOfRows(const TypedDataset& d, const ElementSpec& e) {
  const bool tensors = std::ranges::all_of(e.leaves, [](const TypeSpec& leaf) {
    return leaf.kind == TypeSpec::Kind::kTensor;
  });
  if (tensors) return d;
  return Map(d,
             TraceElementFunction("Dataset_unbatch_rows", d.elements,
                                  [&](std::span<const Tensor> components) {
                                    return RowsOfComponents(e, components);
                                  }),
             {});
}

TypedDataset Unbatch(const TypedDataset& d) {
  const ElementSignature e = RowsOf(d.elements);
  return {ops::UnbatchDataset(d.variant, e.types, e.shapes), e};
}
void CheckUnbatched(const ElementSpec& e) {
  if (HasScalar(e)) {
    throw Error(ValueError("Cannot unbatch an input with scalar components."));
  }
  if (const auto lengths = UnequalLengths(e)) {
    throw Error(ValueError(
        "`unbatch()` is only supported for datasets of elements whose "
        "components have a matching leading dimension. Encountered both {} "
        "and {}.",
        lengths->first, lengths->second));
  }
}

TypedDataset Rebatch(const TypedDataset& d, const Tensor& sizes,
                     const Tensor& drop_remainder) {
  const ElementSignature e =
      Stacked(RowsOf(d.elements), KnownBatchSize(sizes, drop_remainder));
  return {ops::RebatchDatasetV2(d.variant, sizes, drop_remainder, e.types,
                                e.shapes),
          e};
}
void CheckRebatched(const ElementSpec& e) {
  if (!HasScalar(e)) return;
  throw Error(ValueError(
      "Invalid `batch_sizes`. Expected dataset with rank of >= 1 but found "
      "a dataset with scalar elements. Fix the issue by adding the `batch` "
      "transformation to the dataset."));
}

TypedDataset Window(const TypedDataset& d, const Tensor& size,
                    const Tensor& shift, const Tensor& stride,
                    const Tensor& drop_remainder) {
  const size_t n = d.elements.types.size();
  const ElementSignature e{std::vector<DataType>(n, DataType::kVariant),
                           std::vector<PartialTensorShape>(n, TensorShape())};
  return {ops::WindowDataset(d.variant, size, shift ? shift : size, stride,
                             drop_remainder, e.types, e.shapes),
          e};
}

TensorVector ZipWindows(std::span<const Tensor> windows,
                        std::span<const ElementSignature> leaves) {
  TensorVector zipped;
  for (const ElementSignature& e : leaves) {
    const auto parts = windows.first(e.types.size());
    windows = windows.subspan(parts.size());
    zipped.push_back(parts.size() == 1
                         ? parts[0]
                         : ops::ZipDataset(parts, e.types, e.shapes));
  }
  return zipped;
}

TypedDataset SparseBatch(const TypedDataset& d, const Described& e,
                         const Tensor& size, const PaddedShape& row_shape) {
  if (!e.is_tensor) {
    throw Error(TypeError(
        "`dense_to_sparse_batch` requires an input dataset whose elements have "
        "a single component, but the given dataset has the following component "
        "types: {}.",
        e.text()));
  }
  const ElementSignature batch{{DataType::kVariant}, {PartialTensorShape()}};
  return {ops::DenseToSparseBatchDataset(d.variant, size, row_shape.AsVector(),
                                         batch.types, batch.shapes),
          batch};
}

ElementSpec SparseRows(const ElementSpec& e, const PaddedShape& row_shape) {
  const TypeSpec row = TypeSpec::Sparse(e.leaves[0].dtype, row_shape.known);
  return {e.structure, {row.Batched(-1)}};
}

ElementSpec RaggedRows(const ElementSpec& e, DataType splits) {
  ElementSpec rows = e;
  for (TypeSpec& leaf : rows.leaves) {
    if (leaf.kind != TypeSpec::Kind::kTensor) continue;
    if (leaf.shape.unknown_rank()) {
      throw Error(
          ValueError("Converting a tensor of unknown rank to a ragged tensor "
                     "is not supported."));
    }
    int last = leaf.shape.rank() - 1;
    while (last >= 0 && leaf.shape.dim(last) >= 0) --last;
    if (last >= 0) {
      leaf = TypeSpec::Ragged(leaf.dtype, leaf.shape, last, splits);
    }
  }
  return rows;
}

TypedDataset AsRaggedRows(const TypedDataset& d, const ElementSpec& e,
                          const ElementSpec& rows) {
  const auto converted = [&](std::span<const Tensor> components) {
    TensorVector made;
    for (size_t i = 0; i < e.leaves.size(); ++i) {
      ElementSignature own;
      e.leaves[i].AddComponents(&own);
      const auto given = components.first(own.types.size());
      components = components.subspan(given.size());
      const TypeSpec& row = rows.leaves[i];
      if (row.kind == e.leaves[i].kind) {
        made.insert(made.end(), given.begin(), given.end());
        continue;
      }
      FromTensorOptions options;
      options.ragged_rank = row.ragged_rank;
      options.splits_type = row.splits;
      const RaggedValue value = row.ragged_rank == 0
                                    ? RaggedValue(given[0])
                                    : RaggedFromTensor(given[0], options);
      TensorVector parts{value.flat()};
      for (const RowPartition& p : value.partitions()) {
        parts.push_back(p.splits);
      }
      row.Encode(parts, /*rows=*/false, &made);
    }
    return made;
  };
  ElementFunction f =
      TraceElementFunction("Dataset_ragged_batch", d.elements, converted);
  f.result = SignatureOf(rows);
  return Map(d, f, {});
}

// --- Buckets.

namespace {

Tensor At(std::span<const int64_t> values, const Tensor& key) {
  return ops::GatherV2(Int64s(values), key, Int32Of(0));
}

// The lengths that the bucket `key` is filled up to.
Tensor LongestIn(const Buckets& buckets, const Tensor& key) {
  Checks checks;
  checks.Less(key,
              IntegerOf(static_cast<int64_t>(buckets.boundaries.size()),
                        DataType::kInt64),
              "When pad_to_bucket_boundary=True, elements must have length < "
              "max(bucket_boundaries).");
  const Checks::Scope scope(checks);
  return ops::Sub(At(buckets.boundaries, key), IntegerOf(1, DataType::kInt64));
}

Padding PaddingOf(const Buckets& buckets, const ElementSignature& e,
                  const Tensor& key) {
  Padding padding = buckets.padding;
  if (padding.shapes.empty()) {
    for (const PartialTensorShape& s : e.shapes) padding.shapes.emplace_back(s);
  }
  if (!buckets.pad_to_boundary) return padding;
  const Tensor longest = LongestIn(buckets, key);
  for (PaddedShape& s : padding.shapes) {
    if (s.vector || s.known.IsFullyDefined()) continue;
    TensorVector dims;
    for (const int64_t d : s.known.dims()) {
      dims.push_back(d < 0 ? longest : IntegerOf(d, DataType::kInt64));
    }
    s = PaddedShape(ops::Pack(dims));
  }
  return padding;
}

}  // namespace

void Buckets::Check() const {
  if (batch_sizes.size() == boundaries.size() + 1) return;
  throw Error(ValueError(
      "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
      "`len(bucket_batch_sizes)={}` and `len(bucket_boundaries)={}`.",
      batch_sizes.size(), boundaries.size()));
}

Tensor Buckets::Of(const Tensor& length) const {
  auto wide = [](const Tensor& t) { return ops::Cast(t, DataType::kInt64); };
  const Tensor n = wide(length);
  return ops::Sum(wide(ops::GreaterEqual(n, Int64s(boundaries))), Int32Of(0));
}

TypedDataset BucketBySequenceLength(const TypedDataset& d,
                                    const ElementFunction& bucket,
                                    const Buckets& buckets) {
  const ElementSignature key{{DataType::kInt64}, {TensorShape()}};
  const ElementFunction size = TraceElementFunction(
      "Dataset_group_by_window_size_of", key, [&](auto given) {
        return TensorVector{At(buckets.batch_sizes, given[0])};
      });
  ElementSignature made;
  const ElementFunction reduce = TraceElementFunction(
      "Dataset_group_by_window_batches",
      Joined(key, {{DataType::kVariant}, {TensorShape()}}), [&](auto given) {
        const TypedDataset group{given[1], d.elements};
        const Tensor n = At(buckets.batch_sizes, given[0]);
        const TypedDataset batches =
            buckets.no_padding
                ? Batch(group, n, buckets.drop_remainder, {})
                : PaddedBatch(group, n, buckets.drop_remainder,
                              PaddingOf(buckets, d.elements, given[0]));
        made = batches.elements;
        return TensorVector{batches.variant};
      });
  return GroupByWindow(d, bucket, size, reduce, made);
}

}  // namespace gk::steps
