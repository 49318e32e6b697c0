// Places of values in sorted rows and between boundaries, of those that are not
// zero, and in which row and column a place is.
//
// Raw memory; rows are sorted by `less`.
#ifndef GK_KERNELS_SEARCH_H_
#define GK_KERNELS_SEARCH_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/interrupt.h"
#include "base/thread_pool.h"

namespace gk {

// How many of a row are before each of the values, which are looked up side by
// side: none waits for the memory that another one asked for. Looks where
// std::lower_bound looks, so that rows that are not sorted have its answers.
template <int kValues, class T, class IsBefore>
void PlacesIn(const T* row, int64_t width, const T* values, IsBefore is_before,
              int64_t* places) {
  int64_t left[kValues];
  std::fill_n(places, kValues, 0);
  std::fill_n(left, kValues, width);
  for (int64_t most = width; most > 0; most /= 2) {
    for (int j = 0; j < kValues; ++j) {
      const int64_t half = left[j] / 2;
      // Beyond the row only where nothing is left.
      const int64_t at = std::min(places[j] + half, width - 1);
      // 0 or 1, with which is computed: a jump would be foreseen half of the
      // time.
      const int64_t before = int64_t{left[j] > 0} &
                             int64_t{is_before(row[at], values[j])};
      places[j] += -before & (half + 1);
      left[j] = half - (before & ~left[j]);
    }
  }
}

// The same for a value that is not less than one whose place is `near`.
template <class T, class IsBefore>
int64_t PlaceFrom(int64_t near, const T* row, int64_t width, const T& value,
                  IsBefore is_before) {
  const T *from = row + near, *to = row + width;
  for (int64_t step = 1; to - from > step; step *= 2) {
    if (!is_before(from[step - 1], value)) {
      to = from + step - 1;
      break;
    }
    from += step;
  }
  return std::partition_point(
             from, to, [&](const T& x) { return is_before(x, value); }) -
         row;
}

// sorted [rows, width], values and out [rows, count]: how many of the row are
// less than the value, or, with kUpper, not greater.
template <bool kUpper, class Less, class T, class Index>
void BoundRows(const T* sorted, const T* values, Index* out, int64_t rows,
               int64_t width, int64_t count, Less less) {
  constexpr int kTogether = std::is_same_v<T, std::string> ? 1 : 8;
  const auto is_before = [&](const T& x, const T& value) {
    return kUpper ? !less(value, x) : less(x, value);
  };
  // No NaN rises, and none is risen from.
  const auto rises = [&](const T& from, const T& to) {
    return !less(to, from) && from == from && to == to;
  };
  ThreadPool::Global().ParallelRange(
      rows * count, 40, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end;) {
          const int64_t r = k / count;
          const T* row = sorted + r * width;
          const int64_t n =
              std::min<int64_t>(kTogether, std::min(end, (r + 1) * count) - k);
          bool rise = k > begin && k % count != 0;
          for (int64_t j = k; rise && j < k + n; ++j) {
            rise = rises(values[j - 1], values[j]);
          }
          int64_t places[kTogether];
          if (rise) {
            // Values that rise are found near the one before.
            int64_t near = static_cast<int64_t>(out[k - 1]);
            for (int64_t j = 0; j < n; ++j) {
              near = PlaceFrom(near, row, width, values[k + j], is_before);
              places[j] = near;
            }
          } else if (n == kTogether) {
            PlacesIn<kTogether>(row, width, values + k, is_before, places);
          } else {
            for (int64_t j = 0; j < n; ++j) {
              PlacesIn<1>(row, width, values + k + j, is_before, places + j);
            }
          }
          for (int64_t j = 0; j < n; ++j) {
            out[k + j] = static_cast<Index>(places[j]);
          }
          k += n;
        }
      });
}

