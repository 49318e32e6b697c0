#include "checkpoint/bundle_index.h"

#include "checkpoint/bundle_names.h"
#include "io/files.h"
#include "proto/sstable.h"

namespace gk {

Status WriteBundleIndex(
    const std::string& prefix, int num_shards,
    const std::map<std::string, proto::BundleEntryProto>& entries) {
  proto::BundleHeaderProto header;
  header.num_shards = num_shards;
  header.version.mut().producer = 1;
  proto::TableWriter table;
  GK_RETURN_IF_ERROR(table.Add("", header.Serialize()));
  for (const auto& [key, entry] : entries) {
    GK_RETURN_IF_ERROR(table.Add(key, entry.Serialize()));
  }
  return io::WriteFile(BundleIndexName(prefix), table.Finish());
}

}  // namespace gk
