#include "checkpoint/bundle_reader.h"

#include <set>
#include <span>

#include "checkpoint/bundle_names.h"
#include "checkpoint/checked_bytes.h"
#include "checkpoint/string_elements.h"
#include "checkpoint/variant_elements.h"
#include "framework/long_work.h"
#include "graph/tensor_proto.h"
#include "io/files.h"
#include "proto/crc32c.h"
#include "proto/sstable.h"

namespace gk {
namespace {

constexpr int kBundleVersion = 1;  // the newest that is understood
constexpr int kMaxShards = 1 << 24;

uint32_t UnmaskedCrc(uint32_t masked) {
  const uint32_t rotated = masked - 0xa282ead8u;
  return (rotated >> 17) | (rotated << 15);
}

// Whether the index names a part of a tensor, not a tensor: its key starts with
// the ordered code of zero.
bool IsPartKey(std::string_view key) { return key[0] == '\0'; }

StatusOr<BundleReader::TensorInfo> InfoFromProto(
    const proto::BundleEntryProto& entry, int num_shards) {
  BundleReader::TensorInfo info;
  const int dtype = static_cast<int>(entry.dtype);
  if (!DataTypeIsValid(dtype) || dtype == 0) {
    return DataLoss("no data type has the number {}", dtype);
  }
  info.dtype = static_cast<DataType>(dtype);
  GK_ASSIGN_OR_RETURN(const PartialTensorShape shape,
                      ShapeFromProto(*entry.shape));
  GK_ASSIGN_OR_RETURN(info.shape, shape.AsTensorShape());
  if (entry.shard_id < 0 || entry.shard_id >= num_shards || entry.offset < 0 ||
      entry.size < 0) {
    return DataLoss("it is {} bytes at {} of shard {} of {}", entry.size,
                    entry.offset, entry.shard_id, num_shards);
  }
  info.shard = entry.shard_id;
  info.offset = entry.offset;
  info.size = entry.size;
  info.masked_crc = entry.crc32c;
  for (const proto::TensorSliceProto& proto : entry.slices) {
    GK_ASSIGN_OR_RETURN(TensorSlice slice, TensorSlice::FromProto(proto));
    GK_RETURN_IF_ERROR(slice.CheckWithin(info.shape));
    info.slices.push_back(std::move(slice));
  }
  return info;
}

}  // namespace

StatusOr<std::shared_ptr<BundleReader>> BundleReader::Open(
    const std::string& prefix) {
  StatusOr<std::unique_ptr<io::MappedFile>> index =
      io::MapFile(BundleIndexName(prefix));
  if (!index.ok()) {
    if (index.status().code() != Code::kNotFound) return index.status();
    GK_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                        SliceFiles::Find(prefix));
    if (!paths.empty()) {
      GK_ASSIGN_OR_RETURN(std::unique_ptr<SliceFiles> files,
                          SliceFiles::Open(paths));
      std::shared_ptr<BundleReader> reader(new BundleReader(prefix));
      reader->TakeSlices(std::move(files));
      return reader;
    }
    if (io::IsDirectory(prefix)) {
      return DataLoss(
          "Unable to open table file {}: FAILED_PRECONDITION: {}; Is a "
          "directory: perhaps your file is in a different file format and you "
          "need to use a different restore operator?",
          prefix, prefix);
    }
    return NotFound(
        "Unsuccessful TensorSliceReader constructor: Failed to find any "
        "matching files for {}",
        prefix);
  }
  std::shared_ptr<BundleReader> reader(new BundleReader(prefix));
  if (Status s = reader->ReadIndex((*index)->bytes()); !s.ok()) {
    return s.Prepend(Format("{}: ", BundleIndexName(prefix)));
  }
  return reader;
}

Status BundleReader::ReadHeader(std::string_view value) {
  proto::BundleHeaderProto header;
  GK_RETURN_IF_ERROR(header.Parse(value));
  if (header.endianness == proto::BundleHeaderProto_Endianness::BIG) {
    return Unimplemented(
        "Reading a bundle with different endianness from the reader: its "
        "numbers have their highest bytes first. Write it again on a machine "
        "of the other kind");
  }
  if (header.version->min_consumer > kBundleVersion) {
    return Unimplemented(
        "a reader of version {} or later is needed, this one is of version {}",
        header.version->min_consumer, kBundleVersion);
  }
  if (header.num_shards < 0 || header.num_shards > kMaxShards) {
    return DataLoss("it says to have {} shards", header.num_shards);
  }
  num_shards_ = header.num_shards;
  return OkStatus();
}

