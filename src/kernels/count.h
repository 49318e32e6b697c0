// Weights added up where values are counted, in the order in which they come.
//
// Raw memory; integers wrap around. Where `weights` is null, each is 1.
#ifndef GK_KERNELS_COUNT_H_
#define GK_KERNELS_COUNT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/interrupt.h"

namespace gk {

template <class T>
T PlusWeight(T sum, const T* weights, size_t i) {
  const T weight = weights != nullptr ? weights[i] : static_cast<T>(1);
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(U(sum) + U(weight));
  } else {
    return sum + weight;
  }
}

// Which row each of n values counts in: one for all, runs of them in turn, or
// what the first coordinate of its place says.
struct CountedRows {
  int64_t n = 0, rows = 1;
  int64_t width = n;                // of rows of one length
  const int64_t* splits = nullptr;  // of rows of any length
  const int64_t* places = nullptr;  // pairs of a row and a column

  // Do the rows come one after the other?
  bool InOrder() const {
    bool rises = true;
    for (int64_t i = 1; places != nullptr && i < n; ++i) {
      rises &= places[2 * i] >= places[2 * i - 2];
    }
    return rises;
  }

  // run(row, first value, end), in the order of the values.
  void Visit(auto&& run) const {
    TurnPoll poll;
    const auto in_pieces = [&](int64_t row, int64_t first, int64_t end) {
      constexpr int64_t kPiece = 1 << 15;
      poll();
      for (;;) {
        const int64_t stop = std::min(end, first + kPiece);
        run(row, first, stop);
        if (stop == end) return;
        PollInterrupt();
        first = stop;
      }
    };
    if (places != nullptr) {
      for (int64_t i = 0, end = 0; i < n; i = end) {
        const int64_t row = places[2 * i];
        for (end = i + 1; end < n && places[2 * end] == row;) ++end;
        in_pieces(row, i, end);
      }
      return;
    }
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t first = splits != nullptr ? splits[row] : row * width;
      in_pieces(row, first,
                splits != nullptr ? splits[row + 1] : first + width);
    }
  }
};

// bins [rows, size]: values of at least `size` are dropped, and negative ones,
// of which it is told whether there are any. `binary` bins are 1 where a value
// is.
template <class V, class T>
bool CountIntoBins(const V* values, const CountedRows& rows, int64_t size,
                   bool binary, const T* weights, T* bins) {
  const auto bound = static_cast<uint64_t>(size);
  V signs = 0;
  rows.Visit([&](int64_t row, int64_t first, int64_t end) {
    T* const to = bins + row * size;
    for (int64_t i = first; i < end; ++i) {
      const V v = values[i];
      signs |= v;
      if (static_cast<uint64_t>(int64_t{v}) >= bound) continue;
      to[v] = binary ? T(1) : PlusWeight(to[v], weights, i);
    }
  });
  return signs < 0;
}

// What occurs below `size` in rows that are in order, and how often: found and
// counts have room for all values; ends[row] becomes the number of those found
// up to the end of the row.
template <class V, class T>
void CountRowByRow(const V* values, const CountedRows& rows, int64_t size,
                   bool binary, const T* weights, int64_t* found, T* counts,
                   int64_t* ends) {
  std::vector<uint8_t> occurs((size + 7) / 8 * 8);
  std::vector<T> table(occurs.size());
  int64_t n = 0, held = 0;  // of the row that is counted
  const auto finish = [&] {
    if (held == 0) return;
    held = 0;
    for (size_t w = 0; w < occurs.size(); w += 8) {
      uint64_t eight;
      std::memcpy(&eight, &occurs[w], 8);
      if (eight == 0) continue;
      for (size_t v = w; v < w + 8; ++v) {
        if (occurs[v] == 0) continue;
        found[n] = static_cast<int64_t>(v);
        counts[n++] = std::exchange(table[v], T());
      }
      std::memset(&occurs[w], 0, 8);
    }
  };
  int64_t done = 0;
  rows.Visit([&](int64_t row, int64_t first, int64_t end) {
    if (row > done) finish();
    for (; done < row; ++done) ends[done] = n;
    held += end - first;
    for (int64_t i = first; i < end; ++i) {
      const V v = values[i];
      if (v >= size) continue;
      occurs[v] = 1;
      table[v] = binary ? T(1) : PlusWeight(table[v], weights, i);
    }
  });
  finish();
  for (; done < rows.rows; ++done) ends[done] = n;
}

// What there is to know of n values before they are counted. Those of at least
// `bound` count for nothing but to be negative.
struct ValueRange {
  bool negative = false;
  int64_t largest = 0, kept = 0;
};
template <class V>
ValueRange RangeOfValues(const V* values, int64_t n, int64_t bound) {
  ValueRange range;
  constexpr int64_t kSome = 1 << 15;
  for (int64_t first = 0; first < n; first += kSome) {
    PollInterrupt();
    const int64_t end = std::min(n, first + kSome);
    V largest = 0, signs = 0;
    int64_t kept = end - first;
    if (bound > std::numeric_limits<V>::max()) {
      for (int64_t i = first; i < end; ++i) {
        signs |= values[i];
        largest = std::max(largest, values[i]);
      }
    } else {
      for (int64_t i = first; i < end; ++i) {
        const bool keep = values[i] < bound;
        signs |= values[i];
        kept -= !keep;
        largest = std::max(largest, keep ? values[i] : V(0));
      }
    }
    range.negative |= signs < 0;
    range.kept += kept;
    range.largest = std::max<int64_t>(range.largest, largest);
  }
  return range;
}

// bins [size]: how many of n values are each number below size. The least value
// is returned, or 0.
template <class V, class T>
V CountPlain(const V* values, int64_t n, int64_t size, T* bins) {
  V least = 0;
  // Values that come again soon would wait for one another in one table.
  constexpr int kTables = 4;
  constexpr int64_t kMost = 1 << 14;
  std::vector<int64_t> table(size <= kMost ? kTables * size : 0);
  TurnPoll poll;
  int64_t i = 0;
  for (; !table.empty() && i + kTables <= n; i += kTables) {
    poll();
    for (int k = 0; k < kTables; ++k) {
      const V v = values[i + k];
      least = v < least ? v : least;
      if (static_cast<uint64_t>(int64_t{v}) < static_cast<uint64_t>(size)) {
        ++table[k * size + v];
      }
    }
  }
  for (int64_t bin = 0; !table.empty() && bin < size; ++bin) {
    int64_t count = 0;
    for (int k = 0; k < kTables; ++k) count += table[k * size + bin];
    bins[bin] = static_cast<T>(count);
  }
  for (; i < n; ++i) {
    poll();
    const V v = values[i];
    least = v < least ? v : least;
    if (static_cast<uint64_t>(int64_t{v}) < static_cast<uint64_t>(size)) {
      bins[v] = PlusWeight<T>(bins[v], nullptr, 0);
    }
  }
  return least;
}

// counts [begins.size()]: run k is of the values order[begins[k]] up to the
// next run's.
template <class T>
void CountRuns(std::span<const size_t> order, std::span<const size_t> begins,
               bool binary, const T* weights, T* counts) {
  TurnPoll poll;
  for (size_t k = 0; k < begins.size(); ++k) {
    const size_t end = k + 1 < begins.size() ? begins[k + 1] : order.size();
    poll();
    T count = T(binary ? 1 : 0);
    for (size_t i = begins[k]; !binary && i < end; ++i) {
      poll();
      count = PlusWeight(count, weights, order[i]);
    }
    counts[k] = count;
  }
}

}  // namespace gk

#endif  // GK_KERNELS_COUNT_H_
