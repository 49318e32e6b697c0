#include "framework/text_memory.h"

#include <new>

#include "base/memory.h"

namespace gk {
namespace {

// As often as this the system is asked: a small part of the time that making
// the text takes.
constexpr int64_t kAskedEvery = int64_t{64} << 20;
// What others may need meanwhile.
constexpr int64_t kReserve = int64_t{64} << 20;

thread_local int64_t not_asked = 0;

bool MayHave(int64_t bytes) { return bytes <= AvailableMemory() - kReserve; }

}  // namespace

void CountText(int64_t bytes) {
  not_asked += bytes;
  if (not_asked < kAskedEvery) return;
  not_asked = 0;
  if (!MayHave(bytes)) throw std::bad_alloc();
}

Status CheckTextBytes(int64_t bytes) {
  if (bytes < kAskedEvery || MayHave(bytes)) return OkStatus();
  return ResourceExhausted("OOM when making {} bytes of text on CPU", bytes);
}

Status CheckText(const Tensor& from, int64_t copies) {
  if (from.dtype() != DataType::kString) return OkStatus();
  int64_t bytes = 0;
  for (const std::string& s : from.flat<std::string>()) {
    if (s.size() > 15) bytes += s.size();
  }
  const int64_t total = MultiplyWithoutOverflow(bytes, copies);
  if (total >= 0 && (total < kAskedEvery || MayHave(total))) return OkStatus();
  return ResourceExhausted(
      "OOM when making {} copies of {} bytes of text on CPU", copies, bytes);
}

}  // namespace gk
