// Places of two sparse tensors compared: merged, and found among one another.
//
// Raw memory. Where nothing else is said callers have checked the places.
#ifndef GK_KERNELS_SPARSE_MERGE_H_
#define GK_KERNELS_SPARSE_MERGE_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/interrupt.h"
#include "kernels/sparse.h"

namespace gk {

// Numbers that rise with the places of an array of these sizes, and one above
// all of them, in one look at the places; null where the sizes are too large or
// a place is outside or not behind the one before.
using PlaceKeys = std::unique_ptr<int64_t[]>;
inline PlaceKeys KeysOfRising(const Places& places,
                              std::span<const int64_t> sizes) {
  int64_t count = 1;
  for (int64_t d : sizes) {
    if (d < 0 || __builtin_mul_overflow(count, d, &count)) return nullptr;
  }
  auto keys = std::make_unique_for_overwrite<int64_t[]>(places.n + 1);
  const bool rising =
      VisitFlatPlaces(places.data, places.n, sizes, true,
                      [&](int64_t first, std::span<const int64_t> flat) {
                        std::copy(flat.begin(), flat.end(), keys.get() + first);
                      });
  if (!rising) return nullptr;
  keys[places.n] = std::numeric_limits<int64_t>::max();
  return keys;
}

// The places of two arrays, row by row: of each the number in a and in b, or
// -1. Those of one array keep their order and, if they are equal, stay apart.
// `keys_a` and `keys_b` are what KeysOfRising gave, or null.
struct MergedPlaces {
  std::unique_ptr<int64_t[]> a, b;
  int64_t n = 0;
};
inline MergedPlaces MergePlaces(const Places& a, const Places& b,
                                PlaceKeys keys_a, PlaceKeys keys_b) {
  MergedPlaces merged;
  merged.a = std::make_unique_for_overwrite<int64_t[]>(a.n + b.n);
  merged.b = std::make_unique_for_overwrite<int64_t[]>(a.n + b.n);
  const bool known = keys_a != nullptr && keys_b != nullptr;
  int64_t i = 0, j = 0, n = 0;
  TurnPoll poll;
  // Without a jump: which of two places comes first is hard to guess.
  while (known && (i < a.n || j < b.n)) {
    poll();
    const int64_t x = keys_a[i], y = keys_b[j];
    const int64_t take_a = x <= y, take_b = y <= x;
    merged.a[n] = i | (take_a - 1);
    merged.b[n] = j | (take_b - 1);
    i += take_a;
    j += take_b;
    ++n;
  }
  while (!known && (i < a.n || j < b.n)) {
    poll();
    const int order = i == a.n ? 1 : j == b.n ? -1 : ComparePlaces(a[i], b[j]);
    merged.a[n] = order <= 0 ? i++ : -1;
    merged.b[n] = order >= 0 ? j++ : -1;
    ++n;
  }
  merged.n = n;
  return merged;
}

// Copies the places that are named by one of two numbers, -1 for none.
inline void PickPlaces(const Places& a, const Places& b,
                       const MergedPlaces& from, int64_t* to) {
  TurnPoll poll;
  for (int64_t k = 0; k < from.n; ++k) {
    poll();
    const int64_t i = from.a[k];
    const int64_t* at =
        (i >= 0 ? a.data : b.data) + (i >= 0 ? i : from.b[k]) * a.rank;
    if (a.rank == 2) {
      to[0] = at[0];
      to[1] = at[1];
      to += 2;
    } else {
      to = std::copy_n(at, a.rank, to);
    }
  }
}

// Finds the first equal one among many places.
class PlaceFinder {
 public:
  explicit PlaceFinder(const Places& all) : all_(all), rises_(true) {
    TurnPoll poll;
    for (int64_t i = 1; i < all.n && rises_; ++i) {
      poll();
      rises_ = all.rank == 2 ? Before<2>(all.data + 2 * i - 2, all.data + 2 * i)
                             : ComparePlaces(all[i - 1], all[i]) < 0;
    }
    if (!rises_ && !AreRowMajor(all)) order_ = RowMajorOrder(all);
  }

