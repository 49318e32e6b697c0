// Rows put where numbers say, and dealt out by numbers.
//
// Raw memory; callers have checked the numbers.
#ifndef GK_KERNELS_STITCH_H_
#define GK_KERNELS_STITCH_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/interrupt.h"

namespace gk {

// Numbers looked at between two looks for interrupts.
inline constexpr size_t kIdPiece = size_t{1} << 16;
inline std::span<const int32_t> Piece(std::span<const int32_t> ids, size_t i) {
  return ids.subspan(i, std::min(kIdPiece, ids.size() - i));
}

// Rows of one element are many: they go without a call.
template <class T>
T* PutRow(const T* row, int64_t inner, T* to) {
  if (inner == 1) {
    *to = *row;
    return to + 1;
  }
  return std::copy_n(row, inner, to);
}

// rows [ids.size(), inner]: row i becomes row ids[i] of out.
template <class T>
void PlaceRows(const T* rows, std::span<const int32_t> ids, int64_t inner,
               T* out) {
  TurnPoll poll;
  for (size_t i = 0; inner == 1 && i < ids.size(); i += kIdPiece) {
    PollInterrupt();
    for (const int32_t id : Piece(ids, i)) out[id] = *rows++;
  }
  for (size_t i = 0; inner != 1 && i < ids.size(); ++i) {
    poll();
    PutRow(rows, inner, out + ids[i] * inner);
    rows += inner;
  }
}

// Row i goes behind those that outs[ids[i]] has got already.
template <class T>
void DealRows(const T* rows, std::span<const int32_t> ids, int64_t inner,
              std::vector<T*> outs) {
  TurnPoll poll;
  for (int32_t id : ids) {
    poll();
    outs[id] = PutRow(rows, inner, outs[id]);
    rows += inner;
  }
}

// The first number that is not in [0, counts.size()), or -1; how many there are
// of each other goes to counts.
inline int64_t CountParts(std::span<const int32_t> ids,
                          std::vector<int64_t>* counts) {
  TurnPoll poll;
  for (size_t i = 0; i < ids.size(); ++i) {
    poll();
    if (ids[i] < 0 || static_cast<size_t>(ids[i]) >= counts->size()) {
      return static_cast<int64_t>(i);
    }
    ++(*counts)[ids[i]];
  }
  return -1;
}

// The smallest and the largest of the numbers and of the two.
inline std::pair<int32_t, int32_t> WidenRange(std::span<const int32_t> ids,
                                              std::pair<int32_t, int32_t> two) {
  for (size_t i = 0; i < ids.size(); i += kIdPiece) {
    PollInterrupt();
    for (const int32_t id : Piece(ids, i)) {
      two.first = std::min(two.first, id);
      two.second = std::max(two.second, id);
    }
  }
  return two;
}

// Marks the numbers, none below zero.
inline void MarkIds(std::span<const int32_t> ids, std::vector<bool>* marked) {
  TurnPoll poll;
  for (int32_t id : ids) {
    poll();
    (*marked)[id] = true;
  }
}

}  // namespace gk

#endif  // GK_KERNELS_STITCH_H_