Status BundleReader::ReadIndex(std::string_view file) {
  GK_ASSIGN_OR_RETURN(const proto::Table table, proto::Table::Open(file));
  bool first = true;
  GK_RETURN_IF_ERROR(table.ForEach(
      [&](std::string_view key, std::string_view value) -> Status {
        if (std::exchange(first, false)) {
          if (!key.empty()) return DataLoss("it has no header");
          return ReadHeader(value);
        }
        proto::BundleEntryProto entry;
        Status s = entry.Parse(value);
        if (s.ok()) {
          auto info = InfoFromProto(entry, num_shards_);
          s = info.status();
          if (info.ok()) {
            auto& map = IsPartKey(key) ? parts_ : tensors_;
            map.emplace_hint(map.end(), key, *std::move(info));
          }
        }
        return s.ok() ? s : s.Prepend(Format("entry \"{}\": ", key));
      }));
  return first ? DataLoss("it is empty: it has no header") : OkStatus();
}

std::vector<std::string> BundleReader::DataFiles() const {
  std::set<std::string> names;
  if (slice_files_ != nullptr) return {};
  for (const auto* infos : {&tensors_, &parts_}) {
    for (const auto& [name, info] : *infos) {
      names.insert(BundleDataName(prefix_, info.shard, num_shards_));
    }
  }
  return {names.begin(), names.end()};
}

void BundleReader::TakeSlices(std::unique_ptr<SliceFiles> files) {
  slice_files_ = std::move(files);
  for (const auto& [name, tensor] : slice_files_->tensors()) {
    TensorInfo info;
    info.dtype = tensor.dtype;
    info.shape = tensor.shape;
    info.slices = tensor.slices;
    for (size_t i = 0; i < tensor.slices.size(); ++i) {
      TensorInfo part;
      part.dtype = tensor.dtype;
      part.shape = tensor.slices[i].ShapeIn(tensor.shape);
      part.shard = tensor.files[i];
      parts_.insert_or_assign(tensor.slices[i].Key(name), std::move(part));
    }
    tensors_.emplace_hint(tensors_.end(), name, std::move(info));
  }
}

StatusOr<const BundleReader::TensorInfo*> BundleReader::Find(
    const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    return NotFound("Key {} not found in checkpoint {}", name, prefix_);
  }
  return &found->second;
}

StatusOr<const BundleReader::DataFile*> BundleReader::Open(int shard) const {
  const std::lock_guard lock(mutex_);
  DataFile& open = files_[shard];
  if (open.file == nullptr) {
    const std::string path = BundleDataName(prefix_, shard, num_shards_);
    GK_ASSIGN_OR_RETURN(open.file, io::OpenToRead(path));
    GK_ASSIGN_OR_RETURN(const io::FileStatistics facts, io::Stat(path));
    open.length = facts.length;
  }
  return &open;
}

StatusOr<Tensor> BundleReader::ReadOne(const std::string& name,
                                       const TensorInfo& info) const {
  const auto where = [&] {
    return Format("tensor \"{}\" in {}: ", name,
                  BundleDataName(prefix_, info.shard, num_shards_));
  };
  if (info.dtype == DataType::kResource) {
    return Unimplemented("{}values of type {} cannot be read from a checkpoint",
                         where(), DataTypeName(info.dtype));
  }
  GK_ASSIGN_OR_RETURN(const DataFile* open, Open(info.shard));
  const uint64_t offset = info.offset, size = info.size;
  if (offset > open->length || size > open->length - offset) {
    return OutOfRange(
        "{}its {} bytes at {} do not lie within the file of {} bytes", where(),
        size, offset, open->length);
  }
  const int element = DataTypeSize(info.dtype);
  const uint64_t count = info.shape.num_elements();
  const bool is_list =
      info.dtype == DataType::kString || info.dtype == DataType::kVariant;
  if (is_list ? count > size : size / element != count || size % element != 0) {
    return DataLoss("{}{} bytes cannot be {} of shape {}", where(), size,
                    DataTypeName(info.dtype), info.shape.DebugString());
  }
  uint32_t crc = 0;
  Tensor value;
  if (!is_list) {
    if (Ref<Buffer> mapped = MapChecked(*open->file, offset, size, &crc)) {
      value = Tensor::FromBuffer(info.dtype, info.shape, std::move(mapped));
    }
  }
  const bool is_mapped = static_cast<bool>(value);
  if (!is_mapped) {
    GK_ASSIGN_OR_RETURN(value, Tensor::Allocate(info.dtype, info.shape));
  }
  const auto read = [&](std::span<char> to) -> Status {
    Status s = ReadChecked(*open->file, offset, to, &crc);
    return s.ok() ? s : s.Prepend(where());
  };
  if (is_list) {
    std::string bytes(size, '\0');
    GK_RETURN_IF_ERROR(read(bytes));
    if (Status s =
            info.dtype == DataType::kString
                ? ReadStringElements(bytes, value.flat<std::string>(), &crc)
                : ReadVariantElements(bytes, value.flat<Variant>(), &crc);
        !s.ok()) {
      return s.Prepend(where());
    }
  } else if (!is_mapped) {
    GK_RETURN_IF_ERROR(read({static_cast<char*>(value.raw_data()), size}));
  }
  if (proto::MaskCrc(crc) != info.masked_crc) {
    return DataLoss(
        "TensorBundle at {} shard {} ({} bytes): Checksum does not match: "
        "stored {} vs. calculated on the restored bytes {} (tensor \"{}\" in "
        "{})",
        prefix_, info.shard, size, UnmaskedCrc(info.masked_crc), crc, name,
        BundleDataName(prefix_, info.shard, num_shards_));
  }
  LongWork::Advance(WorkUnit::kBytes, info.size);
  return value;
}