  // use(i, number): for place i of `some` the number of its equal, or -1.
  template <class Use>
  void Find(const Places& some, Use&& use) const {
    if (all_.rank == 2) {
      FindOf<2>(some, use);
    } else {
      FindOf<0>(some, use);
    }
  }

 private:
  const int64_t* At(int64_t k) const {
    return all_.data + (order_.empty() ? k : order_[k]) * all_.rank;
  }
  template <int kRank>
  bool Before(const int64_t* a, const int64_t* b) const {
    if constexpr (kRank == 2) {
      return a[0] < b[0] || (a[0] == b[0] && a[1] < b[1]);
    } else {
      return std::lexicographical_compare(a, a + all_.rank, b, b + all_.rank);
    }
  }
  template <int kRank>
  bool Same(const int64_t* a, const int64_t* b) const {
    if constexpr (kRank == 2) return a[0] == b[0] && a[1] == b[1];
    return std::equal(a, a + all_.rank, b);
  }

  template <int kRank, class Use>
  void FindOf(const Places& some, Use& use) const {
    TurnPoll poll;
    const int64_t rank = kRank > 0 ? kRank : all_.rank, count = some.n;
    const int64_t* const all = all_.data;
    const int64_t end = rises_ ? all_.n : 0;
    int64_t next = 0;
    const int64_t* wanted = some.data;
    for (int64_t i = 0; i < count; ++i, wanted += rank) {
      poll();
      // Places that come in order are found one behind the other.
      if (next < end && Same<kRank>(all + next * rank, wanted)) {
        use(i, next++);
        continue;
      }
      const bool behind = i > 0 && Before<kRank>(wanted - rank, wanted);
      const int64_t low = FirstNotBefore<kRank>(wanted, behind ? next : 0);
      const bool found = low < all_.n && Same<kRank>(At(low), wanted);
      use(i, !found ? -1 : order_.empty() ? low : order_[low]);
      next = low + (found && rises_);
    }
  }

  // Near `low`, most often.
  template <int kRank>
  int64_t FirstNotBefore(const int64_t* wanted, int64_t low) const {
    int64_t high = all_.n;
    for (int64_t step = 1; low + step <= all_.n; step *= 2) {
      if (!Before<kRank>(At(low + step - 1), wanted)) {
        high = low + step - 1;
        break;
      }
      low += step;
    }
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (Before<kRank>(At(middle), wanted)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  Places all_;
  bool rises_;                  // none is twice there
  std::vector<int64_t> order_;  // none: they come row by row
};

// to[i] = values[j] where place i is the place of a slice, moved by `start`,
// whose turn it is, j = 0, 1, ...; else zero. Gives the number of those found.
template <class T>
int64_t PutWhereFound(const T* values, const Places& slice,
                      const int64_t* start, const Places& places, T* to) {
  const int64_t rank = places.rank;
  int64_t found = 0, i = 0;
  const auto walk = [&](auto&& is_it) {
    TurnPoll poll;
    const int64_t *at = places.data, *wanted = slice.data;
    for (; i < places.n && found < slice.n; ++i, at += rank) {
      poll();
      if (is_it(at, wanted)) {
        to[i] = values[found++];
        wanted += rank;
      } else {
        to[i] = T();
      }
    }
  };
  // What is out of range is nowhere.
  const auto same = [](int64_t at, int64_t wanted, int64_t start) {
    int64_t moved;
    return !__builtin_sub_overflow(at, start, &moved) && moved == wanted;
  };
  if (rank == 2) {
    const int64_t row = start[0], column = start[1];
    walk([&](const int64_t* at, const int64_t* wanted) {
      return same(at[0], wanted[0], row) && same(at[1], wanted[1], column);
    });
  } else {
    walk([&](const int64_t* at, const int64_t* wanted) {
      for (int64_t d = 0; d < rank; ++d) {
        if (!same(at[d], wanted[d], start[d])) return false;
      }
      return true;
    });
  }
  std::fill(to + i, to + places.n, T());
  return found;
}

}  // namespace gk

#endif  // GK_KERNELS_SPARSE_MERGE_H_
