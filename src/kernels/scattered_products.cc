#include "kernels/scattered_products.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <new>

#include "kernels/gemm_block.h"
#include "kernels/transpose.h"

namespace gk {
namespace {

// Below this many multiply-adds a slice costs less than handing it out.
constexpr int64_t kSliceWork = 1 << 18;
// Of a part of b whose rows are not contiguous, and so are copied: it stays in
// the caches.
constexpr int64_t kCopied = 64 << 10;

class Product {
 public:
  explicit Product(const ScatteredProducts& p)
      : p_(p),
        size_(ElementSize(p.type)),
        block_(GemmBlockFor(p.type)),
        copies_(p.b_column != 1),
        columns_(copies_ ? std::min(p.n, ColumnsOfCopy(p.k, size_)) : p.n) {
    if (copies_) transpose_ = TransposeTileFor(size_);
  }

  int64_t room() const { return copies_ ? size_ * p_.k * columns_ : 0; }

  // The product `i`; `room` is for what is copied.
  void operator()(int64_t i, std::byte* room) const {
    const std::byte* a = At(p_.a, p_.a_at[i]);
    const std::byte* b = At(p_.b, p_.b_at[i]);
    std::byte* c = At(p_.c, p_.c_at[i]);
    for (int64_t first = 0; first < p_.n; first += columns_) {
      const int64_t n = std::min(columns_, p_.n - first);
      const std::byte* part = At(b, first * p_.b_column);
      int64_t row = p_.b_k;
      if (copies_) {
        transpose_(part, p_.b_column, room, n, p_.k, n);
        part = room, row = n;
      }
      block_({a, p_.a_row, p_.a_k, part, row, At(c, first), p_.c_row, p_.m, n,
              p_.k, false});
    }
  }

 private:
  static int64_t ColumnsOfCopy(int64_t k, int64_t size) {
    return std::max<int64_t>(
        16, kCopied / (size * std::max<int64_t>(1, k)) / 16 * 16);
  }
  const std::byte* At(const void* base, int64_t elements) const {
    return static_cast<const std::byte*>(base) + size_ * elements;
  }
  std::byte* At(void* base, int64_t elements) const {
    return static_cast<std::byte*>(base) + size_ * elements;
  }

  const ScatteredProducts& p_;
  const int64_t size_;
  const GemmBlockFn block_;
  const bool copies_;
  const int64_t columns_;
  TransposeTileFn transpose_ = nullptr;
};

// Each result lies behind the one before.
bool AreInOrder(const ScatteredProducts& p) {
  if (p.c_row != p.n) return false;
  for (size_t i = 0; i < p.c_at.size(); ++i) {
    if (p.c_at[i] != static_cast<int64_t>(i) * p.m * p.n) return false;
  }
  return true;
}

}  // namespace

bool IsForScatteredProducts(ElementType type, int64_t m, int64_t k, int64_t n) {
  return GemmBlockFor(type) != nullptr && m <= 512 && k <= 256 && n <= 512;
}

Status RunProducts(const ScatteredProducts& p, Parallel parallel,
                   const PartDone* done) {
  if (done != nullptr && !AreInOrder(p)) done = nullptr;
  const Product product(p);
  const int64_t count = static_cast<int64_t>(p.c_at.size());
  const int64_t work = std::max<int64_t>(1, p.m * p.k * p.n);
  const int64_t step = std::max<int64_t>(1, kSliceWork / work);
  std::atomic<bool> failed = false;
  parallel.For((count + step - 1) / step, [&](int64_t slice) {
    std::unique_ptr<std::byte[]> room;
    if (product.room() > 0) {
      room.reset(new (std::nothrow) std::byte[product.room()]);
      if (room == nullptr) {
        failed.store(true, std::memory_order_relaxed);
        return;
      }
    }
    const int64_t end = std::min(count, (slice + 1) * step);
    for (int64_t i = slice * step; i < end; ++i) product(i, room.get());
    if (done == nullptr) return;
    (*done)(slice * step * p.m * p.n, (end - slice * step) * p.m * p.n);
  });
  return failed ? ResourceExhausted("out of memory in a matrix product")
                : OkStatus();
}

}  // namespace gk
