// Sorting, selection and searching of single rows of numbers.
//
// One order everywhere: numeric, -0 equal to 0, every NaN equal to the others
// and greater than any number, so ascending sorts put NaN last. Equal values
// keep their order (of indices), ascending or descending. Rows are
// independent: callers give rows to threads as they like. Long rows ask whether
// to go on (base/interrupt.h). Pure functions; T is any arithmetic type or a
// narrow float of base/half.h.
#ifndef GK_KERNELS_SORT_H_
#define GK_KERNELS_SORT_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/half.h"
#include "base/interrupt.h"

namespace gk {

// Numbers that compare like T, by conversion where T computes in float.
template <class T>
auto SortKey(T v) {
  if constexpr (std::is_arithmetic_v<T>) {
    return v;
  } else {
    return static_cast<float>(v);
  }
}

template <class T>
bool SortLess(T a, T b) {
  const auto x = SortKey(a), y = SortKey(b);
  if constexpr (std::is_integral_v<decltype(x)>) {
    return x < y;
  } else {
    return x < y || (x == x && y != y);
  }
}

// Unsigned numbers that are in the order of the values, and equal where those
// are.
template <class T>
auto SortBits(T value) {
  const auto v = SortKey(value);
  using V = decltype(SortKey(value));
  using Bits = std::conditional_t<(sizeof(V) > 4), uint64_t, uint32_t>;
  constexpr Bits kTop = Bits(1) << (8 * sizeof(Bits) - 1);
  if constexpr (std::is_integral_v<V>) {
    // Narrow ones are widened with their sign.
    return static_cast<Bits>(static_cast<Bits>(v) ^
                             (std::is_signed_v<V> ? kTop : Bits(0)));
  } else {
    const Bits bits = std::bit_cast<Bits>(v);
    if (v != v) return ~Bits(0);
    if (v == 0) return kTop;
    return (bits & kTop) != 0 ? static_cast<Bits>(~bits)
                              : static_cast<Bits>(bits | kTop);
  }
}

// Long rows are sorted by eleven bits at a time, the least first: what is equal
// stays in order.
inline constexpr int64_t kLongRow = 1024;

template <class T, class Index>
void ArgsortLongRow(const T* row, int64_t n, bool descending, Index* order) {
  using Bits = decltype(SortBits(T()));
  struct Item {
    Bits key;
    Index index;
  };
  constexpr int kDigit = 11, kPasses = (8 * sizeof(Bits) + kDigit - 1) / kDigit;
  constexpr Bits kMask = (Bits(1) << kDigit) - 1;
  const auto memory = std::make_unique_for_overwrite<Item[]>(2 * n);
  Item *from = memory.get(), *to = from + n;
  std::vector<int64_t> counts(kPasses << kDigit);
  const Bits flip = descending ? ~Bits(0) : Bits(0);
  for (int64_t i = 0; i < n; ++i) {
    const Bits key = static_cast<Bits>(SortBits(row[i]) ^ flip);
    from[i] = {key, static_cast<Index>(i)};
    for (int p = 0; p < kPasses; ++p) {
      ++counts[(p << kDigit) + ((key >> (p * kDigit)) & kMask)];
    }
  }
  for (int p = 0; p < kPasses; ++p) {
    PollInterrupt();
    int64_t* const starts = counts.data() + (p << kDigit);
    // Digits that all have in common move nothing.
    if (starts[(from[0].key >> (p * kDigit)) & kMask] == n) continue;
    int64_t at = 0;
    for (int64_t d = 0; d <= static_cast<int64_t>(kMask); ++d) {
      at += std::exchange(starts[d], at);
    }
    for (int64_t i = 0; i < n; ++i) {
      to[starts[(from[i].key >> (p * kDigit)) & kMask]++] = from[i];
    }
    std::swap(from, to);
  }
  for (int64_t i = 0; i < n; ++i) order[i] = from[i].index;
}

// Writes the indices 0 .. n-1 in the order of their values. One sort for both
// directions: std::stable_sort is a lot of code.
template <class T, class Index>
void ArgsortRow(const T* row, int64_t n, bool descending, Index* order) {
  if (n >= kLongRow) return ArgsortLongRow(row, n, descending, order);
  for (int64_t i = 0; i < n; ++i) order[i] = static_cast<Index>(i);
  TurnPoll poll;
  std::stable_sort(
      order, order + n, [row, descending, &poll](Index a, Index b) {
        poll();
        return descending ? SortLess(row[b], row[a]) : SortLess(row[a], row[b]);
      });
}

// The k greatest values, greatest first, and where they stand; of equals the
// one with the lower index comes first. 0 <= k <= n.
template <class T, class Index>
void TopKRow(const T* row, int64_t n, int64_t k, T* values, Index* indices) {
  if (k == 0) return;
  TurnPoll poll;
  const auto before = [row, &poll](Index a, Index b) {
    poll();
    if (SortLess(row[b], row[a])) return true;
    return !SortLess(row[a], row[b]) && a < b;
  };
  if (k == n) {
    ArgsortRow(row, n, true, indices);
  } else if (n >= kLongRow && k > n / 64) {
    std::vector<Index> order(n);
    ArgsortLongRow(row, n, true, order.data());
    std::copy_n(order.begin(), k, indices);
  } else {
    // A heap of the best so far, the worst of them on top.
    for (int64_t i = 0; i < k; ++i) indices[i] = static_cast<Index>(i);
    std::make_heap(indices, indices + k, before);
    for (int64_t i = k; i < n; ++i) {
      poll();
      if (!SortLess(row[indices[0]], row[i])) continue;
      std::pop_heap(indices, indices + k, before);
      indices[k - 1] = static_cast<Index>(i);
      std::push_heap(indices, indices + k, before);
    }
    std::sort_heap(indices, indices + k, before);
  }
  for (int64_t i = 0; i < k; ++i) values[i] = row[indices[i]];
}

}  // namespace gk

#endif  // GK_KERNELS_SORT_H_
