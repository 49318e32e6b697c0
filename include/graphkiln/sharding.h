// Which data files a checkpoint has: by default one. A policy is part of
// CheckpointOptions and saved_model::SaveOptions.
//
//   gk::Checkpoint(net).save("/tmp/run/ckpt", {
//       .experimental_sharding_callback = gk::MaxShardSizePolicy(1 << 30)});
#ifndef GRAPHKILN_SHARDING_H_
#define GRAPHKILN_SHARDING_H_

#include <graphkiln/tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gk {
GK_API_NAMESPACE {

// A tensor that a checkpoint is to have, by its name there.
struct ShardableTensor {
  std::string checkpoint_key;
  Tensor tensor;
};

// What one data file gets: {checkpoint key: {slice spec: tensor}}. The spec
// is "" for a whole tensor; "4 3 0,2:-" is rows 0 and 1 of a tensor of shape
// [4, 3].
using Shard = std::map<std::string, std::map<std::string, Tensor>>;

// Each tensor has to be there once, whole or in parts that make it whole,
// with its type: Checkpoint::write throws Error, RuntimeError, if it is not
// so.
struct ShardingCallback {
  std::function<std::vector<Shard>(const std::vector<ShardableTensor>&)>
      call = {};
  std::string description = {};  // what it does, in words: for messages
  // In the place of `call`.
  std::optional<int64_t> max_shard_size = {};
};

// Data files of at most so many bytes; tensors are cut where one ends. A
// number or string that is larger by itself has a file of its own.
// Checkpoint::write throws Error, InvalidArgument, unless it is positive.
inline ShardingCallback MaxShardSizePolicy(int64_t max_shard_size) {
  return {.max_shard_size = max_shard_size};
}

// One data file for each task, and so one: what happens by default.
inline ShardingCallback ShardByTaskPolicy() { return {}; }

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_SHARDING_H_
