#include "api/sharding.h"

#include "api/inner.h"

namespace gk::api {

::gk::ShardingPolicy Inner(const ShardingCallback& callback) {
  if (callback.max_shard_size) return MaxShardSize(*callback.max_shard_size);
  if (!callback.call) return {};
  const auto decide = [call = callback.call](
                          const std::vector<::gk::ShardableTensor>& tensors) {
    std::vector<ShardableTensor> shown;
    for (const ::gk::ShardableTensor& tensor : tensors) {
      shown.push_back({tensor.key, Outer(tensor.tensor)});
    }
    std::vector<::gk::Shard> shards;
    for (const Shard& shard : Inward([&] { return call(shown); })) {
      ::gk::Shard& parts = shards.emplace_back();
      for (const auto& [key, slices] : shard) {
        for (const auto& [spec, tensor] : slices) {
          parts.push_back(ValueOrThrow(PartBySpec(key, spec, Inner(tensor))));
        }
      }
    }
    return shards;
  };
  return {decide, callback.description};
}

}  // namespace gk::api
