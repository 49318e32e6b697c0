#include "framework/allocator.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "base/fork.h"
#include "base/memory.h"
#include "base/sanitizer.h"
#include "framework/charged_memory.h"
#include "framework/resource.h"
#include "framework/variant.h"

namespace gk {
namespace {

// Four classes per power of two waste at most a quarter.
constexpr size_t kMinBlock = 64;
constexpr int kClasses = 120;
constexpr int64_t kMaxCachedBytes = int64_t{96} << 20;
// From this size on the system is asked what it has: a small part of the time
// that touching the memory takes.
constexpr int64_t kAskedAbout = int64_t{256} << 20;

// Twice this size on, blocks are of large pages where the system has them:
// their addresses are found sooner, and reading ahead ends at a page's end.
constexpr size_t kLargePage = size_t{2} << 20;

#ifdef MADV_HUGEPAGE
int64_t ThreadNanoseconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1'000'000'000 + t.tv_nsec;
}

// To touch a new large page takes some 0.1 ms: it is filled with zeros. Where
// the machine is a guest that gives its host back what lies free, the host has
// to find such a page again in small parts, which takes 4 to 6 ms: 1 s for
// 500 MB that are touched once. Small pages come of memory that was used last,
// a sixth of that; once they are there, programs run as fast with them.
class LargePages {
 public:
  // Touches some pages of a block that is of large ones, `bytes` of them. Says
  // whether the others should be, too.
  static bool AreCheap(char* block, size_t bytes) {
    if (left_out_.load(std::memory_order_relaxed) > 0) {
      left_out_.fetch_sub(1, std::memory_order_relaxed);
      return false;
    }
    const size_t pages = bytes / kLargePage;
    const size_t step = (pages + kTried - 1) / kTried;
    for (size_t i = 0; i < pages; i += step) {
      const int64_t begin = ThreadNanoseconds();
      *static_cast<volatile char*>(block + i * kLargePage) = 0;
      if (ThreadNanoseconds() - begin < kCheap) continue;
      left_out_.store(kLeftOut, std::memory_order_relaxed);
      return false;
    }
    return true;
  }

 private:
  static constexpr int64_t kCheap = 1'500'000;
  static constexpr size_t kTried = 8;  // pages of a block: not all cost as much
  static constexpr int kLeftOut = 16;  // blocks, until one is tried again
  static inline std::atomic<int> left_out_{0};
};
#endif

void* NewBlock(size_t size) {
  const bool large = size >= 2 * kLargePage;
  void* p;
  if (posix_memalign(&p, large ? kLargePage : kAlignment, size) != 0) {
    return nullptr;
  }
#ifdef MADV_HUGEPAGE
  // Whole ones alone: memory that the block does not have stays untouched.
  const size_t whole = size / kLargePage * kLargePage;
  if (large) {
    madvise(p, whole, MADV_HUGEPAGE);
    if (!LargePages::AreCheap(static_cast<char*>(p), whole)) {
      madvise(p, whole, MADV_NOHUGEPAGE);
    }
  }
#endif
  return p;
}

struct FreeBlock {
  FreeBlock* next;
};

class Pool {
 public:
  static Pool& Get() {
    static Pool* pool = new Pool;  // Outlives every static tensor.
    return *pool;
  }

  void* Allocate(size_t bytes) {
    const int c = ClassOf(bytes);
    if (c < 0) return nullptr;
    const size_t size = kSanitized ? std::max<size_t>(bytes, 1) : SizeOf(c);
    void* p = nullptr;
    if (!kSanitized) {
      Guard guard(lock_);
      if (FreeBlock* block = free_[c]) {
        free_[c] = block->next;
        stats_.cached_bytes -= size;
        p = block;
      }
    }
    if (!p) {
      if (!MayHave(size)) return nullptr;
      if (!(p = NewBlock(size))) return nullptr;
    }
    Add(static_cast<int64_t>(size));
    return p;
  }

  bool Charge(int64_t size) {
    if (!MayHave(size)) return false;
    Add(size);
    return true;
  }
  void Discharge(int64_t size) {
    live_.fetch_sub(size, std::memory_order_relaxed);
  }

  void Free(void* p, size_t bytes) {
    const int c = ClassOf(bytes);
    const int64_t size = kSanitized ? std::max<size_t>(bytes, 1) : SizeOf(c);
    live_.fetch_sub(size, std::memory_order_relaxed);
    if (!kSanitized) {
      Guard guard(lock_);
      if (stats_.cached_bytes + size <= kMaxCachedBytes) {
        auto* block = static_cast<FreeBlock*>(p);
        block->next = free_[c];
        free_[c] = block;
        stats_.cached_bytes += size;
        return;
      }
    }
    std::free(p);
  }

  // The system promises more than it has and ends processes that hold it to
  // its word. What was promised and not touched yet counts as live.
  bool MayHave(int64_t size) const {
    if (size > limit_ - live_.load(std::memory_order_relaxed)) return false;
    return size < kAskedAbout || size <= AvailableMemory();
  }

  PoolStats Stats() {
    Guard guard(lock_);
    PoolStats s = stats_;
    s.live_bytes = live_.load();
    s.peak_bytes = peak_.load();
    return s;
  }

 private:
  Pool() {
    const int64_t pages = sysconf(_SC_PHYS_PAGES);
    const int64_t page = sysconf(_SC_PAGESIZE);
    limit_ = pages > 0 && page > 0 ? pages * page : int64_t{1} << 46;
    OnFork(
        ForkStage::kMemory, [] { Get().lock_.Lock(); },
        [] { Get().lock_.Unlock(); }, [] { Get().lock_.Unlock(); });
  }

