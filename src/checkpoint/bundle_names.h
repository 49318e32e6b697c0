// Names of the files that make a checkpoint: PREFIX.index and
// PREFIX.data-00000-of-00001.
#ifndef GK_CHECKPOINT_BUNDLE_NAMES_H_
#define GK_CHECKPOINT_BUNDLE_NAMES_H_

#include <string>

#include "base/format.h"

namespace gk {

inline std::string BundleIndexName(const std::string& prefix) {
  return prefix + ".index";
}

// Five digits, more where they are needed.
inline std::string ShardDigits(int64_t number) {
  std::string text = std::to_string(number);
  if (text.size() < 5) text.insert(0, 5 - text.size(), '0');
  return text;
}

inline std::string ShardedName(const std::string& prefix, int64_t shard,
                               int64_t num_shards) {
  return Format("{}-{}-of-{}", prefix, ShardDigits(shard),
                ShardDigits(num_shards));
}

// Of all shards.
inline std::string ShardsPattern(const std::string& prefix,
                                 int64_t num_shards) {
  return Format(
      "{}-????"
      "?-of-{}",
      prefix, ShardDigits(num_shards));
}

inline std::string BundleDataName(const std::string& prefix, int64_t shard,
                                  int64_t num_shards) {
  return ShardedName(prefix + ".data", shard, num_shards);
}

}  // namespace gk

#endif  // GK_CHECKPOINT_BUNDLE_NAMES_H_
