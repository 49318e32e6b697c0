#include "python/src/tensors/large_copy.h"

#include <algorithm>
#include <cstring>

#include "base/interrupt.h"
#include "python/src/binding/gil.h"

namespace gk::py {

Status CopyBytes(void* to, const void* from, size_t bytes) {
  if (bytes < kLargeWorkBytes) {
    std::memcpy(to, from, bytes);
    return OkStatus();
  }
  constexpr size_t kPiece = size_t{64} << 20;
  const GilRelease unlocked(true);
  for (size_t at = 0; at < bytes; at += kPiece) {
    if (at > 0) GK_RETURN_IF_ERROR(CheckInterrupt());
    std::memcpy(static_cast<char*>(to) + at,
                static_cast<const char*>(from) + at,
                std::min(kPiece, bytes - at));
  }
  return OkStatus();
}

}  // namespace gk::py
