// Whether this is a build under a sanitizer, which must see every block that
// is taken and given back: what keeps memory for later steps aside then.
#ifndef GK_BASE_SANITIZER_H_
#define GK_BASE_SANITIZER_H_

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define GK_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GK_ADDRESS_SANITIZER 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define GK_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GK_THREAD_SANITIZER 1
#endif
#endif

#ifdef GK_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace gk {

#if defined(GK_ADDRESS_SANITIZER) || defined(GK_THREAD_SANITIZER)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// Touching these bytes is an error until they are unpoisoned. Nothing unless
// the address sanitizer is there.
inline void PoisonMemory([[maybe_unused]] const void* p,
                         [[maybe_unused]] size_t bytes) {
#ifdef GK_ADDRESS_SANITIZER
  __asan_poison_memory_region(p, bytes);
#endif
}
inline void UnpoisonMemory([[maybe_unused]] const void* p,
                           [[maybe_unused]] size_t bytes) {
#ifdef GK_ADDRESS_SANITIZER
  __asan_unpoison_memory_region(p, bytes);
#endif
}

}  // namespace gk

#endif  // GK_BASE_SANITIZER_H_
