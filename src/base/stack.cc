#include "base/stack.h"

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace gk {
namespace {

// What a level of recursion and the words about it may take: kernels, the host
// language's interpreter, formatted text.
constexpr size_t kReserve = size_t{384} << 10;

// The lowest address that a thread may use before it has to stop. 0 where the
// system does not say.
uintptr_t LowestUse() {
  pthread_attr_t attr;
  if (pthread_getattr_np(pthread_self(), &attr) != 0) return 0;
  void* lowest = nullptr;
  size_t size = 0, guard = 0;
  const bool known = pthread_attr_getstack(&attr, &lowest, &size) == 0 &&
                     pthread_attr_getguardsize(&attr, &guard) == 0;
  pthread_attr_destroy(&attr);
  if (!known) return 0;
  return reinterpret_cast<uintptr_t>(lowest) + guard +
         std::min(kReserve, size / 3);
}

}  // namespace

bool HasStackLeft() {
  static constinit thread_local uintptr_t lowest = 0;
  if (lowest == 0) [[unlikely]]
    lowest = LowestUse();
  return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) > lowest;
}

}  // namespace gk
