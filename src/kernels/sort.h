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
#include <cstdint>
#include <type_traits>

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

// Writes the indices 0 .. n-1 in the order of their values. One sort for both
// directions: std::stable_sort is a lot of code.
template <class T, class Index>
void ArgsortRow(const T* row, int64_t n, bool descending, Index* order) {
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
