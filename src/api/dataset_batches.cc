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
    auto windows = std::make_shared<ElementSpec>(*spec());
    windows->shape = {};
    for (TypeSpec& leaf : windows->leaves) {
      ElementSpec part = *ScalarSpec(InnerType::kVariant);
      if (leaf.kind != TypeSpec::Kind::kTensor) part.shape = {};
      part.leaves = {leaf};
      leaf = DatasetSpec(part);
    }
    return Made(
        steps::Window(Typed(*this), Int64(size), Int64OrNull(options.shift),
                      Int64(options.stride), Bool(options.drop_remainder)),
        windows);
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
