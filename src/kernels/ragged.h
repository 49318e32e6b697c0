// Loops over ragged rows.
//
// Raw memory. Callers have checked sizes.
#ifndef GK_KERNELS_RAGGED_H_
#define GK_KERNELS_RAGGED_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "base/interrupt.h"

namespace gk {

// How many numbers start, start + delta, ... there are before limit; -1 if more
// than int64 counts, or if one of them is no number. delta is not 0.
template <class T>
int64_t RangeLength(T start, T limit, T delta) {
  if constexpr (std::is_integral_v<T>) {
    const auto from = static_cast<__int128>(start),
               to = static_cast<__int128>(limit);
    const auto step = static_cast<__int128>(delta);
    const __int128 way = step > 0 ? to - from : from - to;
    const __int128 stride = step > 0 ? step : -step;
    const __int128 n = way <= 0 ? 0 : (way + stride - 1) / stride;
    return n > std::numeric_limits<int64_t>::max() ? -1
                                                   : static_cast<int64_t>(n);
  } else {
    using F = std::conditional_t<(sizeof(T) < 4), float, T>;
    const F from = static_cast<F>(start), to = static_cast<F>(limit);
    const F step = static_cast<F>(delta);
    if ((step > 0 && to < from) || (step < 0 && to > from)) return 0;
    const F n = std::ceil(std::abs((to - from) / step));
    // The largest number below 2^63 that every type here holds; false of NaN.
    return n < F(9.2e18) ? static_cast<int64_t>(n) : -1;
  }
}

// Rows of such numbers, one after the other. Steps of 0 read one number for all
// rows.
template <class T, class Split>
void FillRanges(const T* starts, int64_t start_step, const T* deltas,
                int64_t delta_step, const Split* splits, int64_t rows, T* out) {
  TurnPoll poll;
  for (int64_t row = 0; row < rows; ++row) {
    poll();
    T value = starts[row * start_step];
    const T delta = deltas[row * delta_step];
    const int64_t end = splits[row + 1];
    for (int64_t i = splits[row]; i < end; ++i) {
      poll();
      out[i] = value;
      if (i + 1 == end) break;
      if constexpr (sizeof(T) < 4) {
        value = static_cast<T>(static_cast<float>(value) +
                               static_cast<float>(delta));
      } else {
        value = static_cast<T>(value + delta);
      }
    }
  }
}

// Where the values of rows go if every row is `width` long: values beyond have
// no place, -1, as those of rows without one.
inline std::vector<int64_t> PlacesInRows(std::span<const int64_t> rows,
                                         std::span<const int64_t> splits,
                                         int64_t width) {
  std::vector<int64_t> places(splits.back());
  TurnPoll poll;
  for (size_t r = 0; r + 1 < splits.size(); ++r) {
    for (int64_t k = splits[r]; k < splits[r + 1]; ++k) {
      poll();
      const int64_t column = k - splits[r];
      places[k] =
          rows[r] < 0 || column >= width ? -1 : rows[r] * width + column;
    }
  }
  return places;
}

inline int64_t LongestRow(std::span<const int64_t> splits) {
  int64_t longest = 0;
  for (size_t r = 0; r + 1 < splits.size(); ++r) {
    longest = std::max(longest, splits[r + 1] - splits[r]);
  }
  return longest;
}

}  // namespace gk

#endif  // GK_KERNELS_RAGGED_H_
