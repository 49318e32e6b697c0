// Loops over sparse tensors: n places of `rank` coordinates each, and a value
// at each place.
//
// Raw memory. Where nothing else is said callers have checked the places.
#ifndef GK_KERNELS_SPARSE_H_
#define GK_KERNELS_SPARSE_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/interrupt.h"
#include "base/thread_pool.h"

namespace gk {

struct Places {
  const int64_t* data;
  int64_t n;
  int64_t rank;

  std::span<const int64_t> operator[](int64_t i) const {
    return {data + i * rank, static_cast<size_t>(rank)};
  }
};

// Which of two places comes first, row by row: < 0, 0 or > 0.
inline int ComparePlaces(std::span<const int64_t> a,
                         std::span<const int64_t> b) {
  for (size_t d = 0; d < a.size(); ++d) {
    if (a[d] != b[d]) return a[d] < b[d] ? -1 : 1;
  }
  return 0;
}

// Do the places come row by row?
inline bool AreRowMajor(const Places& places) {
  TurnPoll poll;
  if (places.rank == 2) {
    const int64_t* at = places.data;
    // Some at a time without a jump.
    constexpr int64_t kSome = 256;
    for (int64_t i = 1; i < places.n; i += kSome) {
      poll();
      bool falls = false;
      const int64_t end = std::min(places.n, i + kSome);
      for (int64_t k = i; k < end; ++k, at += 2) {
        falls |= (at[2] < at[0]) | ((at[2] == at[0]) & (at[3] < at[1]));
      }
      if (falls) return false;
    }
    return true;
  }
  for (int64_t i = 1; i < places.n; ++i) {
    poll();
    if (ComparePlaces(places[i], places[i - 1]) < 0) return false;
  }
  return true;
}

// Numbers that rise with the places, row by row; none if they are too large.
inline std::vector<uint64_t> KeysOfPlaces(const Places& places) {
  std::vector<int64_t> most(places.rank);
  TurnPoll poll;
  for (int64_t i = 0; i < places.n; ++i) {
    poll();
    for (int64_t d = 0; d < places.rank; ++d) {
      const int64_t at = places.data[i * places.rank + d];
      if (at < 0) return {};
      most[d] = std::max(most[d], at);
    }
  }
  uint64_t count = 1;
  for (int64_t m : most) {
    if (__builtin_mul_overflow(count, static_cast<uint64_t>(m) + 1, &count)) {
      return {};
    }
  }
  std::vector<uint64_t> keys(places.n);
  for (int64_t i = 0; i < places.n; ++i) {
    poll();
    uint64_t key = 0;
    for (int64_t d = 0; d < places.rank; ++d) {
      key = key * (most[d] + 1) + places.data[i * places.rank + d];
    }
    keys[i] = key;
  }
  return keys;
}

// The order of the keys, equal ones as they were: by eleven bits at a time, the
// least first.
inline std::vector<int64_t> OrderOfKeys(const std::vector<uint64_t>& keys) {
  const int64_t n = std::ssize(keys);
  constexpr int kBits = 11;
  uint64_t most = 0;
  for (uint64_t key : keys) most |= key;
  std::vector<int64_t> order(n), next(n);
  std::iota(order.begin(), order.end(), int64_t{0});
  TurnPoll poll;
  for (int shift = 0; shift < 64 && (most >> shift) != 0; shift += kBits) {
    int64_t starts[1 << kBits] = {};
    const auto digit = [&](int64_t i) {
      return (keys[i] >> shift) & ((1 << kBits) - 1);
    };
    for (int64_t i = 0; i < n; ++i) ++starts[digit(i)];
    int64_t at = 0;
    for (int64_t& start : starts) at += std::exchange(start, at);
    for (int64_t i : order) {
      poll();
      next[starts[digit(i)]++] = i;
    }
    order.swap(next);
  }
  return order;
}

// The numbers of the places, row by row; of equal ones the first comes first.
inline std::vector<int64_t> RowMajorOrder(const Places& places) {
  const bool sorted = AreRowMajor(places);
  if (!sorted && places.n > 256) {
    const std::vector<uint64_t> keys = KeysOfPlaces(places);
    if (!keys.empty()) return OrderOfKeys(keys);
  }
  std::vector<int64_t> order(places.n);
  std::iota(order.begin(), order.end(), int64_t{0});
  if (sorted) return order;
  TurnPoll poll;
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    poll();
    return ComparePlaces(places[a], places[b]) < 0;
  });
  return order;
}

