#include "proto/sstable.h"

#include <algorithm>
#include <cstring>

#include "proto/crc32c.h"
#include "proto/snappy.h"
#include "proto/varint.h"
#include "proto/wire.h"

namespace gk::proto {
namespace {

constexpr size_t kFooterSize = 48;
constexpr size_t kTrailer = 5;  // Compression type and checksum.
constexpr uint64_t kMagic = 0xdb4775248b80fb57ull;
constexpr size_t kBlockSize = 256 << 10;

uint32_t Load32(const char* p) {
  uint32_t value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}

void Append32(uint32_t value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

size_t CommonPrefix(std::string_view a, std::string_view b) {
  size_t n = std::min(a.size(), b.size());
  return static_cast<size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<ptrdiff_t>(n),
                    b.begin())
          .first -
      a.begin());
}

// A short key that is >= `last` and, if there is a next key, below it.
std::string IndexKey(const std::string& last, const std::string* next) {
  if (next == nullptr) {
    for (size_t i = 0; i < last.size(); ++i) {
      if (last[i] != '\xff') {
        std::string key = last.substr(0, i + 1);
        ++key[i];
        return key;
      }
    }
    return last;
  }
  size_t n = CommonPrefix(last, *next);
  if (n < last.size() && n < next->size()) {
    int byte = static_cast<uint8_t>(last[n]);
    if (byte < 0xff && byte + 1 < static_cast<uint8_t>((*next)[n])) {
      std::string key = last.substr(0, n + 1);
      key[n] = static_cast<char>(byte + 1);
      return key;
    }
  }
  return last;
}

// Walks the entries of one block. Keys must ascend: it is the format's rule,
// and it keeps a small file from standing for endless entries.
class BlockReader {
 public:
  explicit BlockReader(std::string_view contents) {
    if (contents.size() < 4) return;
    uint64_t restarts = Load32(contents.data() + contents.size() - 4);
    if (restarts > (contents.size() - 4) / 4) return;
    contents.remove_suffix(static_cast<size_t>(4 * restarts + 4));
    in_ = Reader(contents);
    valid_ = true;
  }
  bool valid() const { return valid_; }
  bool done() const { return in_.done(); }
  bool Next() {
    uint64_t shared, rest, value_size;
    if (!in_.Varint(&shared) || !in_.Varint(&rest) ||
        !in_.Varint(&value_size) || shared > key_.size() ||
        rest > in_.left() || value_size > in_.left() - rest) {
      return false;
    }
    std::string_view tail(in_.position(), static_cast<size_t>(rest));
    value_ = std::string_view(tail.data() + rest,
                              static_cast<size_t>(value_size));
    std::string_view before = std::string_view(key_).substr(
        static_cast<size_t>(shared));
    if (!first_ && tail <= before) return false;
    first_ = false;
    key_.resize(static_cast<size_t>(shared));
    key_.append(tail);
    in_ = Reader(
        std::string_view(value_.data() + value_size,
                         in_.left() - static_cast<size_t>(rest + value_size)));
    return true;
  }
  const std::string& key() const { return key_; }
  std::string_view value() const { return value_; }

 private:
  Reader in_;
  std::string key_;
  std::string_view value_;
  bool first_ = true;
  bool valid_ = false;
};

Status Corrupt(std::string_view what) {
  return DataLoss("Corrupted table: {}", what);
}

}  // namespace

bool LooksLikeTable(std::string_view file) {
  if (file.size() < kFooterSize) return false;
  return std::memcmp(file.data() + file.size() - 8, &kMagic, 8) == 0;
}

bool Table::ReadHandle(std::string_view* bytes, Handle* handle) {
  Reader in(*bytes);
  if (!in.Varint(&handle->offset) || !in.Varint(&handle->size)) return false;
  bytes->remove_prefix(bytes->size() - in.left());
  return true;
}

StatusOr<Table> Table::Open(std::string_view file) {
  if (file.size() < kFooterSize) {
    return Corrupt("file is too short to be an sstable");
  }
  std::string_view footer = file.substr(file.size() - kFooterSize);
  uint64_t magic;
  std::memcpy(&magic, footer.data() + kFooterSize - 8, 8);
  if (magic != kMagic) {
    return Corrupt("not an sstable (bad magic number)");
  }
  footer.remove_suffix(8);
  Table table;
  table.file_ = file;
  Handle metaindex;
  if (!ReadHandle(&footer, &metaindex) ||
      !ReadHandle(&footer, &table.index_)) {
    return Corrupt("bad block handle");
  }
  return table;
}

StatusOr<std::string_view> Table::ReadBlock(Handle handle,
                                            std::string* storage) const {
  const auto corrupt = [&](std::string_view what) {
    return DataLoss("Corrupted table: {}, {} bytes at {} of {}", what,
                    handle.size, handle.offset, file_.size());
  };
  if (handle.offset > file_.size() || handle.size > file_.size() ||
      file_.size() - handle.offset < handle.size + kTrailer) {
    return corrupt("truncated block read");
  }
  std::string_view block =
      file_.substr(static_cast<size_t>(handle.offset),
                   static_cast<size_t>(handle.size) + 1);
  if (Load32(block.data() + block.size()) != MaskedCrc32c(block)) {
    return corrupt("block checksum mismatch");
  }
  char type = block.back();
  block.remove_suffix(1);
  if (type == 0) return block;
  if (type != 1 || !SnappyUncompress(block, storage)) {
    return corrupt("bad compressed block");
  }
  return std::string_view(*storage);
}

