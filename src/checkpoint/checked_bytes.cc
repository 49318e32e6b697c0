#include "checkpoint/checked_bytes.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "base/thread_pool.h"
#include "io/leased_pages.h"
#include "proto/crc32c.h"

namespace gk {
namespace {

// Of what one thread reads at once, and from twice of which on several do.
constexpr size_t kPart = size_t{4} << 20;
// Of what one thread writes while another one makes the checksum.
constexpr size_t kWritten = size_t{8} << 20;
// Below it another thread is no help.
constexpr size_t kLeastShared = size_t{256} << 10;

// Piece by piece, so that each is still near when its checksum is made.
Status ReadPart(const io::RandomAccessFile& file, uint64_t offset,
                std::span<char> to, uint32_t* crc) {
  *crc = 0;
  while (!to.empty()) {
    const std::span<char> piece =
        to.first(std::min(to.size(), file.best_piece()));
    GK_ASSIGN_OR_RETURN(const size_t got, file.Read(offset, piece));
    if (got < piece.size()) {
      return OutOfRange("the file ends at {}, {} bytes too soon", offset + got,
                        to.size() - got);
    }
    *crc = proto::ExtendCrc32c(*crc, {piece.data(), piece.size()});
    offset += piece.size();
    to = to.subspan(piece.size());
  }
  return OkStatus();
}

// Of bytes by parts, each of which `sum` gives the checksum of.
template <class Sum>
Status SumParts(size_t size, Sum sum, uint32_t* crc) {
  const size_t count = (size + kPart - 1) / kPart;
  const auto size_of = [&](size_t i) {
    return std::min(kPart, size - i * kPart);
  };
  std::vector<uint32_t> crcs(count);
  std::vector<Status> statuses(count);
  ThreadPool::Global().ParallelFor(static_cast<int64_t>(count), [&](int64_t i) {
    statuses[i] = sum(i * kPart, size_of(i), &crcs[i]);
  });
  *crc = 0;
  for (size_t i = 0; i < count; ++i) {
    GK_RETURN_IF_ERROR(statuses[i]);
    *crc = proto::JoinCrc32c(*crc, crcs[i], size_of(i));
  }
  return OkStatus();
}

}  // namespace

Ref<Buffer> MapChecked(const io::RandomAccessFile& file, uint64_t offset,
                       size_t size, uint32_t* crc) {
  Ref<Buffer> mapped = file.Map(offset, size);
  if (mapped == nullptr) return nullptr;
  const auto sum = [&](size_t at, size_t n, uint32_t* to) -> Status {
    const char* const bytes = static_cast<const char*>(mapped->data()) + at;
    // Reading it will say why.
    if (!io::FindPages(bytes, n)) return DataLoss("");
    *to = proto::Crc32c({bytes, n});
    return OkStatus();
  };
  if (!SumParts(size, sum, crc).ok()) return nullptr;
  return mapped;
}

Status ReadChecked(const io::RandomAccessFile& file, uint64_t offset,
                   std::span<char> to, uint32_t* crc) {
  if (to.size() < 2 * kPart || !file.reads_at_once()) {
    return ReadPart(file, offset, to, crc);
  }
  return SumParts(
      to.size(),
      [&](size_t at, size_t n, uint32_t* sum) {
        return ReadPart(file, offset + at, to.subspan(at, n), sum);
      },
      crc);
}

Status AppendChecked(io::WritableFile* file, std::string_view bytes,
                     uint32_t* crc) {
  for (; !bytes.empty();
       bytes.remove_prefix(std::min(bytes.size(), kWritten))) {
    const std::string_view piece = bytes.substr(0, kWritten);
    if (piece.size() < kLeastShared) {
      *crc = proto::ExtendCrc32c(*crc, piece);
      GK_RETURN_IF_ERROR(file->Append(piece));
      continue;
    }
    // Files of the host language are written by the thread that called, which
    // may be the one that may call it.
    const std::thread::id caller = std::this_thread::get_id();
    Status written;
    uint32_t extended = 0;
    bool appended = false;  // the caller's
    std::atomic<bool> summed{false};
    const auto append = [&] {
      if (!std::exchange(appended, true)) written = file->Append(piece);
    };
    const auto sum = [&] {
      if (!summed.exchange(true)) extended = proto::ExtendCrc32c(*crc, piece);
    };
    ThreadPool::Global().ParallelFor(2, [&](int64_t) {
      if (std::this_thread::get_id() == caller && !appended) {
        append();
      } else {
        sum();
      }
    });
    append();
    sum();
    GK_RETURN_IF_ERROR(written);
    *crc = extended;
  }
  return OkStatus();
}

}  // namespace gk
