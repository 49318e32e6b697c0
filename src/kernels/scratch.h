// Reusable working memory for prepared kernels.
//
// ScratchPool keeps a few buffers of one fixed size; Take() hands one out for
// the length of a call and gives it back on destruction. Warm calls allocate
// nothing; concurrent calls beyond the kept ones allocate. Thread-safe.
#ifndef GK_KERNELS_SCRATCH_H_
#define GK_KERNELS_SCRATCH_H_

#include <cstddef>
#include <cstdint>
#include <new>

#include "base/idle_cells.h"

namespace gk {

class ScratchPool {
 public:
  explicit ScratchPool(int64_t bytes) : bytes_(bytes) {}
  ScratchPool(const ScratchPool&) = delete;
  ScratchPool& operator=(const ScratchPool&) = delete;
  ~ScratchPool() {
    while (std::byte* p = idle_.Take()) Free(p);
  }

  class Lease {
   public:
    explicit Lease(ScratchPool* pool) : pool_(pool), data_(pool->Get()) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { pool_->Put(data_); }
    // Null when there is no memory, or when the size is zero.
    std::byte* data() const { return data_; }

   private:
    ScratchPool* pool_;
    std::byte* data_;
  };

  Lease Take() { return Lease(this); }
  int64_t bytes() const { return bytes_; }

 private:
  static constexpr std::align_val_t kAlign{64};
  static void Free(std::byte* p) { ::operator delete(p, kAlign); }
  std::byte* Get() {
    if (bytes_ == 0) return nullptr;
    if (std::byte* p = idle_.Take()) return p;
    return static_cast<std::byte*>(
        ::operator new(bytes_, kAlign, std::nothrow));
  }
  void Put(std::byte* p) {
    if (p != nullptr && !idle_.Give(p)) Free(p);
  }

  const int64_t bytes_;
  IdleCells<std::byte> idle_;
};

}  // namespace gk

#endif  // GK_KERNELS_SCRATCH_H_
