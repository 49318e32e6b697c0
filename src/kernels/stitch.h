// Rows put where numbers say, and dealt out by numbers.
//
// Raw memory; callers have checked the numbers.
#ifndef GK_KERNELS_STITCH_H_
#define GK_KERNELS_STITCH_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/interrupt.h"

namespace gk {

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
  for (int32_t id : ids) {
    poll();
    PutRow(rows, inner, out + id * inner);
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

// The largest of the numbers and `so_far`.
inline int64_t LargestId(std::span<const int32_t> ids, int64_t so_far) {
  TurnPoll poll;
  for (int32_t id : ids) {
    poll();
    so_far = std::max<int64_t>(so_far, id);
  }
  return so_far;
}

// Marks the numbers; false if one is below zero.
inline bool MarkIds(std::span<const int32_t> ids, std::vector<bool>* marked) {
  TurnPoll poll;
  for (int32_t id : ids) {
    poll();
    if (id < 0) return false;
    (*marked)[id] = true;
  }
  return true;
}

}  // namespace gk

#endif  // GK_KERNELS_STITCH_H_