// The row of each place from the first to the last of `splits`, which rise.
template <class T>
void FillRowNumbers(std::span<const T> splits, T* out) {
  TurnPoll poll;
  for (size_t row = 0; row + 1 < splits.size(); ++row) {
    poll();
    out = std::fill_n(out, splits[row + 1] - splits[row],
                      static_cast<T>(row));
  }
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

// What of an element says whether it is zero: its bits, but for the sign of a
// floating point number.
template <class Bits>
struct NonZeroBits {
  const Bits* values;
  Bits mask;
  bool operator()(int64_t i) const { return (values[i] & mask) != 0; }
};
// Both parts of a complex number.
template <class Bits>
struct NonZeroPairs {
  const Bits* values;
  Bits mask;
  bool operator()(int64_t i) const {
    return ((values[2 * i] | values[2 * i + 1]) & mask) != 0;
  }
};

// Elements of one slice of the work on those that are not zero.
inline constexpr int64_t kNonZeroSlice = 1 << 14;

// How many of the n elements are not zero: before each slice, then of all.
template <class Test>
std::vector<int64_t> CountNonZeros(const Test& test, int64_t n,
                                   ThreadPool& pool) {
  const int64_t slices = (n + kNonZeroSlice - 1) / kNonZeroSlice;
  std::vector<int64_t> before(slices + 1);
  pool.ParallelRange(
      slices, kNonZeroSlice / 4, [&](int64_t begin, int64_t end) {
        for (int64_t s = begin; s < end; ++s) {
          const int64_t last = std::min(n, (s + 1) * kNonZeroSlice);
          uint32_t count = 0;
          for (int64_t i = s * kNonZeroSlice; i < last; ++i) count += test(i);
          before[s + 1] = count;
        }
      });
  for (int64_t s = 0; s < slices; ++s) before[s + 1] += before[s];
  return before;
}

// out [before.back(), dims.size()]: the indices of each of them, at least one.
template <class Test>
void PlacesOfNonZeros(const Test& test, std::span<const int64_t> before,
                      std::span<const int64_t> dims, int64_t n, int64_t* out,
                      ThreadPool& pool) {
  const int64_t rank = std::ssize(dims), slices = std::ssize(before) - 1;
  const int64_t width = dims[rank - 1];
  pool.ParallelRange(slices, kNonZeroSlice, [&](int64_t begin, int64_t end) {
    std::vector<int64_t> at(rank);
    for (int64_t s = begin; s < end; ++s) {
      int64_t i = s * kNonZeroSlice;
      const int64_t last = std::min(n, i + kNonZeroSlice);
      int64_t *to = out + before[s] * rank, *stop = out + before[s + 1] * rank;
      while (to < stop) {
        // A part of one row.
        int64_t rest = i / width;
        const int64_t first = rest * width;
        for (int64_t d = rank - 2; d >= 0; --d) {
          at[d] = rest % dims[d];
          rest /= dims[d];
        }
        const int64_t row_end = std::min(last, first + width);
        // What is not wanted is written over: no guess about it can fail.
        if (rank == 1) {
          for (; i < row_end && to < stop; ++i) {
            *to = i;
            to += test(i);
          }
        } else if (rank == 2) {
          for (; i < row_end && to < stop; ++i) {
            to[0] = at[0];
            to[1] = i - first;
            to += test(i) ? 2 : 0;
          }
        } else {
          for (; i < row_end && to < stop; ++i) {
            for (int64_t d = 0; d + 1 < rank; ++d) to[d] = at[d];
            to[rank - 1] = i - first;
            to += test(i) ? rank : 0;
          }
        }
      }
    }
  });
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
      const int64_t size = dims[d];
      int64_t* const to = out + i * by_place + d * by_dim;
      if ((static_cast<uint64_t>(rest | size) >> 32) == 0) {
        // Short divisions take half the time.
        const auto all = static_cast<uint32_t>(rest),
                   by = static_cast<uint32_t>(size);
        *to = all % by;
        rest = all / by;
      } else {
        *to = rest % size;
        rest /= size;
      }
    }
    if (!dims.empty() && rest != 0) out[i * by_place] += rest * dims[0];
  }
}

}  // namespace gk

#endif  // GK_KERNELS_SEARCH_H_
