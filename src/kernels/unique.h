// Distinct values of a sequence in the order of their first appearance.
//
// Pure functions; T is an integer, float, double or a narrow float of
// base/half.h. -0 equals 0, a NaN equals nothing, as in comparisons; of narrow
// floats the zeros are two, as TensorFlow finds those by their bits.
#ifndef GK_KERNELS_UNIQUE_H_
#define GK_KERNELS_UNIQUE_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/interrupt.h"
#include "kernels/sort.h"

namespace gk {

// What values of T are found by: equal where they are the same, NaNs never.
enum class Zeros { kOne, kByType };
template <Zeros kZeros, class T>
auto UniqueKey(T v) {
  if constexpr (std::is_arithmetic_v<T> || kZeros == Zeros::kOne) {
    return SortKey(v);
  } else {
    // Other numbers than 0 are equal when their bits are.
    return std::bit_cast<uint16_t>(v);
  }
}

// Writes for each of n values the number of its distinct value to ids, and
// for each distinct value the index of its first appearance to firsts (room
// for n). Returns how many are distinct. Takes up to 32 bytes a distinct value
// of working memory.
template <Zeros kZeros = Zeros::kByType, class T, class Index>
int64_t UniqueIds(const T* values, int64_t n, Index* ids, Index* firsts) {
  // Few values stay in caches; it grows as more are found.
  constexpr int64_t kFirstSize = 1 << 12;
  int64_t size = 16;
  while (size < 2 * n && size < kFirstSize) size *= 2;
  std::unique_ptr<int64_t[]> table;
  uint64_t mask = 0;
  const auto renew = [&] {
    table.reset(new int64_t[size]);
    mask = static_cast<uint64_t>(size) - 1;
    constexpr int64_t kPiece = 1 << 20;
    for (int64_t i = 0; i < size; i += kPiece) {
      std::fill_n(&table[i], std::min(kPiece, size - i), int64_t{-1});
      PollInterrupt();
    }
  };
  renew();
  // Where a key's search begins.
  const auto start = [&](auto key) {
    uint64_t bits;
    if constexpr (std::is_integral_v<decltype(key)>) {
      bits = static_cast<uint64_t>(key);
    } else {
      // Adding 0 joins the zeros.
      bits = std::bit_cast<uint64_t>(static_cast<double>(key) + 0.0);
    }
    bits ^= bits >> 32;
    bits *= 0x9E3779B97F4A7C15;
    return (bits ^ bits >> 29) & mask;
  };
  int64_t count = 0;
  TurnPoll poll;
  // NaNs are counted but stand in no table.
  int64_t in_table = 0;
  for (int64_t i = 0; i < n; ++i) {
    poll();
    if constexpr (!std::is_integral_v<T>) {
      if (SortKey(values[i]) != SortKey(values[i])) {
        firsts[count] = static_cast<Index>(i);
        ids[i] = static_cast<Index>(count++);
        continue;
      }
    }
    const auto key = UniqueKey<kZeros>(values[i]);
    uint64_t slot = start(key);
    while (table[slot] >= 0 &&
           UniqueKey<kZeros>(values[firsts[table[slot]]]) != key) {
      slot = (slot + 1) & mask;
    }
    if (table[slot] >= 0) {
      ids[i] = static_cast<Index>(table[slot]);
      continue;
    }
    table[slot] = count;
    ids[i] = static_cast<Index>(count);
    firsts[count++] = static_cast<Index>(i);
    if (++in_table * 2 <= size) continue;
    size *= 4;
    renew();
    for (int64_t k = 0; k < count; ++k) {
      poll();
      const T old = values[firsts[k]];
      if (SortKey(old) != SortKey(old)) continue;
      uint64_t free = start(UniqueKey<kZeros>(old));
      while (table[free] >= 0) free = (free + 1) & mask;
      table[free] = k;
    }
  }
  return count;
}

// The same of texts.
inline int64_t UniqueIds(const std::string* values, int64_t n, int64_t* ids,
                         int64_t* firsts) {
  std::unordered_map<std::string_view, int64_t> seen;
  int64_t count = 0;
  TurnPoll poll;
  for (int64_t i = 0; i < n; ++i) {
    poll();
    const auto [it, added] = seen.try_emplace(values[i], count);
    if (added) firsts[count++] = i;
    ids[i] = it->second;
  }
  return count;
}

// The slices of values [outer, size, inner], which are equal when all of their
// values are: the number of each, the first of each and how many there are of
// it.
struct UniqueSlices {
  std::vector<int64_t> ids, firsts, counts;

  UniqueSlices(const int64_t* values, int64_t outer, int64_t size,
               int64_t inner)
      : ids(size) {
    const Slices slices{values, outer, size, inner};
    std::unordered_map<int64_t, int64_t, Slices, Slices> seen(16, slices,
                                                              slices);
    TurnPoll poll;
    for (int64_t s = 0; s < size; ++s) {
      poll();
      const auto [it, added] =
          seen.try_emplace(s, static_cast<int64_t>(firsts.size()));
      if (added) {
        firsts.push_back(s);
        counts.push_back(0);
      }
      ids[s] = it->second;
      ++counts[it->second];
    }
  }

 private:
  struct Slices {
    const int64_t* values;
    int64_t outer, size, inner;
    const int64_t* Run(int64_t o, int64_t s) const {
      return values + (o * size + s) * inner;
    }
    size_t operator()(int64_t s) const {
      uint64_t h = 0x9E3779B97F4A7C15;
      for (int64_t o = 0; o < outer; ++o) {
        for (int64_t i = 0; i < inner; ++i) {
          h = (h ^ static_cast<uint64_t>(Run(o, s)[i])) * 0xBF58476D1CE4E5B9;
          h ^= h >> 29;
        }
      }
      return h;
    }
    bool operator()(int64_t a, int64_t b) const {
      for (int64_t o = 0; o < outer; ++o) {
        if (!std::equal(Run(o, a), Run(o, a) + inner, Run(o, b))) return false;
      }
      return true;
    }
  };
};

// How many there are of each number below `count`.
inline std::vector<int64_t> CountIds(std::span<const int64_t> ids,
                                     int64_t count) {
  std::vector<int64_t> counts(count);
  for (int64_t id : ids) ++counts[id];
  return counts;
}

// The places of the values of x that are not in y. Key: what values are
// compared as; of two bytes, their bits.
template <class Key, class T>
std::vector<int64_t> PlacesOfMissing(std::span<const T> x,
                                     std::span<const T> y) {
  const auto key = [](const T& v) {
    if constexpr (std::is_floating_point_v<Key>) {
      return static_cast<Key>(SortKey(v));
    } else if constexpr (std::is_same_v<Key, uint16_t>) {
      return std::bit_cast<Key>(v);
    } else {
      return static_cast<Key>(v);
    }
  };
  std::unordered_set<Key> drop;
  TurnPoll poll;
  // A NaN is in no set; as bits it would be.
  const auto is_nan = [](const T& v) {
    if constexpr (std::is_same_v<Key, uint16_t>) {
      return SortKey(v) != SortKey(v);
    } else {
      return false;
    }
  };
  for (const T& v : y) {
    poll();
    if (!is_nan(v)) drop.insert(key(v));
  }
  std::vector<int64_t> kept;
  for (size_t i = 0; i < x.size(); ++i) {
    poll();
    if (!drop.contains(key(x[i]))) kept.push_back(static_cast<int64_t>(i));
  }
  return kept;
}

}  // namespace gk

#endif  // GK_KERNELS_UNIQUE_H_
