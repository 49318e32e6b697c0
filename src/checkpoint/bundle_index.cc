#include "checkpoint/bundle_index.h"

#include <memory>
#include <mutex>

#include "checkpoint/bundle_names.h"
#include "io/files.h"
#include "proto/sstable.h"

namespace gk {
namespace {

// Two threads may save under one prefix at a time.
std::mutex one_writes;

}  // namespace

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
  // Beside it under a name of the prefix's own: what a killed writer leaves is
  // written over by the next one.
  const std::string index = BundleIndexName(prefix), beside = index + ".new";
  const std::lock_guard lock(one_writes);
  GK_ASSIGN_OR_RETURN(const std::unique_ptr<io::WritableFile> file,
                      io::OpenToWrite(beside, io::WriteMode::kTruncate));
  GK_RETURN_IF_ERROR(file->Append(table.Finish()));
  GK_RETURN_IF_ERROR(file->Sync());
  GK_RETURN_IF_ERROR(file->Close());
  return io::Rename(beside, index, /*overwrite=*/true);
}

}  // namespace gk
