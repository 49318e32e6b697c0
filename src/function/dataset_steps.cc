#include "function/dataset_steps.h"

#include <limits>

#include "data/debug_mode.h"
#include "ops/composition.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/AssertCardinalityDataset.h"
#include "ops/fn/CacheDatasetV2.h"
#include "ops/fn/ConcatenateDataset.h"
#include "ops/fn/DirectedInterleaveDataset.h"
#include "ops/fn/DummyMemoryCache.h"
#include "ops/fn/DummySeedGenerator.h"
#include "ops/fn/IgnoreErrorsDataset.h"
#include "ops/fn/PrefetchDataset.h"
#include "ops/fn/RandomDatasetV2.h"
#include "ops/fn/RangeDataset.h"
#include "ops/fn/RepeatDataset.h"
#include "ops/fn/RewriteDataset.h"
#include "ops/fn/ShardDataset.h"
#include "ops/fn/ShuffleDatasetV3.h"
#include "ops/fn/SkipDataset.h"
#include "ops/fn/TakeDataset.h"
#include "ops/fn/TensorDataset.h"
#include "ops/fn/TensorSliceDataset.h"
#include "ops/fn/UniqueDataset.h"
#include "ops/fn/ZipDataset.h"
#include "ops/random/random_seeds.h"

namespace gk::steps {
namespace {

Tensor Int64Of(int64_t value, std::string_view name) {
  return IntegerOf(value, DataType::kInt64, name);
}
Tensor OrElse(const Tensor& given, int64_t otherwise, std::string_view name) {
  return given ? given : Int64Of(otherwise, name);
}
Tensor TextTensor(std::string_view text, std::string_view name) {
  return ValueOrThrow(
      OpBuilder::Current()->Constant(Tensor::Scalar(std::string(text)), name));
}

struct SeedTensors {
  explicit SeedTensors(std::optional<int64_t> given) {
    const OpSeeds seeds = SeedsOfOp(given);
    seed = Int64Of(seeds.seed, "seed");
    seed2 = Int64Of(seeds.seed2, "seed2");
    generator = ops::DummySeedGenerator();
  }
  Tensor seed, seed2, generator;
};

}  // namespace

TypedDataset Range(const Tensor& start, const Tensor& stop, const Tensor& step,
                   DataType type) {
  const ElementSignature e{{type}, {TensorShape()}};
  return {ops::RangeDataset(start, stop, step, e.types, e.shapes), e};
}

TypedDataset Counter(const Tensor& start, const Tensor& step) {
  const TensorVector nothing{Int32Of(0)};
  const TypedDataset endless =
      Repeat(FromTensors(nothing, SignatureOf(nothing)), {});
  ElementSignature state = SignatureOf({&start, 1});
  const ElementFunction f =
      TraceUntilFixed(&state, [&](const ElementSignature& s) {
        return TraceElementFunction(
            "Dataset_scan_count", Joined(s, endless.elements), [&](auto given) {
              return TensorVector{ops::AddV2(given[0], step), given[0]};
            });
      });
  return Scan(endless, {start}, f, {{f.result.types[1]}, {f.result.shapes[1]}});
}

TypedDataset Random(std::optional<int64_t> seed,
                    bool rerandomize_each_iteration) {
  const ElementSignature e{{DataType::kInt64}, {TensorShape()}};
  const SeedTensors seeds(seed);
  return {ops::RandomDatasetV2(seeds.seed, seeds.seed2, seeds.generator,
                               e.types, e.shapes, rerandomize_each_iteration),
          e};
}

TypedDataset FromTensors(const TensorVector& components,
                         const ElementSignature& e) {
  return {ops::TensorDataset(components, e.shapes), e};
}
TypedDataset FromSlices(const TensorVector& components,
                        const ElementSignature& e) {
  return {ops::TensorSliceDataset(components, e.shapes), e};
}

void CheckSlices(const ElementSpec& e) {
  if (const auto lengths = UnequalLengths(e)) {
    throw Error(ValueError("Dimensions {} and {} are not compatible",
                           lengths->first, lengths->second));
  }
}

TypedDataset Zip(Datasets datasets) {
  if (datasets.empty()) {
    throw Error(TypeError("Must pass at least one dataset to `zip`."));
  }
  TensorVector variants;
  ElementSignature e;
  for (const TypedDataset& d : datasets) {
    variants.push_back(d.variant);
    e = Joined(std::move(e), d.elements);
  }
  return {ops::ZipDataset(variants, e.types, e.shapes), e};
}

TypedDataset Concatenate(const TypedDataset& first, const TypedDataset& second,
                         const ElementSignature& common) {
  return {ops::ConcatenateDataset(first.variant, second.variant, common.types,
                                  common.shapes),
          common};
}

TypedDataset Choose(const TypedDataset& selector, const Described& chosen,
                    const TensorVector& datasets,
                    const ElementSignature& common,
                    bool stop_on_empty_dataset) {
  if (!chosen.is_tensor || chosen.components.types[0] != DataType::kInt64 ||
      !chosen.components.shapes[0].IsCompatibleWith(TensorShape())) {
    throw Error(TypeError(
        "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar "
        "`tf.int64` tensors but are {}.",
        chosen.text()));
  }
  return {
      ops::DirectedInterleaveDataset(selector.variant, datasets, common.types,
                                     common.shapes, stop_on_empty_dataset),
      common};
}

TypedDataset Enumerate(const TypedDataset& d, const Tensor& start) {
  const Tensor last = Int64Of(std::numeric_limits<int64_t>::max(), "stop");
  TypedDataset numbers = Range(start, last, Int64Of(1, "step"));
  // In several processes each of them counts for itself.
  numbers.variant = ops::RewriteDataset(
      numbers.variant, TextTensor("replicate_on_split", "rewrite_name"),
      numbers.elements.types, numbers.elements.shapes);
  const TypedDataset both[] = {std::move(numbers), d};
  return Zip(both);
}

void CheckSome(bool some) {
  if (some) return;
  throw Error(
      ValueError("Invalid `datasets`. `datasets` should not be empty."));
}

TypedDataset Take(const TypedDataset& d, const Tensor& count) {
  const auto& [variant, e] = d;
  return {ops::TakeDataset(variant, count, e.types, e.shapes), e};
}
TypedDataset Skip(const TypedDataset& d, const Tensor& count) {
  const auto& [variant, e] = d;
  return {ops::SkipDataset(variant, count, e.types, e.shapes), e};
}
TypedDataset Repeat(const TypedDataset& d, const Tensor& count) {
  const auto& [variant, e] = d;
  return {ops::RepeatDataset(variant, OrElse(count, -1, "count"), e.types,
                             e.shapes),
          e};
}
TypedDataset Shard(const TypedDataset& d, const Tensor& num_shards,
                   const Tensor& index) {
  const auto& [variant, e] = d;
  return {ops::ShardDataset(variant, num_shards, index, e.types, e.shapes), e};
}

TypedDataset Shuffle(const TypedDataset& d, const Tensor& buffer_size,
                     std::optional<int64_t> seed,
                     bool reshuffle_each_iteration) {
  const auto& [variant, e] = d;
  const SeedTensors seeds(seed);
  return {ops::ShuffleDatasetV3(variant, buffer_size, seeds.seed, seeds.seed2,
                                seeds.generator, e.types, e.shapes,
                                reshuffle_each_iteration),
          e};
}

TypedDataset Prefetch(const TypedDataset& d, const Tensor& buffer_size) {
  const auto& [variant, e] = d;
  if (DatasetDebugMode()) return d;
  return {ops::PrefetchDataset(variant, OrElse(buffer_size, -1, "buffer_size"),
                               e.types, e.shapes, /*slack_period=*/0,
                               /*legacy_autotune=*/false),
          e};
}

TypedDataset Cache(const TypedDataset& d, const Tensor& filename) {
  const auto& [variant, e] = d;
  return {ops::CacheDatasetV2(variant, filename, ops::DummyMemoryCache(),
                              e.types, e.shapes),
          e};
}

TypedDataset IgnoreErrors(const TypedDataset& d, bool log_warning) {
  const auto& [variant, e] = d;
  return {ops::IgnoreErrorsDataset(variant, e.types, e.shapes, log_warning), e};
}

TypedDataset AssertCardinality(const TypedDataset& d,
                               const Tensor& cardinality) {
  const auto& [variant, e] = d;
  return {
      ops::AssertCardinalityDataset(variant, cardinality, e.types, e.shapes),
      e};
}

TypedDataset Unique(const TypedDataset& d) {
  const auto& [variant, e] = d;
  return {ops::UniqueDataset(variant, e.types, e.shapes), e};
}

void CheckUnique(DataType type, Text text) {
  if (type == DataType::kInt32 || type == DataType::kInt64 ||
      type == DataType::kString) {
    return;
  }
  throw Error(
      TypeError("`tf.data.Dataset.unique` does not support type {} -- only "
                "`tf.int32`, `tf.int64`, and `tf.string` are supported.",
                text()));
}

}  // namespace gk::steps
