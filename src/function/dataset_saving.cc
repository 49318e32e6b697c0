#include "function/dataset_saving.h"

#include "base/thread_pool.h"
#include "ops/composition.h"
#include "ops/data/saved_elements.h"
#include "ops/fn/FloorMod.h"
#include "ops/fn/LoadDataset.h"
#include "ops/fn/SaveDataset.h"
#include "ops/fn/SaveDatasetV2.h"
#include "ops/fn/SnapshotDatasetV2.h"

namespace gk::steps {
namespace {

ElementSignature OfDatasets() {
  return {{DataType::kVariant}, {TensorShape()}};
}

// Shards take turns, as many as there are CPUs.
ElementFunction TurnsOfShards(const ElementSignature& e) {
  return TraceElementFunction(
      "Dataset_load_reader_func", OfDatasets(), [&](auto shards) {
        const ElementFunction itself = TraceElementFunction(
            "Dataset_interleave_shard", OfDatasets(),
            [](auto shard) { return TensorVector{shard[0]}; });
        Turns turns;
        turns.cycle_length =
            IntegerOf(AllowedCpus(), DataType::kInt64, "cycle_length");
        turns.parallel.calls =
            IntegerOf(-1, DataType::kInt64, "num_parallel_calls");
        return TensorVector{
            Interleave({shards[0], OfDatasets()}, itself, e, turns).variant};
      });
}

// One that is not called stands where there must be one.
ElementFunction ShardFunction(const TypedDataset& d,
                              const ElementFunction* shard) {
  if (shard != nullptr) return *shard;
  return TraceElementFunction(
      "Dataset_save_shard_func", d.elements,
      [](auto) { return TensorVector{IntegerOf(0, DataType::kInt64)}; });
}

}  // namespace

void CheckSavedCompression(const std::string& name) {
  ThrowIfError(SavedCompression(name).status());
}

void CheckRead(const ElementSignature& wanted, const ElementSignature& read) {
  const Status same = CheckSignature(wanted, read);
  if (same.ok()) return;
  throw Error(ValueError(
      "`reader_func` must return a dataset of the elements that were saved: "
      "{}",
      same.message()));
}

void Save(const TypedDataset& d, const Tensor& path,
          const std::string& compression, const ElementFunction* shard) {
  CheckSavedCompression(compression);
  const ElementFunction f = ShardFunction(d, shard);
  ops::SaveDataset(d.variant, path, f.captured, f.function, compression,
                   /*use_shard_func=*/shard != nullptr);
}

TypedDataset Saving(const TypedDataset& d, const Tensor& path,
                    const std::string& compression,
                    const ElementFunction* shard) {
  CheckSavedCompression(compression);
  const ElementFunction f = ShardFunction(d, shard);
  return {ops::SaveDatasetV2(d.variant, path, f.captured, f.function,
                             d.elements.types, d.elements.shapes, compression,
                             /*use_shard_func=*/shard != nullptr),
          d.elements};
}

TypedDataset Load(const Tensor& path, const ElementSignature& e,
                  const std::string& compression,
                  const ElementFunction* reader) {
  CheckSavedCompression(compression);
  const ElementFunction f = reader != nullptr ? *reader : TurnsOfShards(e);
  return {ops::LoadDataset(path, f.captured, e.types, e.shapes, f.function,
                           compression),
          e};
}

TypedDataset Snapshot(const TypedDataset& d, const Tensor& path,
                      const std::string& compression,
                      const ElementFunction* reader,
                      const ElementFunction* shard) {
  CheckSavedCompression(compression);
  if (shard == nullptr) {
    // Numbers say which shard, and go again.
    const TypedDataset numbered =
        Enumerate(d, IntegerOf(0, DataType::kInt64, "start"));
    const ElementFunction of_number = TraceElementFunction(
        "Dataset_snapshot_shard_func", numbered.elements, [](auto element) {
          return TensorVector{ops::FloorMod(
              element[0], IntegerOf(AllowedCpus(), DataType::kInt64))};
        });
    const ElementFunction without = TraceElementFunction(
        "Dataset_snapshot_element", numbered.elements, [](auto element) {
          return TensorVector(element.begin() + 1, element.end());
        });
    return Map(Snapshot(numbered, path, compression, reader, &of_number),
               without, {});
  }
  const ElementSignature& e = d.elements;
  const ElementFunction f = reader != nullptr ? *reader : TurnsOfShards(e);
  return {ops::SnapshotDatasetV2(d.variant, path, f.captured, shard->captured,
                                 e.types, e.shapes, f.function, shard->function,
                                 compression),
          e};
}

}  // namespace gk::steps
