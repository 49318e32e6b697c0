// Distinct values of a sequence in the order of their first appearance.
//
// A pure function; T is an integer, float, double or a narrow float of
// base/half.h. -0 equals 0, a NaN equals nothing, as in comparisons.
#ifndef GK_KERNELS_UNIQUE_H_
#define GK_KERNELS_UNIQUE_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "base/interrupt.h"
#include "kernels/sort.h"

namespace gk {

// Writes for each of n values the number of its distinct value to ids, and
// for each distinct value the index of its first appearance to firsts (room
// for n). Returns how many are distinct. Takes 16 to 32 bytes a value of
// working memory.
template <class T, class Index>
int64_t UniqueIds(const T* values, int64_t n, Index* ids, Index* firsts) {
  int64_t size = 16;
  while (size < 2 * n) size *= 2;
  const std::unique_ptr<int64_t[]> table(new int64_t[size]);
  // Fresh memory takes longer than anything else here: pieces of it.
  constexpr int64_t kPiece = 1 << 20;
  for (int64_t i = 0; i < size; i += kPiece) {
    std::fill_n(&table[i], std::min(kPiece, size - i), int64_t{-1});
    PollInterrupt();
  }
  const uint64_t mask = static_cast<uint64_t>(size) - 1;
  int64_t count = 0;
  TurnPoll poll;
  for (int64_t i = 0; i < n; ++i) {
    poll();
    const auto key = SortKey(values[i]);
    uint64_t bits;
    if constexpr (std::is_integral_v<decltype(key)>) {
      bits = static_cast<uint64_t>(key);
    } else {
      // Adding 0 joins the zeros.
      bits = std::bit_cast<uint64_t>(static_cast<double>(key) + 0.0);
      if (key != key) {
        firsts[count] = static_cast<Index>(i);
        ids[i] = static_cast<Index>(count++);
        continue;
      }
    }
    bits ^= bits >> 32;
    bits *= 0x9E3779B97F4A7C15;
    uint64_t slot = (bits ^ bits >> 29) & mask;
    while (table[slot] >= 0 && SortKey(values[firsts[table[slot]]]) != key) {
      slot = (slot + 1) & mask;
    }
    if (table[slot] < 0) {
      table[slot] = count;
      firsts[count++] = static_cast<Index>(i);
    }
    ids[i] = static_cast<Index>(table[slot]);
  }
  return count;
}

}  // namespace gk

#endif  // GK_KERNELS_UNIQUE_H_
