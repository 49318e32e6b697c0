// Files of framed records, and the events and examples that they hold.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "driver/fuzz_target.h"
#include "driver/mutate_bytes.h"
#include "io/record_io.h"
#include "proto/crc32c.h"
#include "proto/event.gk.h"
#include "proto/example.gk.h"

namespace gk::fuzz {
namespace {

constexpr size_t kHeader = 12, kFooter = 4;

void ReadAll(const std::string& path) {
  StatusOr<io::RecordReader> reader = io::RecordReader::Open(path);
  CheckNotInternal(reader.status());
  if (!reader.ok()) return;
  std::string record;
  uint64_t at = 0;
  while (true) {
    const Status status = reader->Read(&record);
    CheckNotInternal(status);
    if (!status.ok()) {
      if (reader->offset() != at) Fail("the position moved on an error");
      return;
    }
    at = reader->offset();
    proto::Event event;
    if (event.Parse(record).ok()) event.ToText();
    proto::Example example;
    if (example.Parse(record).ok()) example.ToText();
  }
}

// Right checksums where the lengths lead: what is behind them counts.
void Mend(std::string* file) {
  size_t at = 0;
  while (at + kHeader <= file->size()) {
    uint64_t size;
    std::memcpy(&size, &(*file)[at], sizeof(size));
    const uint32_t head = proto::MaskedCrc32c({&(*file)[at], 8});
    std::memcpy(&(*file)[at + 8], &head, sizeof(head));
    at += kHeader;
    if (size > file->size() - at || file->size() - at - size < kFooter) return;
    const uint32_t foot = proto::MaskedCrc32c({&(*file)[at], size});
    std::memcpy(&(*file)[at + size], &foot, sizeof(foot));
    at += size + kFooter;
  }
}

}  // namespace
}  // namespace gk::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int file = memfd_create("records", 0);
  if (file < 0) gk::fuzz::Fail("no file in memory");
  if (write(file, data, size) != static_cast<ssize_t>(size)) {
    gk::fuzz::Fail("the file cannot be written");
  }
  gk::fuzz::ReadAll("/proc/self/fd/" + std::to_string(file));
  close(file);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed) {
  return gk::fuzz::MutateFile(data, size, max_size, seed, gk::fuzz::Mend);
}
