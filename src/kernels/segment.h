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
    // Without a jump, so that rows vectorise.
    const C larger = b > a ? b : a;
    return b != b ? b : larger;
  } else {
    const C smaller = b < a ? b : a;
    return b != b ? b : smaller;
  }
}

// Numbers of segments as a tensor holds them, 32 or 64 bits wide.
struct SegmentIds {
  const void* data;
  bool wide;
  int64_t size;
  int64_t operator[](int64_t i) const {
    return wide ? static_cast<const int64_t*>(data)[i]
                : static_cast<const int32_t*>(data)[i];
  }
};

// Combines a row with what a segment holds.
template <SegmentOp kOp, class T>
GK_INLINE void CombineRow(const T* from, int64_t inner, T* to) {
  using C = ComputeType<T>;
#pragma GCC ivdep
  for (int64_t i = 0; i < inner; ++i) {
    to[i] = Convert<T>(
        SegmentCombine<kOp, C>(Convert<C>(to[i]), Convert<C>(from[i])));
  }
}

// Rows of one element.
template <SegmentOp kOp, class T, class Id>
void ReduceNumbers(const T* data, const Id* ids, int64_t size, T* out) {
  constexpr int64_t kTurns = 1 << 15;
  for (int64_t begin = 0; begin < size; begin += kTurns) {
    PollInterrupt();
    const int64_t end = std::min(size, begin + kTurns);
    for (int64_t r = begin; r < end; ++r) {
      if (ids[r] >= 0) CombineRow<kOp>(data + r, 1, out + ids[r]);
    }
  }
}

// out [segments, inner] holds the starting values; data [ids.size, inner].
template <SegmentOp kOp, class T>
void ReduceSegments(const T* data, const SegmentIds& ids, int64_t inner,
                    int64_t segments, T* out, ThreadPool& pool) {
  if (inner == 1 && ids.wide) {
    return ReduceNumbers<kOp>(data, static_cast<const int64_t*>(ids.data),
                              ids.size, out);
  }
  if (inner == 1) {
    return ReduceNumbers<kOp>(data, static_cast<const int32_t*>(ids.data),
                              ids.size, out);
  }
  // Segments are independent: threads share them out, each of which reads all
  // ids, so long rows alone make it worth while.
  const int64_t slices =
      std::clamp<int64_t>(std::min(inner / 16, segments), 1, 8);
  pool.ParallelRange(slices, ids.size * (2 + inner / 4) / slices,
                     [&](int64_t begin, int64_t end) {
                       const int64_t first = segments * begin / slices,
                                     last = segments * end / slices;
                       TurnPoll poll;
                       for (int64_t r = 0; r < ids.size; ++r) {
                         poll();
                         const int64_t id = ids[r];
                         if (id < first || id >= last) continue;
                         CombineRow<kOp>(data + r * inner, inner,
                                         out + id * inner);
                       }
                     });
}

// Numbers side by side, by several results under way: their number is fixed, so
// that the order of all steps is.
template <SegmentOp kOp, class T>
GK_INLINE ComputeType<T> CombineRun(const T* from, int64_t n) {
  using C = ComputeType<T>;
  constexpr int64_t kLanes = 16;
  C out = Convert<C>(from[0]);
  int64_t i = 1;
  if (n > kLanes) {
    C lanes[kLanes];
    for (int64_t l = 0; l < kLanes; ++l) lanes[l] = Convert<C>(from[l]);
    for (i = kLanes; i + kLanes <= n; i += kLanes) {
      for (int64_t l = 0; l < kLanes; ++l) {
        lanes[l] = SegmentCombine<kOp, C>(lanes[l], Convert<C>(from[i + l]));
      }
    }
    for (int64_t width = kLanes / 2; width > 0; width /= 2) {
      for (int64_t l = 0; l < width; ++l) {
        lanes[l] = SegmentCombine<kOp, C>(lanes[l], lanes[l + width]);
      }
    }
    out = lanes[0];
  }
  for (; i < n; ++i) out = SegmentCombine<kOp, C>(out, Convert<C>(from[i]));
  return out;
}

