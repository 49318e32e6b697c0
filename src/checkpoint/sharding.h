// Shards: in which data file of a checkpoint each tensor stands, or part of
// one.
#ifndef GK_CHECKPOINT_SHARDING_H_
#define GK_CHECKPOINT_SHARDING_H_

#include <functional>
#include <string>
#include <vector>

#include "checkpoint/tensor_slice.h"
#include "checkpoint/trackable.h"

namespace gk {

struct ShardableTensor {
  std::string key;
  Tensor tensor;
  TrackablePtr owner;  // whose value it is; null for the graph of objects
};

// What one data file gets. `value` is the part, or the whole tensor that it is
// taken from.
using Shard = std::vector<SliceToWrite>;

// The part, made when it is written: all of them together would be the tensors
// once more.
StatusOr<Tensor> PartToWrite(const SliceToWrite& part);

// Decides that for all tensors of a checkpoint; throws Error. Whole tensors or
// parts that make them whole: CheckShards looks.
struct ShardingPolicy {
  std::function<std::vector<Shard>(const std::vector<ShardableTensor>&)>
      decide = {};
  std::string description = {};  // for messages
};

// Shards of at most so many bytes: the next tensor goes on where the one before
// it ended, cut along the dimension that makes the fewest parts. What cannot be
// cut and is larger (an element, a string) is a shard by itself; the graph of
// objects counts as nothing. InvalidArgument unless `max_bytes` is positive.
ShardingPolicy MaxShardSize(int64_t max_bytes);

// RuntimeError unless each tensor is there once, whole, with its type and
// shape, and nothing else is. `description` is that of the policy.
Status CheckShards(const std::vector<Shard>& shards,
                   const std::vector<ShardableTensor>& tensors,
                   const std::string& description);

// Writes these tensors as the policy has it, which is checked; files without a
// tensor are left out.
Status WriteShards(const std::vector<ShardableTensor>& tensors,
                   const ShardingPolicy& policy, const std::string& prefix);

}  // namespace gk

#endif  // GK_CHECKPOINT_SHARDING_H_
