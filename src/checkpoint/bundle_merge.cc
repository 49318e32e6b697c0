// Checkpoints of several writers become one.
#include <set>
#include <utility>

#include "checkpoint/bundle_index.h"
#include "checkpoint/bundle_names.h"
#include "checkpoint/bundle_reader.h"
#include "checkpoint/bundle_writer.h"
#include "graph/tensor_proto.h"
#include "io/files.h"

namespace gk {
namespace {

using Info = BundleReader::TensorInfo;
using Readers = std::vector<std::shared_ptr<BundleReader>>;

// Which data file becomes which shard: (reader, shard) in their order.
using Shards = std::map<std::pair<size_t, int>, int>;

Shards NumberShards(const Readers& readers) {
  Shards shards;
  const auto use = [&](size_t reader, const Info& info) {
    shards.try_emplace({reader, info.shard}, 0);
  };
  for (size_t i = 0; i < readers.size(); ++i) {
    for (const auto& [name, info] : readers[i]->tensors()) {
      if (info.slices.empty()) use(i, info);
    }
    for (const auto& [key, info] : readers[i]->parts()) use(i, info);
  }
  int next = 0;
  for (auto& [from, shard] : shards) shard = next++;
  return shards;
}

proto::BundleEntryProto MovedEntry(const Info& info, int shard) {
  proto::BundleEntryProto entry;
  entry.dtype = static_cast<proto::DataType>(info.dtype);
  entry.shape = ShapeToProto(info.shape);
  entry.shard_id = shard;
  entry.offset = info.offset;
  entry.size = info.size;
  entry.crc32c = info.masked_crc;
  for (const TensorSlice& slice : info.slices) {
    entry.slices.push_back(slice.ToProto());
  }
  return entry;
}

using Entries = std::map<std::string, proto::BundleEntryProto>;

// Adds the tensors of one checkpoint to those of the others.
Status AddEntries(const BundleReader& reader, size_t index,
                  const Shards& shards, Entries* entries) {
  const auto shard_of = [&](const Info& info) {
    return shards.at({index, info.shard});
  };
  for (const auto& [name, info] : reader.tensors()) {
    const bool sliced = !info.slices.empty();
    proto::BundleEntryProto moved =
        MovedEntry(info, sliced ? 0 : shard_of(info));
    const auto [at, added] = entries->try_emplace(name, moved);
    if (added) continue;
    proto::BundleEntryProto& whole = at->second;
    if (!sliced || whole.slices.empty() || whole.dtype != moved.dtype ||
        whole.shape->Serialize() != moved.shape->Serialize()) {
      return InvalidArgument(
          "Merging checkpoints: \"{}\" of {} is in another one, too", name,
          reader.prefix());
    }
    whole.slices.insert(whole.slices.end(), moved.slices.begin(),
                        moved.slices.end());
  }
  for (const auto& [key, info] : reader.parts()) {
    if (!entries->try_emplace(key, MovedEntry(info, shard_of(info))).second) {
      return InvalidArgument(
          "Merging checkpoints: a slice of {} is in another one, too",
          reader.prefix());
    }
  }
  return OkStatus();
}

}  // namespace

Status MergeBundles(const std::vector<std::string>& prefixes,
                    const std::string& merged) {
  Readers readers;
  for (const std::string& prefix :
       std::set<std::string>(prefixes.begin(), prefixes.end())) {
    GK_ASSIGN_OR_RETURN(std::shared_ptr<BundleReader> reader,
                        BundleReader::Open(prefix));
    readers.push_back(std::move(reader));
  }
  const Shards shards = NumberShards(readers);
  Entries entries;
  for (size_t i = 0; i < readers.size(); ++i) {
    GK_RETURN_IF_ERROR(AddEntries(*readers[i], i, shards, &entries));
  }
  // The data of an old checkpoint keep their names until the new index is
  // there.
  int num_shards = std::max<int>(1, static_cast<int>(shards.size()));
  const auto old = BundleReader::Open(merged);
  const int old_shards = old.ok() ? (*old)->num_shards() : 0;
  if (num_shards == old_shards) ++num_shards;
  for (const auto& [from, shard] : shards) {
    const BundleReader& reader = *readers[from.first];
    GK_RETURN_IF_ERROR(io::Rename(
        BundleDataName(reader.prefix(), from.second, reader.num_shards()),
        BundleDataName(merged, shard, num_shards), /*overwrite=*/true));
  }
  GK_RETURN_IF_ERROR(WriteBundleIndex(merged, num_shards, entries));
  for (const auto& reader : readers) {
    if (reader->prefix() != merged) {
      GK_RETURN_IF_ERROR(io::DeleteFile(BundleIndexName(reader->prefix())));
    }
  }
  if (!old.ok()) return OkStatus();
  for (const std::string& path : (*old)->DataFiles()) {
    io::DeleteFile(path).ok();
  }
  return OkStatus();
}

}  // namespace gk
