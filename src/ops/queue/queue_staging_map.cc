// Staging maps: tuples of tensors under keys, whose components may come and go
// one by one, found by name.
#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>

#include "base/process_mutex.h"
#include "framework/op_registry.h"
#include "ops/named_resource.h"
#include "ops/queue/staging.h"
#include "ops/queue/waiting.h"

namespace gk {
namespace {

// By key, which is all that the ordered ones promise more than the others.
class StagingMap final : public Resource {
 public:
  using Key = int64_t;

  StagingMap(StagingLimits limits, size_t components)
      : limits_(limits), components_(components) {}

  std::string_view kind() const override { return "StagingMap"; }
  std::string_view type_name() const override {
    return "tensorflow::StagingMap";
  }

  // Components of a tuple; once it has all it may be taken. Waits for room.
  Status Put(Key key, std::span<const int32_t> indices, TensorVector values,
             const CancellationToken* cancellation) {
    const int64_t bytes = BytesOf(values);
    GK_RETURN_IF_ERROR(limits_.CheckBytes(bytes));
    Waiting::Lock lock(mutex_);
    Waiting waiting(cancellation);
    while (!limits_.HasRoom(Size(lock), bytes_, bytes)) {
      // A tuple that is begun takes no more room.
      if (incomplete_.contains(key) && limits_.memory_limit <= 0) break;
      GK_RETURN_IF_ERROR(waiting.Once(lock, changed_));
    }
    const auto begun = incomplete_.find(key);
    TensorVector tuple = begun == incomplete_.end()
                             ? TensorVector(components_, Tensor())
                             : begun->second;
    for (size_t i = 0; i < indices.size(); ++i) {
      GK_RETURN_IF_ERROR(CheckIndex(indices[i], key, tuple.size()));
      Tensor& component = tuple[indices[i]];
      if (component) {
        return InvalidArgument(
            "The tensor for index '{}' for key '{}' was already initialized "
            "'{}'.",
            indices[i], key, tuple.size());
      }
      component = std::move(values[i]);
    }
    bytes_ += bytes;
    const bool is_whole = std::all_of(tuple.begin(), tuple.end(),
                                      [](const Tensor& t) { return bool(t); });
    if (!is_whole) {
      incomplete_.insert_or_assign(key, std::move(tuple));
      return OkStatus();
    }
    incomplete_.erase(key);
    // What is there under the key stays.
    const int64_t whole = BytesOf(tuple);
    if (!whole_.try_emplace(key, std::move(tuple)).second) bytes_ -= whole;
    changed_.notify_all();
    return OkStatus();
  }

  // Components of the tuple of `key`, null: of the first; waits for it.
  Status Get(Key* key, bool any_key, std::span<const int32_t> indices,
             std::span<const DataType> types, bool takes,
             const CancellationToken* cancellation, TensorVector* values) {
    Waiting::Lock lock(mutex_);
    Waiting waiting(cancellation);
    const auto find = [&] {
      return any_key ? whole_.begin() : whole_.find(*key);
    };
    auto at = find();
    while (at == whole_.end()) {
      GK_RETURN_IF_ERROR(waiting.Once(lock, changed_));
      at = find();
    }
    *key = at->first;
    TensorVector& tuple = at->second;
    for (size_t i = 0; i < indices.size(); ++i) {
      GK_RETURN_IF_ERROR(CheckIndex(indices[i], *key, tuple.size()));
      const Tensor& component = tuple[indices[i]];
      if (!component) {
        return InvalidArgument(
            "Tensor at index '{}' for key '{}' has already been removed.",
            indices[i], *key);
      }
      if (component.dtype() != types[i]) {
        return InvalidArgument("Type mismatch: actual {} vs. expect {}",
                               DataTypeString(component.dtype()),
                               DataTypeString(types[i]));
      }
      values->push_back(component);
    }
    if (!takes) return OkStatus();
    for (const int32_t i : indices) tuple[i] = Tensor();
    bytes_ -= BytesOf(*values);
    if (std::none_of(tuple.begin(), tuple.end(),
                     [](const Tensor& t) { return bool(t); })) {
      whole_.erase(at);
    }
    changed_.notify_all();
    return OkStatus();
  }

  int64_t WholeSize() {
    const std::lock_guard lock(mutex_);
    return static_cast<int64_t>(whole_.size());
  }
  int64_t IncompleteSize() {
    const std::lock_guard lock(mutex_);
    return static_cast<int64_t>(incomplete_.size());
  }
  void Clear() {
    const std::lock_guard lock(mutex_);
    whole_.clear();
    incomplete_.clear();
    bytes_ = 0;
    changed_.notify_all();
  }

