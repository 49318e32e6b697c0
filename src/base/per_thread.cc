#include "base/per_thread.h"

#include <pthread.h>

#include <mutex>
#include <new>
#include <utility>

namespace gk::per_thread_internal {
namespace {

// The end of a thread reaches the latest item first.
void DestroyAll(void* latest) {
  auto* item = static_cast<Item*>(latest);
  while (item != nullptr) {
    Item* const next = item->next;
    delete item;
    item = next;
  }
}

// Never deleted: libraries that start threads stay loaded.
pthread_key_t Key() {
  static const pthread_key_t key = [] {
    pthread_key_t made;
    if (pthread_key_create(&made, DestroyAll) != 0) throw std::bad_alloc();
    return made;
  }();
  return key;
}

}  // namespace

void DestroyWithThread(std::unique_ptr<Item> item) {
  const pthread_key_t key = Key();
  item->next = static_cast<Item*>(pthread_getspecific(key));
  if (pthread_setspecific(key, item.get()) != 0) throw std::bad_alloc();
  (void)item.release();
}

// A library that a running process loads, as Python does with ours, has its
// `thread_local` variables allocated by each thread on first use, and the C
// library aborts where that fails. Memory that every thread has from its start
// is given to small libraries (512 bytes for all of them, in glibc) as soon as
// one place refers to such a variable by a descriptor, which the compiler does
// on request only. Nobody calls these functions.
#if defined(__ELF__) && defined(__x86_64__)
extern "C" {
[[gnu::visibility("hidden")]] constinit thread_local char
    gk_thread_variables = 0;

[[gnu::used, gnu::visibility("hidden")]] void gk_own_variables_from_start() {
  asm volatile(
      "leaq gk_thread_variables@TLSDESC(%%rip), %%rax\n\t"
      "call *gk_thread_variables@TLSCALL(%%rax)" ::
          : "rax", "cc", "memory");
}

// What throws needs those of the standard library.
#if defined(__GLIBCXX__) && defined(_GLIBCXX_HAVE_TLS)
[[gnu::used, gnu::visibility("hidden")]] void
gk_standard_variables_from_start() {
  asm volatile(
      "leaq _ZSt15__once_callable@TLSDESC(%%rip), %%rax\n\t"
      "call *_ZSt15__once_callable@TLSCALL(%%rax)" ::
          : "rax", "cc", "memory");
}
#endif
}
#elif defined(__ELF__) && defined(__aarch64__) && defined(__GLIBCXX__) && \
    defined(_GLIBCXX_HAVE_TLS)
// Descriptors are the rule here.
extern "C" [[gnu::used, gnu::visibility("hidden")]] void*
gk_standard_variables_from_start() {
  return &std::__once_callable;
}
#endif

}  // namespace gk::per_thread_internal
