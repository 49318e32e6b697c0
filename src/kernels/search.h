// Places of values in sorted rows and between boundaries.
//
// Raw memory; rows are sorted by `less`.
#ifndef GK_KERNELS_SEARCH_H_
#define GK_KERNELS_SEARCH_H_

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/interrupt.h"
#include "base/thread_pool.h"

namespace gk {

// sorted [rows, width], values and out [rows, count]: how many of the row are
// less than the value, or, with kUpper, not greater.
template <bool kUpper, class Less, class T, class Index>
void BoundRows(const T* sorted, const T* values, Index* out, int64_t rows,
               int64_t width, int64_t count, Less less) {
  ThreadPool::Global().ParallelRange(
      rows * count, 40, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; ++k) {
          const T* row = sorted + k / count * width;
          const T* at =
              kUpper ? std::upper_bound(row, row + width, values[k], less)
                     : std::lower_bound(row, row + width, values[k], less);
          out[k] = static_cast<Index>(at - row);
        }
      });
}

// The number of the first boundary that is greater than each of n values; none
// is greater than NaN.
template <class T>
void Bucketize(std::span<const float> boundaries, const T* values, int64_t n,
               int32_t* out) {
  TurnPoll poll;
  for (int64_t i = 0; i < n; ++i) {
    poll();
    const auto at = std::partition_point(
        boundaries.begin(), boundaries.end(),
        [&](float b) { return !(values[i] < static_cast<T>(b)); });
    out[i] = static_cast<int32_t>(at - boundaries.begin());
  }
}

}  // namespace gk

#endif  // GK_KERNELS_SEARCH_H_