 private:
  int64_t Size(const Waiting::Lock&) const {
    return static_cast<int64_t>(whole_.size());
  }
  static Status CheckIndex(int32_t index, Key key, size_t size) {
    if (index >= 0 && static_cast<size_t>(index) < size) return OkStatus();
    return InvalidArgument("Index '{}' for key '{}' was out of bounds '{}'.",
                           index, key, size);
  }

  const StagingLimits limits_;
  const size_t components_;
  ProcessMutex& mutex_ = ProcessMutex::Of(this);
  std::condition_variable_any changed_;
  std::map<Key, TensorVector> whole_, incomplete_;
  int64_t bytes_ = 0;
};

template <bool kOrdered>
StatusOr<Ref<StagingMap>> StagingMapOf(const KernelContext& c) {
  GK_ASSIGN_OR_RETURN(
      const Ref<Resource> found,
      FindOrMakeNamed(c, kOrdered ? "ordered_staging_map" : "staging_map",
                      [&](const std::string&) -> StatusOr<Ref<Resource>> {
                        const auto& types =
                            c.attr<std::vector<DataType>>("dtypes");
                        return Ref<Resource>(MakeRef<StagingMap>(
                            StagingLimits(c), types.size()));
                      }));
  return Ref<StagingMap>(static_cast<StagingMap*>(found.get()));
}

Status CheckIndices(const Tensor& indices, int64_t values) {
  if (indices.rank() != 1) {
    return InvalidArgument("indices must be a vector, but have shape {}",
                           indices.shape().DebugString());
  }
  const std::span<const int32_t> all = indices.flat<int32_t>();
  if (std::adjacent_find(all.begin(), all.end(), std::greater_equal<>()) !=
      all.end()) {
    return InvalidArgument("Indices are not strictly ordered");
  }
  if (indices.dim(0) != values) {
    return InvalidArgument(
        "There must be as many indices as values, got {} and {}",
        indices.dim(0), values);
  }
  return OkStatus();
}

Status ReadKey(const Tensor& key, int64_t* value) {
  if (key.rank() != 0) {
    return InvalidArgument("key must be an int64 scalar, but has shape {}",
                           key.shape().DebugString());
  }
  *value = key.scalar<int64_t>();
  return OkStatus();
}

template <bool kOrdered>
Status PutComponents(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<StagingMap> map, StagingMapOf<kOrdered>(c));
  int64_t key;
  GK_RETURN_IF_ERROR(ReadKey(c.input(0), &key));
  GK_RETURN_IF_ERROR(CheckIndices(c.input(1), c.num_inputs() - 2));
  TensorVector values;
  for (int i = 2; i < c.num_inputs(); ++i) values.push_back(c.input(i));
  return map->Put(key, c.input(1).flat<int32_t>(), std::move(values),
                  c.cancellation());
}

// Values at the outputs from `first` on; with a key before them of any tuple.
template <bool kOrdered, bool kAnyKey, bool kTakes>
Status GetComponents(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<StagingMap> map, StagingMapOf<kOrdered>(c));
  int64_t key = 0;
  if (!kAnyKey) GK_RETURN_IF_ERROR(ReadKey(c.input(0), &key));
  const Tensor& indices = c.input(kAnyKey ? 0 : 1);
  const auto& types = c.attr<std::vector<DataType>>("dtypes");
  GK_RETURN_IF_ERROR(CheckIndices(indices, static_cast<int64_t>(types.size())));
  TensorVector values;
  GK_RETURN_IF_ERROR(map->Get(&key, kAnyKey, indices.flat<int32_t>(), types,
                              kTakes, c.cancellation(), &values));
  int next = 0;
  if (kAnyKey) c.set_output(next++, Tensor::Scalar(key));
  for (const Tensor& t : values) c.set_output(next++, t.Alias());
  return OkStatus();
}

template <bool kOrdered, int64_t (StagingMap::*kSize)()>
Status CountMapped(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<StagingMap> map, StagingMapOf<kOrdered>(c));
  c.set_output(0, Tensor::Scalar(static_cast<int32_t>((map.get()->*kSize)())));
  return OkStatus();
}

template <bool kOrdered>
Status ClearMap(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<StagingMap> map, StagingMapOf<kOrdered>(c));
  map->Clear();
  return OkStatus();
}

#define GK_MAP_STAGE \
  GK_STAGING_LIMITS  \
  "dtypes: list(type); fake_dtypes: list(type) >= 1" GK_STAGING_NAMES