StatusOr<const BundleReader::TensorInfo*> BundleReader::PartOf(
    const std::string& name, const TensorInfo& info,
    const TensorSlice& slice) const {
  const auto found = parts_.find(slice.Key(name));
  if (found == parts_.end()) {
    return DataLoss("{}: slice \"{}\" of tensor \"{}\" is missing",
                    BundleIndexName(prefix_), slice.DebugString(), name);
  }
  const TensorInfo& part = found->second;
  if (part.dtype != info.dtype || part.shape != slice.ShapeIn(info.shape)) {
    return DataLoss("{}: slice \"{}\" of tensor \"{}\" is {}{}, expected {}{}",
                    BundleIndexName(prefix_), slice.DebugString(), name,
                    DataTypeName(part.dtype), part.shape.DebugString(),
                    DataTypeName(info.dtype),
                    slice.ShapeIn(info.shape).DebugString());
  }
  return &part;
}

StatusOr<Tensor> BundleReader::ReadPart(const std::string& name,
                                        const TensorInfo& part,
                                        const TensorSlice& slice) const {
  if (slice_files_ == nullptr) return ReadOne(name, part);
  return slice_files_->Read(name, slice, part.shard, part.dtype, part.shape);
}

StatusOr<Tensor> BundleReader::Read(const std::string& name) const {
  GK_ASSIGN_OR_RETURN(const TensorInfo* info, Find(name));
  if (info->slices.empty()) return ReadOne(name, *info);
  // All are looked up, and counted, before memory is had for what a small file
  // may claim.
  std::vector<const TensorInfo*> parts;
  int64_t covered = 0;
  for (const TensorSlice& slice : info->slices) {
    GK_ASSIGN_OR_RETURN(const TensorInfo* part, PartOf(name, *info, slice));
    parts.push_back(part);
    covered += part->shape.num_elements();
  }
  if (covered < info->shape.num_elements()) {
    return DataLoss(
        "{}: the slices of tensor \"{}\" leave gaps: {} of its {} "
        "elements are there",
        BundleIndexName(prefix_), name, covered, info->shape.num_elements());
  }
  if (const TensorSlice* twice = FindOverlap(info->shape, info->slices)) {
    return DataLoss(
        "{}: slice \"{}\" of tensor \"{}\" overlaps another one of it",
        BundleIndexName(prefix_), twice->DebugString(), name);
  }
  std::vector<Tensor> values;
  for (size_t i = 0; i < parts.size(); ++i) {
    GK_ASSIGN_OR_RETURN(Tensor value,
                        ReadPart(name, *parts[i], info->slices[i]));
    if (info->slices[i].IsFull()) return value;
    values.push_back(std::move(value));
  }
  GK_ASSIGN_OR_RETURN(Tensor whole, Tensor::Zeros(info->dtype, info->shape));
  for (size_t i = 0; i < parts.size(); ++i) {
    CopySlice(info->slices[i], SliceCopy::kIntoWhole, &whole, &values[i]);
  }
  return whole;
}

StatusOr<Tensor> BundleReader::ReadSlice(const std::string& name,
                                         const TensorSlice& slice) const {
  GK_ASSIGN_OR_RETURN(const TensorInfo* info, Find(name));
  GK_RETURN_IF_ERROR(slice.CheckWithin(info->shape));
  if (!info->slices.empty() && parts_.contains(slice.Key(name))) {
    GK_ASSIGN_OR_RETURN(const TensorInfo* part, PartOf(name, *info, slice));
    return ReadPart(name, *part, slice);
  }
  GK_ASSIGN_OR_RETURN(Tensor whole, Read(name));
  if (slice.IsFull()) return whole;
  GK_ASSIGN_OR_RETURN(
      Tensor part, Tensor::Allocate(info->dtype, slice.ShapeIn(info->shape)));
  CopySlice(slice, SliceCopy::kOutOfWhole, &whole, &part);
  return part;
}

}  // namespace gk
