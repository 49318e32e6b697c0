// Copies between two arrays that are walked with any strides: the one loop
// behind slices, concatenation, padding, tiling, broadcasts and reversals.
//
// A box is described axis by axis, outermost first; axes that continue each
// other are merged. Raw memory; T is the element or bytes of its size.
#ifndef GK_KERNELS_STRIDED_COPY_H_
#define GK_KERNELS_STRIDED_COPY_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/inlined_vector.h"
#include "base/thread_pool.h"

namespace gk {

class StridedBox {
 public:
  // Strides are in elements and may be 0 (repeat) or negative.
  void AddAxis(int64_t extent, int64_t from_stride, int64_t to_stride) {
    if (extent == 0) empty_ = true;
    if (extent == 1) return;
    if (!extents_.empty() && from_.back() == from_stride * extent &&
        to_.back() == to_stride * extent) {
      extents_.back() *= extent;
      from_.back() = from_stride;
      to_.back() = to_stride;
      return;
    }
    extents_.push_back(extent);
    from_.push_back(from_stride);
    to_.push_back(to_stride);
  }

  template <class T>
  void Copy(const T* from, T* to, ThreadPool& pool) const {
    if (empty_) return;
    if (extents_.empty()) {
      *to = *from;
      return;
    }
    const int inner = extents_.size() - 1;
    const int64_t width = extents_[inner];
    int64_t rows = 1;
    for (int i = 0; i < inner; ++i) rows *= extents_[i];
    constexpr int64_t kCost = std::is_trivially_copyable_v<T> ? 1 : 20;
    if (rows == 1) {
      constexpr int64_t kBlock = 1 << 14;
      pool.ParallelRange((width + kBlock - 1) / kBlock, kBlock * kCost / 2,
                         [&](int64_t begin, int64_t end) {
                           const int64_t at = begin * kBlock;
                           Row(from + at * from_[0], to + at * to_[0],
                               std::min(width, end * kBlock) - at);
                         });
      return;
    }
    pool.ParallelRange(
        rows, width * kCost / 2 + 4,
        [&](int64_t begin, int64_t end) { Rows(from, to, begin, end); });
  }

 private:
  template <class T>
  void Rows(const T* from, T* to, int64_t begin, int64_t end) const {
    const int inner = extents_.size() - 1;
    InlinedVector<int64_t, 8> index;
    index.resize(inner);
    int64_t rest = begin;
    for (int d = inner - 1; d >= 0; --d) {
      index[d] = rest % extents_[d];
      rest /= extents_[d];
      from += index[d] * from_[d];
      to += index[d] * to_[d];
    }
    for (int64_t row = begin; row < end; ++row) {
      Row(from, to, extents_[inner]);
      for (int d = inner - 1; d >= 0; --d) {
        from += from_[d];
        to += to_[d];
        if (++index[d] < extents_[d]) break;
        from -= from_[d] * extents_[d];
        to -= to_[d] * extents_[d];
        index[d] = 0;
      }
    }
  }

  template <class T>
  void Row(const T* from, T* to, int64_t n) const {
    const int64_t s = from_.back(), d = to_.back();
    if (d == 1 && s == 1) {
      std::copy_n(from, n, to);
    } else if (d == 1 && s == 0) {
      std::fill_n(to, n, *from);
    } else {
      for (int64_t i = 0; i < n; ++i) to[i * d] = from[i * s];
    }
  }

  InlinedVector<int64_t, 8> extents_, from_, to_;
  bool empty_ = false;
};

}  // namespace gk

#endif  // GK_KERNELS_STRIDED_COPY_H_
