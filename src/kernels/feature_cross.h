// Crosses of features: every way of taking one value of each column of a row,
// the last column's values first.
//
// Raw memory; callers have checked the places.
#ifndef GK_KERNELS_FEATURE_CROSS_H_
#define GK_KERNELS_FEATURE_CROSS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/interrupt.h"
#include "kernels/text_hash.h"

namespace gk {

// The values of one column, row after row: texts or numbers.
struct CrossColumn {
  const std::string* texts = nullptr;
  const int64_t* numbers = nullptr;
  const int64_t* first = nullptr;  // place of each row, and behind the last
  std::vector<int64_t> order;  // which value stands there; empty: as they come

  int64_t Count(int64_t row) const { return first[row + 1] - first[row]; }
  int64_t ValueAt(int64_t place) const {
    return order.empty() ? place : order[place];
  }
  void AppendText(int64_t place, std::string* text) const {
    const int64_t i = ValueAt(place);
    if (texts != nullptr) {
      *text += texts[i];
    } else {
      *text += std::to_string(numbers[i]);
    }
  }
};

// ends[row + 1] becomes the number of crosses of the rows up to that one; false
// if 64 bits do not count them.
inline bool CountCrosses(std::span<const CrossColumn> columns, int64_t rows,
                         int64_t* ends) {
  ends[0] = 0;
  TurnPoll poll;
  for (int64_t row = 0; row < rows; ++row) {
    poll();
    bool none = false;
    for (const CrossColumn& c : columns) none = none || c.Count(row) == 0;
    int64_t n = none ? 0 : 1;
    for (const CrossColumn& c : columns) {
      if (none) break;
      if (__builtin_mul_overflow(n, c.Count(row), &n)) return false;
    }
    if (__builtin_add_overflow(ends[row], n, &ends[row + 1])) return false;
  }
  return true;
}

// Calls emit(places) for each cross of a row, which has some, in order.
template <class Emit>
void ForEachCross(std::span<const CrossColumn> columns, int64_t row,
                  Emit&& emit) {
  std::vector<int64_t> at;
  at.reserve(columns.size());
  for (const CrossColumn& c : columns) at.push_back(c.first[row]);
  TurnPoll poll;
  for (;;) {
    poll();
    emit(std::span<const int64_t>(at));
    size_t c = columns.size();
    while (c > 0 && ++at[c - 1] == columns[c - 1].first[row + 1]) {
      at[c - 1] = columns[c - 1].first[row];
      --c;
    }
    if (c == 0) return;
  }
}

// How values and crosses are hashed.
struct CrossHash {
  bool begins_with_key = false;  // else with the first column's value
  uint64_t key = 0;
  bool hashes_numbers = false;  // else a number stands for itself
  bool keyed = false;           // by these two keys, which nobody can undo
  uint64_t key0 = 0, key1 = 0;
  int64_t buckets = 0;  // 0: all that are not negative

  uint64_t OfText(std::string_view text) const {
    return keyed ? KeyedTextHash(text, key0, key1) : TextFingerprint(text);
  }
  uint64_t OfValue(const CrossColumn& column, int64_t i) const {
    if (column.texts != nullptr) return OfText(column.texts[i]);
    const int64_t number = column.numbers[i];
    if (!hashes_numbers) return static_cast<uint64_t>(number);
    // TensorFlow's hashes know the lower half alone.
    const auto half = static_cast<uint32_t>(number);
    return OfText({reinterpret_cast<const char*>(&half), sizeof(half)});
  }
  int64_t Bucket(uint64_t hash) const {
    return static_cast<int64_t>(
        hash % static_cast<uint64_t>(buckets > 0 ? buckets : INT64_MAX));
  }
};

// hashes[c][place] are those of the values of column c.
inline int64_t HashCross(const CrossHash& how,
                         std::span<const std::vector<uint64_t>> hashes,
                         std::span<const int64_t> places) {
  size_t c = how.begins_with_key || places.empty() ? 0 : 1;
  uint64_t hash = c == 0 ? how.key : hashes[0][places[0]];
  for (; c < places.size(); ++c) {
    hash = JoinFingerprints(hash, hashes[c][places[c]]);
  }
  return how.Bucket(hash);
}

}  // namespace gk

#endif  // GK_KERNELS_FEATURE_CROSS_H_
