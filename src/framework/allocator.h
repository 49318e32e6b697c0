// Buffers of tensor elements, from a pooling allocator.
//
// Memory is 64-byte aligned. Freed blocks are kept by size class up to a
// bound and used again, because touching fresh pages costs more than most
// kernels. Thread-safe; fork-safe (the lock is held for a few instructions
// only and is reset in the child).
#ifndef GK_FRAMEWORK_ALLOCATOR_H_
#define GK_FRAMEWORK_ALLOCATOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/ref.h"
#include "framework/types.h"

namespace gk {

inline constexpr size_t kAlignment = 64;

// Raw blocks. Allocate returns null when the system has no such amount.
void* PoolAllocate(size_t bytes);
void PoolFree(void* p, size_t bytes);

struct PoolStats {
  int64_t live_bytes = 0;
  int64_t peak_bytes = 0;
  int64_t cached_bytes = 0;
};
PoolStats GetPoolStats();  // for tests of what needs how much memory

// Reference-counted storage of one or more tensors.
class Buffer : public RefCounted {
 public:
  void* data() const { return data_; }
  size_t size() const { return size_; }
  // Does the memory belong to somebody else, who may look at it any time?
  bool is_foreign() const { return foreign_; }
  // Who holds the one reference may write.
  bool IsExclusive() const { return !foreign_ && RefCountIsOne(); }

 protected:
  Buffer(void* data, size_t size, bool foreign = false)
      : data_(data), size_(size), foreign_(foreign) {}
  void* data_;
  size_t size_;

 private:
  const bool foreign_;
};

// Null if the memory cannot be had.
Ref<Buffer> NewPooledBuffer(size_t bytes);
// `n` default-constructed elements of an object type.
Ref<Buffer> NewObjectBuffer(DataType dtype, int64_t n);
// Memory owned elsewhere, which nothing here writes to; `release` runs when
// the last tensor lets go.
Ref<Buffer> NewForeignBuffer(void* data, size_t bytes,
                             std::function<void()> release);

}  // namespace gk

#endif  // GK_FRAMEWORK_ALLOCATOR_H_
