#include "api/sharding.h"

#include "api/inner.h"

namespace gk::api {
namespace {

SliceToWrite PartOf(const std::string& key, const std::string& spec,
                    const Tensor& tensor) {
  SliceToWrite part;
  part.name = key;
  part.value = Inner(tensor);
  SliceOfShape slice;
  const bool is_part = ValueOrThrow(ParseShapeAndSlice(spec, &slice));
  const TensorShape& shape = part.value.shape();
  part.full = is_part ? slice.full : shape;
  part.slice = is_part ? slice.slice : TensorSlice::Whole(shape.rank());
  return part;
}

}  // namespace

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
          parts.push_back(PartOf(key, spec, tensor));
        }
      }
    }
    return shards;
  };
  return {decide, callback.description};
}

}  // namespace gk::api