// The first place that is not in an array of these sizes, or -1.
inline int64_t FirstOutside(const Places& places,
                            std::span<const int64_t> sizes) {
  TurnPoll poll;
  if (places.rank == 2) {
    const int64_t* at = places.data;
    for (int64_t i = 0; i < places.n; ++i, at += 2) {
      poll();
      if (at[0] < 0 || at[0] >= sizes[0] || at[1] < 0 || at[1] >= sizes[1]) {
        return i;
      }
    }
    return -1;
  }
  for (int64_t i = 0; i < places.n; ++i) {
    poll();
    for (int64_t d = 0; d < places.rank; ++d) {
      if (places[i][d] < 0 || places[i][d] >= sizes[d]) return i;
    }
  }
  return -1;
}

// Rows picked by number: to[i] = from[order[i]], of `width` elements each.
template <class T>
void PickRows(const T* from, std::span<const int64_t> order, int64_t width,
              T* to) {
  TurnPoll poll;
  for (size_t i = 0; i < order.size(); ++i) {
    poll();
    if (width == 1) {
      to[i] = from[order[i]];
    } else {
      std::copy_n(from + order[i] * width, width, to + i * width);
    }
  }
}

// Copies places, `by` further along dimension `axis`.
inline void ShiftPlaces(const Places& places, int64_t axis, int64_t by,
                        int64_t* to) {
  std::copy_n(places.data, places.n * places.rank, to);
  for (int64_t i = 0; i < places.n; ++i) to[i * places.rank + axis] += by;
}

// The numbers of elements at the places of an array of these sizes.
inline void FlatPlaces(const Places& places, std::span<const int64_t> sizes,
                       int64_t* flat) {
  TurnPoll poll;
  for (int64_t i = 0; i < places.n; ++i) {
    poll();
    int64_t at = 0;
    for (int64_t d = 0; d < places.rank; ++d) {
      at = at * sizes[d] + places[i][d];
    }
    flat[i] = at;
  }
}

// The numbers of elements at the places of an array of these sizes, none below
// 0, some at a time: use(first place, numbers). False, and no more of them,
// once a place is outside or, with `rising`, not behind the one before.
template <class I, class Use>
bool VisitFlatPlaces(const I* at, int64_t n, std::span<const int64_t> sizes,
                     bool rising, Use&& use) {
  constexpr int64_t kSome = 512;
  int64_t flat[kSome], last = -1;
  const int64_t rank = std::ssize(sizes);
  TurnPoll poll;
  for (int64_t first = 0; first < n; first += kSome, at += kSome * rank) {
    poll();
    const int64_t some = std::min(kSome, n - first);
    // Numbers below 0 are large without a sign.
    uint64_t outside = 0;
    if (rank == 2) {
      const auto rows = static_cast<uint64_t>(sizes[0]),
                 columns = static_cast<uint64_t>(sizes[1]);
      for (int64_t i = 0; i < some; ++i) {
        const auto row = static_cast<uint64_t>(int64_t{at[2 * i]}),
                   column = static_cast<uint64_t>(int64_t{at[2 * i + 1]});
        outside |= (row >= rows) | (column >= columns);
        flat[i] = static_cast<int64_t>(row * columns + column);
      }
    } else {
      for (int64_t i = 0; i < some; ++i) {
        uint64_t number = 0;
        for (int64_t d = 0; d < rank; ++d) {
          const auto size = static_cast<uint64_t>(sizes[d]),
                     index = static_cast<uint64_t>(int64_t{at[i * rank + d]});
          outside |= index >= size;
          number = number * size + index;
        }
        flat[i] = static_cast<int64_t>(number);
      }
    }
    if (rising) {
      for (int64_t i = 0; i < some; ++i) {
        outside |= flat[i] <= last;
        last = flat[i];
      }
    }
    if (outside != 0) return false;
    use(first, std::span<const int64_t>(flat, some));
  }
  return true;
}

// to[flat[i]] = values[i * step]; the last of equal places counts.
template <class T>
void PutElements(const T* values, int64_t step, std::span<const int64_t> flat,
                 T* to) {
  TurnPoll poll;
  for (size_t i = 0; i < flat.size(); ++i) {
    poll();
    to[flat[i]] = values[i * step];
  }
}

// first[row] becomes the number of the first value of each row, and first[rows]
// that of all, once every empty row has one. Gives the first place that is in
// no row, or -1.
inline int64_t FirstOfRows(const Places& places, int64_t rows, int64_t* first) {
  std::fill_n(first, rows + 1, int64_t{0});
  TurnPoll poll;
  // A run of places of one row at a time.
  for (int64_t i = 0, end = 0; i < places.n; i = end) {
    poll();
    const int64_t row = places.data[i * places.rank];
    if (row < 0 || row >= rows) return i;
    for (end = i + 1;
         end < places.n && places.data[end * places.rank] == row;) {
      ++end;
    }
    first[row] += end - i;
  }
  int64_t at = 0;
  for (int64_t row = 0; row < rows; ++row) {
    poll();
    const int64_t held = std::max<int64_t>(first[row], 1);
    first[row] = at;
    at += held;
  }
  first[rows] = at;
  return -1;
}

