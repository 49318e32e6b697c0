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

// Numbers are counted, and rows of one element dealt out, in so many runs of
// neighbours side by side: one waits for what the one before it wrote.
inline constexpr size_t kRuns = 4;
// Of more parts the pointers take longer than the rows.
inline constexpr size_t kMostParts = 1024;

// How often each run of `length` ids has each of `parts`: [kRuns, parts].
inline std::vector<int64_t> CountRuns(const int32_t* ids, size_t length,
                                      size_t parts) {
  std::vector<int64_t> counts(kRuns * parts);
  for (size_t begin = 0; begin < length; begin += kIdPiece) {
    PollInterrupt();
    const size_t end = std::min(length, begin + kIdPiece);
    for (size_t i = begin; i < end; ++i) {
      for (size_t run = 0; run < kRuns; ++run) {
        ++counts[run * parts + ids[run * length + i]];
      }
    }
  }
  return counts;
}

// Row i goes behind those that outs[ids[i]] has got already.
template <class T>
void DealRows(const T* rows, std::span<const int32_t> ids, int64_t inner,
              std::vector<T*> outs) {
  const size_t parts = outs.size(), length = ids.size() / kRuns;
  if (inner == 1 && parts <= kMostParts) {
    const std::vector<int64_t> counts = CountRuns(ids.data(), length, parts);
    std::vector<T*> to(kRuns * parts);
    for (size_t part = 0; part < parts; ++part) {
      for (size_t run = 0; run < kRuns; ++run) {
        to[run * parts + part] = outs[part];
        outs[part] += counts[run * parts + part];
      }
    }
    for (size_t begin = 0; begin < length; begin += kIdPiece) {
      PollInterrupt();
      const size_t end = std::min(length, begin + kIdPiece);
      for (size_t i = begin; i < end; ++i) {
        for (size_t run = 0; run < kRuns; ++run) {
          const size_t row = run * length + i;
          *to[run * parts + ids[row]]++ = rows[row];
        }
      }
    }
    rows += kRuns * length;
    ids = ids.subspan(kRuns * length);
  }
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
  const size_t parts = counts->size();
  for (size_t i = 0; i < ids.size(); i += kIdPiece) {
    PollInterrupt();
    uint32_t largest = 0;
    const auto piece = Piece(ids, i);
    for (const int32_t id : piece) {
      largest = std::max(largest, static_cast<uint32_t>(id));
    }
    if (largest < parts) continue;
    const auto wrong = std::ranges::find_if(piece, [&](int32_t id) {
      return static_cast<uint32_t>(id) >= parts;
    });
    return static_cast<int64_t>(i) + (wrong - piece.begin());
  }
  const size_t length = parts > kMostParts ? 0 : ids.size() / kRuns;
  if (length > 0) {
    const std::vector<int64_t> in_runs = CountRuns(ids.data(), length, parts);
    for (size_t k = 0; k < in_runs.size(); ++k) {
      (*counts)[k % parts] += in_runs[k];
    }
  }
  TurnPoll poll;
  for (const int32_t id : ids.subspan(kRuns * length)) {
    poll();
    ++(*counts)[id];
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
