// Weights added up where values are counted, in the order in which they come.
//
// Raw memory; integers wrap around. Where `weights` is null, each is 1.
#ifndef GK_KERNELS_COUNT_H_
#define GK_KERNELS_COUNT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
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

// bins [rows, size]: values of at least `size` are dropped; row_of(i) is asked
// once for each value, in their order. `binary` bins are 1 where a value is.
template <class T>
void CountIntoBins(std::span<const int64_t> values, auto row_of, int64_t size,
                   bool binary, const T* weights, T* bins) {
  TurnPoll poll;
  for (size_t i = 0; i < values.size(); ++i) {
    poll();
    const int64_t row = row_of(i);
    if (values[i] >= size) continue;
    T& bin = bins[row * size + values[i]];
    bin = binary ? T(1) : PlusWeight(bin, weights, i);
  }
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