// Places row by row, in each row as they were; in empty rows one at its begin.
// moved[i] is where place i has gone. `first` is as FirstOfRows gives it.
inline void FillEmptyRows(const Places& places, int64_t rows,
                          const int64_t* first, bool* empty, int64_t* out,
                          int64_t* moved) {
  std::fill_n(empty, rows, true);
  std::vector<int64_t> next(first, first + rows);
  TurnPoll poll;
  const int64_t n = places.n, rank = places.rank;
  const int64_t* at = places.data;
  // Of the row that the last place was in, and where the next one of it goes.
  int64_t row = -1, place = 0;
  for (int64_t i = 0; i < n; ++i, at += rank) {
    poll();
    if (at[0] != row) {
      if (row >= 0) next[row] = place;
      row = at[0];
      place = next[row];
      empty[row] = false;
    }
    moved[i] = place;
    int64_t* const to = out + place * rank;
    to[0] = row;
    for (int64_t d = 1; d < rank; ++d) to[d] = at[d];
    ++place;
  }
  for (row = 0; row < rows; ++row) {
    poll();
    if (!empty[row]) continue;
    std::fill_n(out + first[row] * rank, rank, int64_t{0});
    out[first[row] * rank] = row;
  }
}

// to[i] = values[places[i]], and the sum of those that are not named, in *sum.
// Gives the first place that is outside, or -1.
template <class T>
int64_t PickAndSumOthers(std::span<const T> values,
                         std::span<const int64_t> places, T* to, T* sum) {
  std::vector<uint8_t> named(values.size());
  TurnPoll poll;
  for (size_t i = 0; i < places.size(); ++i) {
    poll();
    const auto at = static_cast<uint64_t>(places[i]);
    if (at >= values.size()) return static_cast<int64_t>(i);
    to[i] = values[at];
    named[at] = 1;
  }
  using Sum =
      std::conditional_t<sizeof(T) == 2 && !std::is_integral_v<T>, float, T>;
  Sum others{};
  constexpr uint64_t kAll = 0x0101010101010101;
  for (size_t i = 0; i < values.size();) {
    // Most are named: eight at a time.
    uint64_t eight = 0;
    if (i + 8 <= values.size()) std::memcpy(&eight, &named[i], 8);
    if (eight == kAll) {
      i += 8;
      continue;
    }
    const size_t end = std::min(i + 8, values.size());
    for (; i < end; ++i) {
      if (named[i] == 0) others += static_cast<Sum>(values[i]);
    }
  }
  *sum = static_cast<T>(others);
  return -1;
}

// out [rows, columns] += the product of a sparse matrix, the transpose of the
// one with these places if `transposed`, with b. `Sum` is what sums are kept
// as; value(i) the value at place i, b_at(k, j) an element of b.
template <class Sum, class Value, class Dense>
void AddSparseTimesDense(const Places& a, bool transposed, Value&& value,
                         Dense&& b_at, int64_t columns, Sum* out,
                         ThreadPool& pool) {
  // Threads have columns of their own, so that sums do not depend on them; few,
  // because each of them reads all places.
  constexpr int64_t kWidth = 32;
  const int64_t slices = (columns + kWidth - 1) / kWidth;
  const int64_t row_at = transposed ? 1 : 0;
  if (columns == 1) {
    TurnPoll poll;
    for (int64_t i = 0; i < a.n; ++i) {
      poll();
      out[a.data[2 * i + row_at]] +=
          static_cast<Sum>(value(i)) * b_at(a.data[2 * i + 1 - row_at], 0);
    }
    return;
  }
  pool.ParallelRange(slices, 10 * a.n, [&](int64_t begin, int64_t end) {
    TurnPoll poll;
    for (int64_t s = begin; s < end; ++s) {
      const int64_t first = s * kWidth,
                    last = std::min(columns, first + kWidth);
      for (int64_t i = 0; i < a.n; ++i) {
        poll();
        const int64_t row = a.data[2 * i + row_at],
                      k = a.data[2 * i + 1 - row_at];
        const Sum v = value(i);
        Sum* const to = out + row * columns;
#pragma GCC ivdep
        for (int64_t j = first; j < last; ++j) to[j] += v * b_at(k, j);
      }
    }
  });
}

}  // namespace gk

#endif  // GK_KERNELS_SPARSE_H_
