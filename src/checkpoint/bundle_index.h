// The index of a checkpoint, from what its entries say.
#ifndef GK_CHECKPOINT_BUNDLE_INDEX_H_
#define GK_CHECKPOINT_BUNDLE_INDEX_H_

#include <map>
#include <string>

#include "base/status.h"
#include "proto/checkpoint.gk.h"

namespace gk {

// Replaces the index of `prefix` as a whole.
Status WriteBundleIndex(
    const std::string& prefix, int num_shards,
    const std::map<std::string, proto::BundleEntryProto>& entries);

}  // namespace gk

#endif  // GK_CHECKPOINT_BUNDLE_INDEX_H_
