#include "checkpoint/bundle_writer.h"

#include <set>

#include "checkpoint/bundle_files.h"
#include "checkpoint/bundle_index.h"
#include "checkpoint/bundle_names.h"
#include "checkpoint/bundle_reader.h"
#include "checkpoint/checked_bytes.h"
#include "checkpoint/string_elements.h"
#include "checkpoint/variant_elements.h"
#include "framework/long_work.h"
#include "graph/tensor_proto.h"
#include "io/files.h"
#include "io/path.h"
#include "proto/crc32c.h"

namespace gk {
namespace {

// Tensors of so many bytes begin at such a place of the file, so that a disk
// takes them from memory as they are and memory may be the file's
// (RandomAccessFile::Map).
constexpr int64_t kAligned = 4096;
constexpr int64_t kAlignedFrom = int64_t{64} << 10;

}  // namespace

StatusOr<BundleWriter> BundleWriter::Create(const std::string& prefix,
                                            int num_shards) {
  BundleWriter writer(prefix);
  writer.num_shards_ = num_shards;
  if (const std::string folder(io::FolderOf(prefix)); !folder.empty()) {
    GK_RETURN_IF_ERROR(io::MakeDirectories(folder));
  }
  // An old checkpoint's data keep their name until the new index is in place.
  if (const auto old = BundleReader::Open(prefix); old.ok()) {
    if ((*old)->num_shards() == num_shards) ++writer.num_shards_;
  }
  GK_RETURN_IF_ERROR(writer.OpenShard());
  return writer;
}

Status BundleWriter::OpenShard() {
  // A file of that name is what a killed writer left, or belongs to somebody
  // who has it open still: it is not written over.
  const std::string data = BundleDataName(prefix_, shard_, num_shards_);
  io::DeleteFile(data).ok();
  GK_ASSIGN_OR_RETURN(data_, io::OpenToWrite(data, io::WriteMode::kTruncate));
  data_->ExpectSync();
  offset_ = 0;
  return OkStatus();
}

Status BundleWriter::CloseShard() {
  GK_RETURN_IF_ERROR(data_->Sync());
  GK_RETURN_IF_ERROR(data_->Close());
  data_.reset();
  return OkStatus();
}

Status BundleWriter::NextShard() {
  GK_RETURN_IF_ERROR(CloseShard());
  ++shard_;
  return OpenShard();
}

Status BundleWriter::Add(const std::string& name, const Tensor& value) {
  return AddOne(name, name, value);
}

Status BundleWriter::AddOne(const std::string& key, const std::string& name,
                            const Tensor& value) {
  if (value.dtype() == DataType::kResource) {
    return Unimplemented(
        "Saving \"{}\": values of type {} cannot be written to a checkpoint",
        name, DataTypeName(value.dtype()));
  }
  if (key.empty()) return InvalidArgument("Tensors without a name");
  uint32_t crc = 0;
  std::string variants;
  if (value.dtype() == DataType::kVariant) {
    StatusOr<std::string> bytes = VariantElements(value.flat<Variant>(), &crc);
    if (!bytes.ok()) {
      return bytes.status().Prepend(Format("Saving \"{}\": ", name));
    }
    variants = *std::move(bytes);
  }
  const auto [at, added] = entries_.try_emplace(key);
  if (!added) return InvalidArgument("Adding duplicate key: {}", name);
  proto::BundleEntryProto& entry = at->second;
  entry.dtype = static_cast<proto::DataType>(value.dtype());
  entry.shape = ShapeToProto(value.shape());
  if (value.dtype() != DataType::kString &&
      value.dtype() != DataType::kVariant &&
      value.byte_size() >= kAlignedFrom && offset_ % kAligned != 0) {
    const std::string gap(kAligned - offset_ % kAligned, '\0');
    GK_RETURN_IF_ERROR(data_->Append(gap));
    offset_ += static_cast<int64_t>(gap.size());
  }
  entry.shard_id = shard_;
  entry.offset = offset_;
  const auto append = [&](std::string_view bytes) -> Status {
    entry.size += static_cast<int64_t>(bytes.size());
    return AppendChecked(data_.get(), bytes, &crc);
  };
  if (value.dtype() == DataType::kVariant) {
    GK_RETURN_IF_ERROR(data_->Append(variants));
    entry.size = static_cast<int64_t>(variants.size());
  } else if (value.dtype() == DataType::kString) {
    const std::string lengths = StringLengths(value.flat<std::string>(), &crc);
    GK_RETURN_IF_ERROR(data_->Append(lengths));
    entry.size = static_cast<int64_t>(lengths.size());
    for (const std::string& element : value.flat<std::string>()) {
      GK_RETURN_IF_ERROR(append(element));
    }
  } else {
    GK_RETURN_IF_ERROR(append({static_cast<const char*>(value.raw_data()),
                               static_cast<size_t>(value.byte_size())}));
  }
  entry.crc32c = proto::MaskCrc(crc);
  offset_ += entry.size;
  LongWork::Advance(WorkUnit::kBytes, entry.size);
  return OkStatus();
}

Status BundleWriter::AddSlice(const std::string& name, const TensorShape& full,
                              const TensorSlice& slice, const Tensor& part) {
  GK_RETURN_IF_ERROR(slice.CheckWithin(full));
  if (part.shape() != slice.ShapeIn(full)) {
    return InvalidArgument(
        "Saving \"{}\": slice \"{}\" of shape {} needs a value of shape {}, "
        "got {}",
        name, slice.DebugString(), full.DebugString(),
        slice.ShapeIn(full).DebugString(), part.shape().DebugString());
  }
  if (slice.IsFull()) return Add(name, part);
  proto::BundleEntryProto& whole = entries_[name];
  const auto dtype = static_cast<proto::DataType>(part.dtype());
  if (whole.slices.empty()) {
    if (whole.dtype != proto::DataType{}) {
      return InvalidArgument("Adding duplicate key: {}", name);
    }
    whole.dtype = dtype;
    whole.shape = ShapeToProto(full);
  } else if (whole.dtype != dtype ||
             whole.shape->Serialize() != ShapeToProto(full).Serialize()) {
    return InvalidArgument(
        "Saving \"{}\": its slices are parts of tensors of different types or "
        "shapes",
        name);
  }
  whole.slices.push_back(slice.ToProto());
  return AddOne(slice.Key(name), name, part);
}

Status BundleWriter::Finish() {
  GK_RETURN_IF_ERROR(CloseShard());
  GK_RETURN_IF_ERROR(WriteBundleIndex(prefix_, num_shards_, entries_));
  // Those of the older checkpoint, and what killed writers left.
  const auto files = DataFilesOf(prefix_);
  if (!files.ok()) return OkStatus();
  std::set<std::string, std::less<>> own;
  for (int i = 0; i <= shard_; ++i) {
    own.emplace(io::NameOf(BundleDataName(prefix_, i, num_shards_)));
  }
  for (const std::string& path : *files) {
    if (!own.contains(io::NameOf(path))) io::DeleteFile(path).ok();
  }
  return OkStatus();
}

}  // namespace gk