  class SpinLock {
   public:
    void Lock() {
      while (flag_.test_and_set(std::memory_order_acquire)) {
        while (flag_.test(std::memory_order_relaxed)) {
        }
      }
    }
    void Unlock() { flag_.clear(std::memory_order_release); }

   private:
    std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
  };
  struct Guard {
    explicit Guard(SpinLock& l) : lock(l) { lock.Lock(); }
    ~Guard() { lock.Unlock(); }
    SpinLock& lock;
  };

  void Add(int64_t size) {
    const int64_t live =
        live_.fetch_add(size, std::memory_order_relaxed) + size;
    int64_t peak = peak_.load(std::memory_order_relaxed);
    while (live > peak && !peak_.compare_exchange_weak(peak, live)) {
    }
  }

  static int ClassOf(size_t bytes) {
    if (bytes <= kMinBlock) return 0;
    const int log = std::bit_width(bytes - 1);  // 2^(log-1) < bytes <= 2^log
    const size_t base = size_t{1} << (log - 1);
    const size_t step = base / 4;
    const int quarter = static_cast<int>((bytes - base + step - 1) / step);
    const int c = (log - 7) * 4 + quarter;
    return c < kClasses ? c : -1;
  }
  static size_t SizeOf(int c) {
    if (c == 0) return kMinBlock;
    const int log = (c - 1) / 4 + 7;
    const int quarter = (c - 1) % 4 + 1;
    const size_t base = size_t{1} << (log - 1);
    return base + base / 4 * quarter;
  }

  SpinLock lock_;
  FreeBlock* free_[kClasses] = {};
  PoolStats stats_;
  std::atomic<int64_t> live_{0}, peak_{0};
  int64_t limit_;
};

class PooledBuffer final : public Buffer {
 public:
  PooledBuffer(void* data, size_t size) : Buffer(data, size) {}
  ~PooledBuffer() override { PoolFree(data_, size_); }
};

template <class T>
class ObjectBuffer final : public Buffer {
 public:
  explicit ObjectBuffer(int64_t n) : Buffer(new T[n], n * sizeof(T)) {}
  ~ObjectBuffer() override { delete[] static_cast<T*>(data_); }
};

// Variants hold tensors of variants: what is let go of within what is let go
// of waits for the outermost, so that no depth of nesting takes stack.
class VariantBuffer final : public Buffer {
 public:
  explicit VariantBuffer(int64_t n)
      : Buffer(new Variant[n], n * sizeof(Variant)) {}
  ~VariantBuffer() override {
    auto* all = static_cast<Variant*>(data_);
    if (level_ >= kMaxLevel && Wait(all)) return;
    ++level_;
    if (level_ == 1) {
      std::vector<Variant*> waiting;
      waiting_ = &waiting;
      delete[] all;
      while (!waiting.empty()) {
        Variant* next = waiting.back();
        waiting.pop_back();
        delete[] next;
      }
      waiting_ = nullptr;
    } else {
      delete[] all;
    }
    --level_;
  }

 private:
  static constexpr int kMaxLevel = 32;
  static bool Wait(Variant* all) {
    try {
      waiting_->push_back(all);
      return true;
    } catch (const std::bad_alloc&) {
      return false;  // then by way of the stack
    }
  }
  // Without destructors: tensors die in those of other threads' data, too.
  static thread_local int level_;
  static thread_local std::vector<Variant*>* waiting_;
};
thread_local int VariantBuffer::level_ = 0;
thread_local std::vector<Variant*>* VariantBuffer::waiting_ = nullptr;

// Objects are touched at once, so what cannot be had is refused before.
template <class T, class B = ObjectBuffer<T>>
Ref<Buffer> NewObjects(int64_t n) {
  int64_t bytes;
  if (__builtin_mul_overflow(n, static_cast<int64_t>(sizeof(T)), &bytes) ||
      !Pool::Get().MayHave(bytes)) {
    return nullptr;
  }
  try {
    return MakeRef<B>(n);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

class ForeignBuffer final : public Buffer {
 public:
  ForeignBuffer(void* data, size_t size, std::function<void()> release)
      : Buffer(data, size, true), release_(std::move(release)) {}
  ~ForeignBuffer() override { release_(); }

 private:
  std::function<void()> release_;
};

}  // namespace

void* PoolAllocate(size_t bytes) { return Pool::Get().Allocate(bytes); }
void PoolFree(void* p, size_t bytes) { Pool::Get().Free(p, bytes); }
bool PoolCharge(size_t bytes) {
  return Pool::Get().Charge(static_cast<int64_t>(bytes));
}
void PoolDischarge(size_t bytes) {
  Pool::Get().Discharge(static_cast<int64_t>(bytes));
}
PoolStats GetPoolStats() { return Pool::Get().Stats(); }

Ref<Buffer> NewPooledBuffer(size_t bytes) {
  void* p = PoolAllocate(bytes);
  if (!p) return nullptr;
  return MakeRef<PooledBuffer>(p, bytes);
}

Ref<Buffer> NewObjectBuffer(DataType dtype, int64_t n) {
  switch (dtype) {
    case DataType::kString:
      return NewObjects<std::string>(n);
    case DataType::kResource:
      return NewObjects<ResourceHandle>(n);
    case DataType::kVariant:
      return NewObjects<Variant, VariantBuffer>(n);
    default:
      return nullptr;
  }
}

Ref<Buffer> NewForeignBuffer(void* data, size_t bytes,
                             std::function<void()> release) {
  return MakeRef<ForeignBuffer>(data, bytes, std::move(release));
}

}  // namespace gk
