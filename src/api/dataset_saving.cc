// gk::Dataset: saved to files, and read again.
#include "function/dataset_saving.h"

#include "api/dataset_parts.h"
#include "ops/fn/DatasetFingerprint.h"
#include "saved_model/element_spec_message.h"

namespace gk::api {
namespace {

InnerTensor PathHere(const std::string& path) {
  return ConstantHere(InnerTensor::Scalar(path));
}

}  // namespace

void Dataset::save(const std::string& path,
                   const std::string& compression) const {
  Save(path, nullptr, compression);
}

namespace {

// Of a dataset that is saved in shards; nothing: it is not.
std::optional<ElementFunction> ShardFunction(const Spec& spec,
                                             const detail::ElementBody* shard,
                                             const std::string& compression) {
  EnsureReady();
  steps::CheckSavedCompression(compression);
  if (shard == nullptr) return std::nullopt;
  return TraceInteger("shard_func", "Dataset_save", spec, *shard,
                      [](const InnerTensor& number) { return AsInt64(number); })
      .f;
}

}  // namespace

Dataset Dataset::saving(const std::string& path,
                        const std::string& compression) const {
  return Saving(path, nullptr, compression);
}

Dataset Dataset::Saving(const std::string& path,
                        const detail::ElementBody* shard,
                        const std::string& compression) const {
  return Guarded([&] {
    const std::optional<ElementFunction> f =
        ShardFunction(spec(), shard, compression);
    ThrowIfError(WriteElementSpec(path, Inner(*spec())));
    return Made(steps::Saving(Typed(*this), PathHere(path), compression,
                              f ? &*f : nullptr),
                spec());
  });
}

void Dataset::Save(const std::string& path, const detail::ElementBody* shard,
                   const std::string& compression) const {
  Guarded([&] {
    const std::optional<ElementFunction> f =
        ShardFunction(spec(), shard, compression);
    ThrowIfError(WriteElementSpec(path, Inner(*spec())));
    steps::Save(Typed(*this), PathHere(path), compression, f ? &*f : nullptr);
  });
}

Tensor Dataset::fingerprint() const {
  return Guarded([&] {
    EnsureReady();
    return Outer(::gk::ops::DatasetFingerprint(Inner(variant())));
  });
}

Dataset Dataset::snapshot(const std::string& path,
                          const std::string& compression) const {
  return Snapshot(path, nullptr, compression);
}

Dataset Dataset::Snapshot(const std::string& path,
                          const detail::ElementBody* shard,
                          const std::string& compression) const {
  return Guarded([&] {
    EnsureReady();
    std::optional<ElementFunction> f;
    if (shard != nullptr) {
      f = TraceInteger(
              "shard_func", "Dataset_snapshot", spec(), *shard,
              [](const InnerTensor& number) { return AsInt64(number); })
              .f;
    }
    return Made(steps::Snapshot(Typed(*this), PathHere(path), compression,
                                nullptr, f ? &*f : nullptr),
                spec());
  });
}

Dataset Dataset::load(const std::string& path, const LoadOptions& options) {
  return Load(path, nullptr, options);
}

Dataset Dataset::Load(const std::string& path,
                      const detail::ElementBody* reader,
                      const LoadOptions& options) {
  return Guarded([&] {
    EnsureReady();
    Spec spec = options.element_spec;
    if (!spec) {
      const ::gk::ElementSpec saved = ValueOrThrow(ReadElementSpec(path));
      auto made = std::make_shared<ElementSpec>();
      made->structure = Outer(saved.structure);
      for (const ::gk::TypeSpec& leaf : saved.leaves) {
        made->leaves.push_back(Outer(leaf));
      }
      spec = std::move(made);
    }
    const ElementSignature e = SignatureOf(*spec);
    std::optional<ElementFunction> f;
    if (reader != nullptr) {
      const Traced made =
          Trace("Dataset_load", {DatasetsOf(*DatasetsOf(*spec))}, *reader);
      const Spec read = NestedSpec(made);
      if (!read) {
        steps::NoDataset([&] { return made.specs[0]->to_string(); });
      }
      steps::CheckRead(e, SignatureOf(*read));
      f = made.f;
    }
    return Made(
        steps::Load(PathHere(path), e, options.compression, f ? &*f : nullptr),
        spec);
  });
}

}  // namespace gk::api
