#include "framework/tensor.h"

#include <atomic>
#include <new>

#include "base/per_thread.h"
#include "base/sanitizer.h"

namespace gk {
namespace {

// Ids are handed out in blocks so that making a tensor touches no shared
// cache line.
uint64_t NextId() {
  static std::atomic<uint64_t> next_block{1};
  struct Ids {
    uint64_t next = 0, end = 0;
  };
  static constinit thread_local Ids mine;  // both by one look-up
  constexpr uint64_t kBlock = 1024;
  Ids& ids = mine;
  if (ids.next == ids.end) {
    ids.next = next_block.fetch_add(kBlock, std::memory_order_relaxed);
    ids.end = ids.next + kBlock;
  }
  return ids.next++;
}

// A few freed TensorImpls per thread, for eager scalars.
struct ImplCache {
  static constexpr int kMax = 64;
  void* slots[kMax];
  int count = 0;
  ~ImplCache() {
    while (count > 0) {
      ::operator delete(slots[--count], std::align_val_t(kAlignment));
    }
  }
};
using ThreadImplCache = PerThread<ImplCache, ImplCache>;

}  // namespace

void* TensorImpl::operator new(size_t size) {
  if (!kSanitized && size == sizeof(TensorImpl)) {
    ImplCache& cache = ThreadImplCache::Get();
    if (cache.count > 0) return cache.slots[--cache.count];
  }
  return ::operator new(size, std::align_val_t(kAlignment));
}

void TensorImpl::operator delete(void* p, size_t size) {
  ImplCache* const cache = ThreadImplCache::IfMade();
  if (!kSanitized && size == sizeof(TensorImpl) && cache != nullptr &&
      cache->count < ImplCache::kMax) {
    cache->slots[cache->count++] = p;
    return;
  }
  ::operator delete(p, std::align_val_t(kAlignment));
}

TensorImpl::TensorImpl(DataType dtype, const TensorShape& shape)
    : dtype_(dtype), shape_(shape), id_(NextId()) {}

TensorImpl::TensorImpl(SymbolicTag, DataType dtype)
    : dtype_(dtype), symbolic_(true), id_(NextId()) {}

TensorImpl::~TensorImpl() = default;

}  // namespace gk
