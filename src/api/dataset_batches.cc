// gk::Dataset: several elements at a time.
#include "api/dataset_parts.h"

namespace gk::api {
namespace {

steps::Padding PaddingOf(const std::vector<Shape>& shapes,
                         const std::vector<Tensor>& values) {
  steps::Padding padding;
  for (const Shape& s : shapes) padding.shapes.emplace_back(Inner(s));
  for (const Tensor& v : values) padding.values.push_back(InnerOrNull(v));
  return padding;
}

// Of tensors alone.
::gk::ElementSpec WithShapes(::gk::ElementSpec spec,
                             const ElementSignature& e) {
  for (size_t i = 0; i < spec.leaves.size(); ++i) {
    spec.leaves[i].shape = e.shapes[i];
  }
  return spec;
}

// Elements that nest as those of `like`, with the leaves of `spec`.
Spec WithLeaves(const ElementSpec& like, const ::gk::ElementSpec& spec) {
  std::vector<TypeSpec> leaves;
  for (size_t i = 0; i < spec.leaves.size(); ++i) {
    leaves.push_back(Outer(spec.leaves[i]));
    leaves.back().element_spec = like.leaves[i].element_spec;
  }
  return api::WithLeaves(like, std::move(leaves));
}

// The dataset of tensors whose rows are the components of rows.
TypedDataset RowsIn(const Dataset& d) {
  return steps::ComponentsOfRows(Typed(d), Inner(*d.spec()));
}

}  // namespace

Dataset Dataset::batch(const Tensor& size, const BatchOptions& options) const {
  return Guarded([&] {
    EnsureReady();
    const InnerTensor n = Int64(size), drop = Bool(options.drop_remainder);
    return Made(
        steps::Batch(Typed(*this), n, drop,
                     {Int64OrNull(options.num_parallel_calls), {}}),
        Outer(Batched(Inner(*spec()), KnownBatchSize(n, drop)), *spec()));
  });
}

Dataset Dataset::padded_batch(const Tensor& size,
                              const PaddedBatchOptions& options) const {
  return Guarded([&] {
    EnsureReady();
    ::gk::ElementSpec elements = Inner(*spec());
    steps::CheckPadded(elements);
    const TypedDataset made = steps::PaddedBatch(
        Typed(*this), Int64(size), Bool(options.drop_remainder),
        PaddingOf(options.padded_shapes, options.padding_values));
    return Made(made, Outer(WithShapes(elements, made.elements), *spec()));
  });
}

Dataset Dataset::ragged_batch(const Tensor& size,
                              const RaggedBatchOptions& options) const {
  return Guarded([&] {
    EnsureReady();
    const ::gk::ElementSpec elements = Inner(*spec());
    const ::gk::ElementSpec rows =
        steps::RaggedRows(elements, Inner(options.row_splits_dtype));
    const InnerTensor n = Int64(size), drop = Bool(options.drop_remainder);
    return Made(steps::Batch(steps::AsRaggedRows(Typed(*this), elements, rows),
                             n, drop, {}),
                WithLeaves(*spec(), Batched(rows, KnownBatchSize(n, drop))));
  });
}

Dataset Dataset::sparse_batch(const Tensor& size,
                              const Shape& row_shape) const {
  return Guarded([&] {
    EnsureReady();
    const steps::PaddedShape shape(Inner(row_shape));
    const TypedDataset made =
        WithWords(*spec(), [&](const steps::Described& e) {
          return steps::SparseBatch(Typed(*this), e, Int64(size), shape);
        });
    return Made(made,
                WithLeaves(*spec(), steps::SparseRows(Inner(*spec()), shape)));
  });
}

Dataset Dataset::unbatch() const {
  return Guarded([&] {
    EnsureReady();
    const ::gk::ElementSpec elements = Inner(*spec());
    steps::CheckUnbatched(elements);
    return Made(steps::Unbatch(RowsIn(*this)),
                Outer(RowsOf(elements), *spec()));
  });
}

Dataset Dataset::rebatch(const Tensor& size, bool drop_remainder) const {
  return Guarded([&] {
    EnsureReady();
    const ::gk::ElementSpec elements = Inner(*spec());
    steps::CheckRebatched(elements);
    const InnerTensor n = Int64(size), drop = Bool(drop_remainder);
    return Made(
        steps::Rebatch(RowsIn(*this), n, drop),
        Outer(Batched(RowsOf(elements), KnownBatchSize(n, drop)), *spec()));
  });
}

Dataset Dataset::window(const Tensor& size,
                        const WindowOptions& options) const {
  return Guarded([&] {
    EnsureReady();
    std::vector<TypeSpec> windows;
    for (const TypeSpec& leaf : spec()->leaves) {
      windows.push_back(
          DatasetSpec(*WithLeaves(*ScalarSpec(InnerType::kVariant), {leaf})));
    }
    return Made(
        steps::Window(Typed(*this), Int64(size), Int64OrNull(options.shift),
                      Int64(options.stride), Bool(options.drop_remainder)),
        WithLeaves(*spec(), std::move(windows)));
  });
}

Dataset Dataset::Bucketed(const detail::ElementBody& length_of,
                          const BucketOptions& options) const {
  return Guarded([&] {
    EnsureReady();
    const ::gk::ElementSpec elements = Inner(*spec());
    const steps::Buckets buckets{
        options.bucket_boundaries,
        options.bucket_batch_sizes,
        options.no_padding,
        options.pad_to_bucket_boundary,
        PaddingOf(options.padded_shapes, options.padding_values),
        Bool(options.drop_remainder)};
    buckets.Check();
    if (!buckets.no_padding) steps::CheckPadded(elements);
    const Traced bucket = TraceInteger(
        "key_func", "Dataset_group_by_window_bucket", spec(), length_of,
        [&](const InnerTensor& length) { return buckets.Of(length); });
    const TypedDataset made =
        steps::BucketBySequenceLength(Typed(*this), bucket.f, buckets);
    return Made(made,
                Outer(buckets.no_padding ? Batched(elements, -1)
                                         : WithShapes(elements, made.elements),
                      *spec()));
  });
}

}  // namespace gk::api
