// Places of values in sorted rows and between boundaries, of those that are not
// zero, and in which row and column a place is.
//
// Raw memory; rows are sorted by `less`.
#ifndef GK_KERNELS_SEARCH_H_
#define GK_KERNELS_SEARCH_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/half.h"
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

// The places of the values that are not zero.
template <class T>
std::vector<int64_t> PlacesOfNonZeros(std::span<const T> values) {
  std::vector<int64_t> found;
  TurnPoll poll;
  for (size_t i = 0; i < values.size(); ++i) {
    poll();
    bool is_zero;
    if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) {
      is_zero = static_cast<float>(values[i]) == 0;
    } else {
      is_zero = values[i] == T();
    }
    if (!is_zero) found.push_back(static_cast<int64_t>(i));
  }
  return found;
}

// Index d of place i in an array of these dimensions: out[i * by_place + d *
// by_dim]. What goes beyond the first dimension is added to its index.
inline void Unravel(std::span<const int64_t> places,
                    std::span<const int64_t> dims, int64_t by_place,
                    int64_t by_dim, int64_t* out) {
  const int64_t n = static_cast<int64_t>(places.size());
  TurnPoll poll;
  for (int64_t i = 0; i < n; ++i) {
    poll();
    int64_t rest = places[i];
    for (int64_t d = static_cast<int64_t>(dims.size()) - 1; d >= 0; --d) {
      out[i * by_place + d * by_dim] = rest % dims[d];
      rest /= dims[d];
    }
    if (!dims.empty() && rest != 0) out[i * by_place] += rest * dims[0];
  }
}

}  // namespace gk

#endif  // GK_KERNELS_SEARCH_H_