Status Table::ForEach(const Visit& visit) const {
  std::string index_storage, storage;
  GK_ASSIGN_OR_RETURN(std::string_view index_bytes,
                      ReadBlock(index_, &index_storage));
  BlockReader index(index_bytes);
  if (!index.valid()) return Corrupt("bad index block");
  std::string last;
  bool any = false;
  uint64_t end = 0;
  while (!index.done()) {
    if (!index.Next()) return Corrupt("bad entry in index block");
    std::string_view encoded = index.value();
    Handle handle;
    // Blocks may not overlap, so that the work is bounded by the file's size.
    if (!ReadHandle(&encoded, &handle) || handle.offset < end) {
      return Corrupt("bad block handle");
    }
    GK_ASSIGN_OR_RETURN(std::string_view bytes, ReadBlock(handle, &storage));
    BlockReader block(bytes);
    if (!block.valid()) return Corrupt("bad block contents");
    end = handle.offset + handle.size + kTrailer;
    while (!block.done()) {
      if (!block.Next()) return Corrupt("bad entry in block");
      if (any && block.key() <= last) return Corrupt("keys out of order");
      GK_RETURN_IF_ERROR(visit(block.key(), block.value()));
      any = false;  // Within a block the reader checks the order.
    }
    last = block.key();
    any = true;
  }
  return OkStatus();
}

StatusOr<std::string> Table::Find(std::string_view key) const {
  std::string index_storage, storage;
  GK_ASSIGN_OR_RETURN(std::string_view index_bytes,
                      ReadBlock(index_, &index_storage));
  BlockReader index(index_bytes);
  if (!index.valid()) return Corrupt("bad index block");
  while (!index.done()) {
    if (!index.Next()) return Corrupt("bad entry in index block");
    if (index.key() < key) continue;
    std::string_view encoded = index.value();
    Handle handle;
    if (!ReadHandle(&encoded, &handle)) return Corrupt("bad block handle");
    GK_ASSIGN_OR_RETURN(std::string_view bytes, ReadBlock(handle, &storage));
    BlockReader block(bytes);
    if (!block.valid()) return Corrupt("bad block contents");
    while (!block.done()) {
      if (!block.Next()) return Corrupt("bad entry in block");
      if (block.key() == key) return std::string(block.value());
      if (block.key() > key) break;
    }
    break;
  }
  return NotFound("Key {} not found in table", key);
}

void TableWriter::Block::Add(std::string_view key, std::string_view value) {
  size_t shared = 0;
  if (since_restart_ < interval_) {
    shared = CommonPrefix(last_key_, key);
  } else {
    restarts_.push_back(static_cast<uint32_t>(bytes_.size()));
    since_restart_ = 0;
  }
  AppendVarint(shared, &bytes_);
  AppendVarint(key.size() - shared, &bytes_);
  AppendVarint(value.size(), &bytes_);
  bytes_.append(key.substr(shared)).append(value);
  last_key_.assign(key);
  ++since_restart_;
}

std::string TableWriter::Block::Finish() {
  std::string out = std::move(bytes_);
  for (uint32_t restart : restarts_) Append32(restart, &out);
  Append32(static_cast<uint32_t>(restarts_.size()), &out);
  *this = Block(interval_);
  return out;
}

Status TableWriter::Add(std::string_view key, std::string_view value) {
  if (any_ && key <= last_key_) {
    return InvalidArgument("keys must ascend: '{}' after '{}'", key,
                           last_key_);
  }
  if (data_.size() >= kBlockSize) {
    std::string next(key);
    FlushBlock(&next);
  }
  data_.Add(key, value);
  last_key_.assign(key);
  any_ = true;
  return OkStatus();
}

std::string TableWriter::WriteBlock(const std::string& contents) {
  std::string handle;
  AppendVarint(file_.size(), &handle);
  AppendVarint(contents.size(), &handle);
  std::string block = contents + '\0';
  file_ += block;
  Append32(MaskedCrc32c(block), &file_);
  return handle;
}

void TableWriter::FlushBlock(const std::string* next_key) {
  std::string handle = WriteBlock(data_.Finish());
  index_.Add(IndexKey(last_key_, next_key), handle);
}

std::string TableWriter::Finish() {
  if (!data_.empty()) FlushBlock(nullptr);
  std::string footer = WriteBlock(Block(16).Finish());
  footer += WriteBlock(index_.Finish());
  footer.resize(kFooterSize - 8);
  footer.append(reinterpret_cast<const char*>(&kMagic), 8);
  std::string out = std::move(file_) + footer;
  *this = TableWriter();
  return out;
}

}  // namespace gk::proto
