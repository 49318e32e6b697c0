// Rows reduced by the segment they belong to.
//
// Raw memory; `ids` are checked by the caller and -1 drops a row. Rows of a
// segment are reduced in order, so results do not depend on threads.
#ifndef GK_KERNELS_SEGMENT_H_
#define GK_KERNELS_SEGMENT_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "base/interrupt.h"
#include "base/thread_pool.h"
#include "kernels/elementwise.h"

namespace gk {

enum class SegmentOp { kSum, kProd, kMax, kMin };

template <SegmentOp kOp, class C>
GK_INLINE C SegmentCombine(C a, C b) {
  if constexpr (kOp == SegmentOp::kSum) {
    return static_cast<C>(a + b);
  } else if constexpr (kOp == SegmentOp::kProd) {
    return static_cast<C>(a * b);
  } else if constexpr (kOp == SegmentOp::kMax) {
    return a < b || b != b ? b : a;
  } else {
    return b < a || b != b ? b : a;
  }
}

// out [segments, inner] holds the starting values; data [rows, inner].
template <SegmentOp kOp, class T>
void ReduceSegments(const T* data, const int64_t* ids, int64_t rows,
                    int64_t inner, T* out, ThreadPool& pool) {
  using C = ComputeType<T>;
  // Columns are independent: threads share them out, never a segment.
  pool.ParallelRange(inner, rows, [&](int64_t begin, int64_t end) {
    TurnPoll poll;
    for (int64_t r = 0; r < rows; ++r) {
      poll();
      if (ids[r] < 0) continue;
      const T* from = data + r * inner;
      T* to = out + ids[r] * inner;
      for (int64_t i = begin; i < end; ++i) {
        to[i] = Convert<T>(
            SegmentCombine<kOp, C>(Convert<C>(to[i]), Convert<C>(from[i])));
      }
    }
  });
}

// Sorted ids: divides the rows of out by the sizes of their segments.
template <class T>
void DivideBySizes(std::span<const int64_t> ids, int64_t inner, T* out) {
  using C = ComputeType<T>;
  for (size_t i = 0; i < ids.size();) {
    size_t end = i;
    while (end < ids.size() && ids[end] == ids[i]) ++end;
    const C count = static_cast<C>(end - i);
    T* row = out + ids[i] * inner;
    for (int64_t k = 0; k < inner; ++k) {
      row[k] = Convert<T>(C(Convert<C>(row[k]) / count));
    }
    i = end;
  }
}

// Fills the rows of out that ids name.
template <class T>
void FillRows(std::span<const int64_t> ids, int64_t inner, T value, T* out) {
  TurnPoll poll;
  for (int64_t id : ids) {
    poll();
    std::fill_n(out + id * inner, inner, value);
  }
}

}  // namespace gk

#endif  // GK_KERNELS_SEGMENT_H_