const OpRecord kRecords[] = {
    {.name = "MapStage",
     .inputs = "key: int64; indices: int32; values: fake_dtypes",
     .outputs = "",
     .attrs = GK_MAP_STAGE,
     .traits = kStaging,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = PutComponents<false>},
     .doc = "Puts components of the tuple of a key into a staging "
            "map; waits while it is full."},

    {.name = "MapUnstage",
     .inputs = "key: int64; indices: int32",
     .outputs = "values: dtypes",
     .attrs = GK_STAGED_TUPLE,
     .traits = kStaging,
     .shape = shape_fn::Unknown,
     .kernel = {.compute = GetComponents<false, false, true>},
     .doc = "Takes components of the tuple of a key out of a staging "
            "map; waits until the tuple is whole."},

    {.name = "MapUnstageNoKey",
     .inputs = "indices: int32",
     .outputs = "key: int64; values: dtypes",
     .attrs = GK_STAGED_TUPLE,
     .traits = kStaging,
     .shape = shape_fn::Unknown,
     .kernel = {.compute = GetComponents<false, true, true>},
     .doc = "Takes components of the tuple of any key out of a "
            "staging map; waits until there is a whole one."},

    {.name = "MapPeek",
     .inputs = "key: int64; indices: int32",
     .outputs = "values: dtypes",
     .attrs = GK_STAGED_TUPLE,
     .traits = kStaging,
     .shape = shape_fn::Unknown,
     .kernel = {.compute = GetComponents<false, false, false>},
     .doc = "Components of the tuple of a key of a staging map, which "
            "stay there; waits until the tuple is whole."},

    {.name = "MapSize",
     .inputs = "",
     .outputs = "size: int32",
     .attrs = GK_STAGING,
     .traits = kStaging,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = CountMapped<false, &StagingMap::WholeSize>},
     .doc = "How many whole tuples a staging map has."},

    {.name = "MapIncompleteSize",
     .inputs = "",
     .outputs = "size: int32",
     .attrs = GK_STAGING,
     .traits = kStaging,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = CountMapped<false, &StagingMap::IncompleteSize>},
     .doc = "How many tuples of a staging map lack components."},

    {.name = "MapClear",
     .inputs = "",
     .outputs = "",
     .attrs = GK_STAGING,
     .traits = kStaging,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ClearMap<false>},
     .doc = "Takes all tuples out of a staging map."},

    {.name = "OrderedMapStage",
     .inputs = "key: int64; indices: int32; values: fake_dtypes",
     .outputs = "",
     .attrs = GK_MAP_STAGE,
     .traits = kStaging,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = PutComponents<true>},
     .doc = "Puts components of the tuple of a key into an ordered "
            "staging map; waits while it is full."},

    {.name = "OrderedMapUnstage",
     .inputs = "key: int64; indices: int32",
     .outputs = "values: dtypes",
     .attrs = GK_STAGED_TUPLE,
     .traits = kStaging,
     .shape = shape_fn::Unknown,
     .kernel = {.compute = GetComponents<true, false, true>},
     .doc = "Takes components of the tuple of a key out of an ordered "
            "staging map; waits until the tuple is whole."},

    {.name = "OrderedMapUnstageNoKey",
     .inputs = "indices: int32",
     .outputs = "key: int64; values: dtypes",
     .attrs = GK_STAGED_TUPLE,
     .traits = kStaging,
     .shape = shape_fn::Unknown,
     .kernel = {.compute = GetComponents<true, true, true>},
     .doc = "Takes components of the tuple of the lowest key out of "
            "an ordered staging map; waits until there is a whole "
            "one."},

    {.name = "OrderedMapPeek",
     .inputs = "key: int64; indices: int32",
     .outputs = "values: dtypes",
     .attrs = GK_STAGED_TUPLE,
     .traits = kStaging,
     .shape = shape_fn::Unknown,
     .kernel = {.compute = GetComponents<true, false, false>},
     .doc = "Components of the tuple of a key of an ordered staging "
            "map, which stay there; waits until the tuple is whole."},

    {.name = "OrderedMapSize",
     .inputs = "",
     .outputs = "size: int32",
     .attrs = GK_STAGING,
     .traits = kStaging,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = CountMapped<true, &StagingMap::WholeSize>},
     .doc = "How many whole tuples an ordered staging map has."},

    {.name = "OrderedMapIncompleteSize",
     .inputs = "",
     .outputs = "size: int32",
     .attrs = GK_STAGING,
     .traits = kStaging,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = CountMapped<true, &StagingMap::IncompleteSize>},
     .doc = "How many tuples of an ordered staging map lack "
            "components."},

    {.name = "OrderedMapClear",
     .inputs = "",
     .outputs = "",
     .attrs = GK_STAGING,
     .traits = kStaging,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ClearMap<true>},
     .doc = "Takes all tuples out of an ordered staging map."},
};

}  // namespace

GK_REGISTER_OPS(queue_staging_map)

}  // namespace gk
