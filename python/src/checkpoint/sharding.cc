// Sharding callbacks of Python (graphkiln._src.checkpoint.sharding).
#include "checkpoint/sharding.h"

#include <nanobind/nanobind.h>

#include <memory>

#include "python/src/binding/bound_values.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/text_caster.h"
#include "python/src/checkpoint/checkpoint.h"
#include "python/src/tensors/converted.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

nb::list Described(const std::vector<ShardableTensor>& tensors) {
  nb::list described;
  for (const ShardableTensor& tensor : tensors) {
    described.append(nb::make_tuple(
        tensor.key, Wrapped(tensor.tensor),
        tensor.owner ? ObjectOfTrackable(*tensor.owner) : nb::none()));
  }
  return described;
}

// (key, slice spec, tensor)
SliceToWrite PartOf(nb::handle entry) {
  const auto parts = nb::cast<nb::tuple>(entry);
  return ValueOrThrow(PartBySpec(nb::cast<std::string>(parts[0]),
                                 nb::cast<std::string>(parts[1]),
                                 Converted(parts[2])));
}

std::vector<Shard> Ask(const nb::object& callback,
                       const std::vector<ShardableTensor>& tensors) {
  const ScopedGil gil;
  std::vector<Shard> shards;
  for (nb::handle entries : callback(Described(tensors))) {
    Shard& shard = shards.emplace_back();
    for (nb::handle entry : entries) shard.push_back(PartOf(entry));
  }
  return shards;
}

nb::list ShardsOfSize(nb::handle tensors, int64_t max_bytes) {
  std::vector<ShardableTensor> shardable;
  for (nb::handle item : tensors) {
    const auto parts = nb::cast<nb::tuple>(item);
    shardable.push_back(
        {nb::cast<std::string>(parts[0]), Converted(parts[1]), nullptr});
  }
  nb::list shards;
  for (const Shard& shard : MaxShardSize(max_bytes).decide(shardable)) {
    nb::list entries;
    for (const SliceToWrite& part : shard) {
      entries.append(nb::make_tuple(part.name, ShapeAndSlice(part),
                                    Wrapped(ValueOrThrow(PartToWrite(part)))));
    }
    shards.append(entries);
  }
  return shards;
}

}  // namespace

ShardingPolicy ShardingPolicyOf(nb::object policy) {
  if (policy.is_none()) return {};
  if (PyLong_Check(policy.ptr())) {
    return MaxShardSize(nb::cast<int64_t>(policy));
  }
  const auto parts = nb::cast<nb::tuple>(policy);
  auto description = nb::cast<std::string>(nb::str(parts[1]));
  // Let go of wherever the last copy ends.
  const std::shared_ptr<nb::object> callback(new nb::object(parts[0]),
                                             [](nb::object* held) {
                                               const ScopedGil gil;
                                               delete held;
                                             });
  const auto decide = [callback](const std::vector<ShardableTensor>& tensors) {
    return Ask(*callback, tensors);
  };
  return {decide, std::move(description)};
}

void AddSharding(nb::module_& m) {
  m.def("_shards_of_size", ShardsOfSize, nb::arg("tensors"),
        nb::arg("max_bytes"));
}

}  // namespace gk::py