// n rows combined in their order, four at a time: what they are combined with
// is read and written as often only.
template <SegmentOp kOp, class T>
void CombineRows(const T* from, int64_t n, int64_t inner, T* to) {
  using C = ComputeType<T>;
  const auto with = [](T a, T b) {
    return Convert<T>(SegmentCombine<kOp, C>(Convert<C>(a), Convert<C>(b)));
  };
  if (n < 4) {
    std::copy_n(from, inner, to);
    for (int64_t k = 1; k < n; ++k)
      CombineRow<kOp>(from + k * inner, inner, to);
    return;
  }
  const T *a = from, *b = a + inner, *c = b + inner, *d = c + inner;
#pragma GCC ivdep
  for (int64_t i = 0; i < inner; ++i) {
    to[i] = with(with(with(a[i], b[i]), c[i]), d[i]);
  }
  int64_t k = 4;
  for (; k + 4 <= n; k += 4) {
    a = from + k * inner, b = a + inner, c = b + inner, d = c + inner;
#pragma GCC ivdep
    for (int64_t i = 0; i < inner; ++i) {
      to[i] = with(with(with(with(to[i], a[i]), b[i]), c[i]), d[i]);
    }
  }
  for (; k < n; ++k) CombineRow<kOp>(from + k * inner, inner, to);
}

// Where the run of ids equal to that at r ends: of ids that are sorted.
template <class Id>
int64_t EndOfSegment(const Id* ids, int64_t r, int64_t n) {
  const Id id = ids[r];
  // Eight at a time, then one by one.
  while (r + 8 <= n && ids[r + 7] == id) r += 8;
  while (r < n && ids[r] == id) ++r;
  return r;
}
inline int64_t EndOfSegment(const SegmentIds& ids, int64_t r) {
  return ids.wide
             ? EndOfSegment(static_cast<const int64_t*>(ids.data), r, ids.size)
             : EndOfSegment(static_cast<const int32_t*>(ids.data), r, ids.size);
}

// Of sorted ids: out [.., inner] holds what segments without rows do. Means
// are divided by the number of rows.
template <SegmentOp kOp, bool kMean, class T>
void ReduceSortedSegments(const T* data, const SegmentIds& ids, int64_t inner,
                          T* out, ThreadPool& pool) {
  using C = ComputeType<T>;
  // A slice has the segments that begin in its rows.
  const int64_t kRows =
      std::max<int64_t>(1, 8192 / std::max<int64_t>(inner, 1));
  const int64_t slices = (ids.size + kRows - 1) / kRows;
  pool.ParallelRange(slices, kRows * inner, [&](int64_t begin, int64_t end) {
    TurnPoll poll;
    int64_t r = begin * kRows;
    const int64_t stop = std::min(ids.size, end * kRows);
    while (r > 0 && r < stop && ids[r] == ids[r - 1]) ++r;
    while (r < stop) {
      poll();
      const int64_t first = r, id = ids[r];
      r = EndOfSegment(ids, r);
      T* to = out + id * inner;
      const C count = static_cast<C>(r - first);
      if (inner == 1) {
        C value = CombineRun<kOp>(data + first, r - first);
        if constexpr (kMean) value = static_cast<C>(value / count);
        *to = Convert<T>(value);
        continue;
      }
      CombineRows<kOp>(data + first * inner, r - first, inner, to);
      if constexpr (!kMean) continue;
      for (int64_t i = 0; i < inner; ++i) {
        to[i] = Convert<T>(static_cast<C>(Convert<C>(to[i]) / count));
      }
    }
  });
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
  constexpr bool kInPlace = std::is_same_v<C, T>;
  // Threads share out the rows; each of them reads all names, so long rows
  // alone make it worth while.
  const int64_t slices = std::clamp<int64_t>(std::min(inner / 16, n), 1, 8);
  pool.ParallelRange(
      slices, std::ssize(rows) * (2 + inner / 4) / slices,
      [&](int64_t begin, int64_t end) {
        const int64_t first = n * begin / slices, last = n * end / slices;
        std::vector<C> wide(kInPlace ? 0 : (last - first) * inner);
        C* sums = wide.data();
        if constexpr (kInPlace) {
          sums = out + first * inner;
          std::fill_n(sums, (last - first) * inner, C());
        }
        TurnPoll poll;
        for (size_t k = 0; k < rows.size(); ++k) {
          poll();
          if (rows[k] < first || rows[k] >= last) continue;
          const C factor = C(1) / DivisorOf<C>(scale, sizes[ids[k]]);
          const T* from = grad + ids[k] * inner;
          C* to = sums + (rows[k] - first) * inner;
#pragma GCC ivdep
          for (int64_t i = 0; i < inner; ++i) {
            to[i] += Convert<C>(from[i]) * factor;
          }
        }
        if constexpr (!kInPlace) {
          std::transform(wide.begin(), wide.end(), out + first * inner,
                         [](C sum) { return Convert<T>(sum); });
        }
      });
}

}  // namespace gk

#endif  // GK_KERNELS_SEGMENT_H_
