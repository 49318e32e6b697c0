// Rows reduced by the segment they belong to.
//
// Raw memory; `ids` are checked by the caller and -1 drops a row. Rows of a
// segment are reduced in order, so results do not depend on threads.
#ifndef GK_KERNELS_SEGMENT_H_
#define GK_KERNELS_SEGMENT_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

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

// What sums of rows are divided by: nothing, their number, or its root.
enum class SegmentScale { kSum, kMean, kSqrtN };

template <class C>
C DivisorOf(SegmentScale scale, int64_t rows) {
  if constexpr (std::is_floating_point_v<C>) {
    if (scale == SegmentScale::kMean) return static_cast<C>(rows);
    if (scale == SegmentScale::kSqrtN) return std::sqrt(static_cast<C>(rows));
  }
  return C(1);
}

// Sorted ids: where each of `segments` segments begins, and the last one ends.
inline std::vector<int64_t> SegmentStarts(std::span<const int64_t> ids,
                                          int64_t segments) {
  std::vector<int64_t> starts(segments + 1);
  size_t i = 0;
  for (int64_t s = 0; s <= segments; ++s) {
    while (i < ids.size() && ids[i] < s) ++i;
    starts[s] = static_cast<int64_t>(i);
  }
  return starts;
}

// out [segments, inner]: row s is the sum of the rows of data that rows[k] name
// for k in [starts[s], starts[s + 1]), divided as `scale` says; zeros for none.
template <class T>
void SumPickedRows(const T* data, std::span<const int64_t> rows,
                   std::span<const int64_t> starts, int64_t inner,
                   SegmentScale scale, T* out, ThreadPool& pool) {
  using C = ComputeType<T>;
  const int64_t segments = static_cast<int64_t>(starts.size()) - 1;
  const int64_t each =
      inner * (std::ssize(rows) / std::max<int64_t>(segments, 1) + 1);
  pool.ParallelRange(segments, each, [&](int64_t begin, int64_t end) {
    TurnPoll poll;
    std::vector<C> sums(inner);
    for (int64_t s = begin; s < end; ++s) {
      std::fill(sums.begin(), sums.end(), C());
      for (int64_t k = starts[s]; k < starts[s + 1]; ++k) {
        poll();
        const T* from = data + rows[k] * inner;
        for (int64_t i = 0; i < inner; ++i) {
          sums[i] = static_cast<C>(sums[i] + Convert<C>(from[i]));
        }
      }
      const C divisor =
          DivisorOf<C>(scale, std::max<int64_t>(starts[s + 1] - starts[s], 1));
      for (int64_t i = 0; i < inner; ++i) {
        out[s * inner + i] = Convert<T>(static_cast<C>(sums[i] / divisor));
      }
    }
  });
}

// The transpose of that: out [n, inner] gets, at row rows[k], row ids[k] of
// grad, divided as `scale` says by the number of k with this id.
template <class T>
void AddPickedRows(const T* grad, std::span<const int64_t> rows,
                   std::span<const int64_t> ids, std::span<const int64_t> sizes,
                   int64_t n, int64_t inner, SegmentScale scale, T* out,
                   ThreadPool& pool) {
  using C = ComputeType<T>;
  // Columns are independent: threads share them out, never a row.
  pool.ParallelRange(inner, std::ssize(rows), [&](int64_t begin, int64_t end) {
    const int64_t width = end - begin;
    std::vector<C> sums(n * width);
    TurnPoll poll;
    for (size_t k = 0; k < rows.size(); ++k) {
      poll();
      const C divisor = DivisorOf<C>(scale, sizes[ids[k]]);
      const T* from = grad + ids[k] * inner + begin;
      C* to = sums.data() + rows[k] * width;
      for (int64_t i = 0; i < width; ++i)
        to[i] += Convert<C>(from[i]) / divisor;
    }
    for (int64_t r = 0; r < n; ++r) {
      for (int64_t i = 0; i < width; ++i) {
        out[r * inner + begin + i] = Convert<T>(sums[r * width + i]);
      }
    }
  });
}

}  // namespace gk

#endif  // GK_KERNELS_SEGMENT_H_
