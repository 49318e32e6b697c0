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
  if constexpr (std::is_integral_v<T> && sizeof(T) <= 4) {
    const int64_t way = delta > 0 ? int64_t{limit} - start
                                  : int64_t{start} - limit,
                  stride = delta > 0 ? int64_t{delta} : -int64_t{delta};
    return way <= 0 ? 0 : stride == 1 ? way : (way + stride - 1) / stride;
  } else if constexpr (std::is_integral_v<T>) {
    const auto from = static_cast<__int128>(start),
               to = static_cast<__int128>(limit);
    const auto step = static_cast<__int128>(delta);
    const __int128 way = step > 0 ? to - from : from - to;
    const __int128 stride = step > 0 ? step : -step;
    const __int128 n = way <= 0      ? 0
                       : stride == 1 ? way
                                     : (way + stride - 1) / stride;
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

// value, value + delta, ..., and what would follow. Not inline: beside calls
// both would lie in memory.
template <class T>
[[gnu::noinline]] T FillSums(T value, T delta, int64_t n, T* out) {
  for (int64_t i = 0; i < n; ++i) {
    out[i] = value;
    if constexpr (sizeof(T) < 4) {
      value =
          static_cast<T>(static_cast<float>(value) + static_cast<float>(delta));
    } else {
      value += delta;
    }
  }
  return value;
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
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      constexpr int64_t kPiece = 1 << 20;
      U number = static_cast<U>(value);
      for (int64_t i = splits[row]; i < end;) {
        const int64_t stop = std::min(end, i + kPiece);
        for (; i < stop; ++i) {
          out[i] = static_cast<T>(number);
          number += static_cast<U>(delta);
        }
        if (i < end) PollInterrupt();
      }
    } else {
      constexpr int64_t kPiece = 1 << 16;
      for (int64_t i = splits[row]; i < end; i += kPiece) {
        if (i > splits[row]) PollInterrupt();
        value = FillSums(value, delta, std::min(end - i, kPiece), out + i);
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

// Copies the values of rows to where they go, as PlacesInRows has it, blocks of
// `elements` each.
template <class T>
void PutRows(const T* from, std::span<const int64_t> rows,
             std::span<const int64_t> splits, int64_t width, int64_t elements,
             T* out) {
  TurnPoll poll;
  for (size_t r = 0; r + 1 < splits.size(); ++r) {
    poll();
    if (rows[r] < 0) continue;
    const int64_t held = std::min(splits[r + 1] - splits[r], width);
    const T* const row = from + splits[r] * elements;
    T* const to = out + rows[r] * width * elements;
    for (int64_t k = 0; k < held * elements; ++k) to[k] = row[k];
  }
}

// Copies the values of the rows that are named, blocks of `elements` each, one
// after the other.
template <class T>
void TakeRows(const T* from, std::span<const int64_t> rows,
              std::span<const int64_t> splits, int64_t elements, T* to) {
  TurnPoll poll;
  for (const int64_t r : rows) {
    poll();
    const T* const row = from + splits[r] * elements;
    const int64_t n = (splits[r + 1] - splits[r]) * elements;
    for (int64_t k = 0; k < n; ++k) to[k] = row[k];
    to += n;
  }
}

// out [values, coordinates]: where the values of nested rows, the outermost
// first, are, and every element of each, `inner` sizes.
inline void PlacesOfValues(std::span<const std::vector<int64_t>> nested,
                           std::span<const int64_t> inner, int64_t* out) {
  // The coordinates of the innermost rows.
  std::vector<int64_t> prefixes, next;
  const auto levels = std::ssize(nested);
  for (int64_t r = 0; r + 1 < std::ssize(nested[0]); ++r) prefixes.push_back(r);
  TurnPoll poll;
  for (int64_t d = 1; d < levels; ++d) {
    const std::vector<int64_t>& splits = nested[d - 1];
    next.clear();
    next.reserve(splits.back() * (d + 1));
    for (int64_t r = 0; r + 1 < std::ssize(splits); ++r) {
      for (int64_t k = 0; k < splits[r + 1] - splits[r]; ++k) {
        poll();
        next.insert(next.end(), prefixes.begin() + r * d,
                    prefixes.begin() + (r + 1) * d);
        next.push_back(k);
      }
    }
    prefixes.swap(next);
  }
  const std::vector<int64_t>& splits = nested.back();
  int64_t elements = 1;
  for (int64_t size : inner) elements *= size;
  if (levels == 1 && inner.empty()) {
    for (int64_t r = 0; r + 1 < std::ssize(splits); ++r) {
      for (int64_t k = 0; k < splits[r + 1] - splits[r]; ++k, out += 2) {
        poll();
        out[0] = r;
        out[1] = k;
      }
    }
    return;
  }
  std::vector<int64_t> at(inner.size());
  for (int64_t r = 0; r + 1 < std::ssize(splits); ++r) {
    for (int64_t k = 0; k < splits[r + 1] - splits[r]; ++k) {
      for (int64_t e = 0; e < elements; ++e) {
        poll();
        out = std::copy_n(prefixes.begin() + r * levels, levels, out);
        *out++ = k;
        out = std::copy(at.begin(), at.end(), out);
        for (size_t d = inner.size(); d-- > 0;) {
          if (++at[d] < inner[d]) break;
          at[d] = 0;
        }
      }
    }
  }
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
