// Sorted string tables, the messages in indices of checkpoints, and compressed
// blocks.
#include <cstring>
#include <string>

#include "driver/fuzz_target.h"
#include "driver/mutate_bytes.h"
#include "proto/checkpoint.gk.h"
#include "proto/crc32c.h"
#include "proto/snappy.h"
#include "proto/sstable.h"
#include "proto/wire.h"

namespace gk::fuzz {
namespace {

constexpr size_t kFooter = 48, kTrailer = 5;

void ReadAll(std::string_view file) {
  StatusOr<proto::Table> table = proto::Table::Open(file);
  CheckNotInternal(table.status());
  if (!table.ok()) return;
  size_t left = 1000;
  std::string some;
  CheckNotInternal(
      table->ForEach([&](std::string_view key, std::string_view value) {
        proto::BundleEntryProto entry;
        if (entry.Parse(value).ok()) entry.ToText();
        proto::BundleHeaderProto header;
        if (header.Parse(value).ok()) header.ToText();
        some = key;
        return --left == 0 ? OutOfRange("enough") : OkStatus();
      }));
  CheckNotInternal(table->Find(some).status());
  CheckNotInternal(table->Find("").status());
}

// A right checksum for the block at `bytes`, which moves on. Returns where
// the block is.
std::string_view MendBlock(proto::Reader* handle, std::string* file) {
  uint64_t offset, size;
  if (!handle->Varint(&offset) || !handle->Varint(&size)) return {};
  if (offset > file->size() || size > file->size() - offset ||
      file->size() - offset - size < kTrailer) {
    return {};
  }
  const uint32_t crc = proto::MaskedCrc32c({&(*file)[offset], size + 1});
  std::memcpy(&(*file)[offset + size + 1], &crc, sizeof(crc));
  return {&(*file)[offset], size};
}

void Mend(std::string* file) {
  if (file->size() < kFooter) return;
  const uint64_t magic = 0xdb4775248b80fb57ull;
  std::memcpy(&(*file)[file->size() - 8], &magic, sizeof(magic));
  proto::Reader footer(
      std::string_view(&(*file)[file->size() - kFooter], kFooter - 8));
  MendBlock(&footer, file);
  const std::string index(MendBlock(&footer, file));
  proto::Reader entries(index);
  uint64_t shared, rest, size;
  while (entries.Varint(&shared) && entries.Varint(&rest) &&
         entries.Varint(&size) && rest <= entries.left() &&
         size <= entries.left() - rest) {
    const std::string_view handle(entries.position() + rest, size);
    proto::Reader in(handle);
    MendBlock(&in, file);
    entries = proto::Reader(
        std::string_view(handle.data() + size, entries.left() - rest - size));
  }
}

}  // namespace
}  // namespace gk::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  gk::fuzz::ReadAll(bytes);
  std::string out;
  gk::proto::SnappyUncompress(bytes, &out);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed) {
  return gk::fuzz::MutateFile(data, size, max_size, seed, gk::fuzz::Mend);
}
