// Rows picked by index. Where nothing else is said callers have checked the
// indices.
//
// Raw memory; T is the element or bytes of its size.
#ifndef GK_KERNELS_GATHER_H_
#define GK_KERNELS_GATHER_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>

#include "base/interrupt.h"
#include "base/thread_pool.h"

namespace gk {

// The position of the first index outside [0, limit), or -1.
template <class Index>
int64_t FirstBadIndex(const Index* indices, int64_t n, int64_t limit) {
  for (int64_t i = 0; i < n; ++i) {
    if (indices[i] < 0 || static_cast<int64_t>(indices[i]) >= limit) return i;
  }
  return -1;
}

// params [batch, outer, limit, inner], indices [batch, count]:
// out[b, o, i, :] = params[b, o, indices[b, i], :].
template <class T, class Index>
void GatherRows(const T* params, const Index* indices, T* out, int64_t batch,
                int64_t outer, int64_t limit, int64_t count, int64_t inner,
                ThreadPool& pool) {
  constexpr int64_t kCost = std::is_trivially_copyable_v<T> ? 1 : 20;
  pool.ParallelRange(batch * outer * count, 3 + inner * kCost / 4,
                     [&](int64_t begin, int64_t end) {
                       int64_t row = begin / count, i = begin % count;
                       for (int64_t k = begin; k < end; ++row, i = 0) {
                         const Index* at = indices + row / outer * count;
                         const T* from = params + row * limit * inner;
                         T* to = out + (row * count + i) * inner;
                         const int64_t n = std::min(count - i, end - k);
                         if (inner == 1) {
                           for (int64_t j = 0; j < n; ++j)
                             to[j] = from[at[i + j]];
                         } else {
                           for (int64_t j = 0; j < n; ++j) {
                             std::copy_n(from + at[i + j] * inner, inner,
                                         to + j * inner);
                           }
                         }
                         k += n;
                       }
                     });
}

// Where the elements lie that rows of indices [offsets.size(), dims.size()]
// into an array of these dimensions name; -1 for rows that are outside. Returns
// the first of those, or -1.
inline int64_t PlacesOfIndices(const int64_t* indices,
                               std::span<const int64_t> dims,
                               std::span<const int64_t> strides,
                               std::span<int64_t> places) {
  const size_t depth = dims.size();
  int64_t bad = -1;
  TurnPoll poll;
  if (depth == 1) {
    const int64_t limit = dims[0], stride = strides[0];
    for (size_t i = 0; i < places.size(); ++i) {
      poll();
      const bool outside = indices[i] < 0 || indices[i] >= limit;
      places[i] = outside ? -1 : indices[i] * stride;
      if (outside && bad < 0) bad = static_cast<int64_t>(i);
    }
    return bad;
  }
  for (size_t i = 0; i < places.size(); ++i) {
    poll();
    const int64_t* at = indices + i * depth;
    int64_t place = 0;
    for (size_t d = 0; d < depth && place >= 0; ++d) {
      place = at[d] < 0 || at[d] >= dims[d] ? -1 : place + at[d] * strides[d];
    }
    places[i] = place;
    if (place < 0 && bad < 0) bad = static_cast<int64_t>(i);
  }
  return bad;
}

// out [places.size(), width]: the elements from each place on; zeros where it
// is -1.
template <class T>
void TakeRuns(const T* params, std::span<const int64_t> places, int64_t width,
              T* out, ThreadPool& pool) {
  pool.ParallelRange(static_cast<int64_t>(places.size()), width + 2,
                     [&](int64_t begin, int64_t end) {
                       for (int64_t i = begin; i < end; ++i) {
                         if (width == 1) {
                           out[i] = places[i] < 0 ? T() : params[places[i]];
                         } else if (places[i] < 0) {
                           std::fill_n(out + i * width, width, T());
                         } else {
                           std::copy_n(params + places[i], width,
                                       out + i * width);
                         }
                       }
                     });
}

// The elements at these places.
template <class T>
void TakeElements(const T* params, std::span<const int64_t> places, T* out) {
  for (int64_t place : places) *out++ = params[place];
}

// params [outer, size, inner], of which out has the slices chosen from `size`.
template <class T>
void TakeSlices(const T* params, std::span<const int64_t> chosen, int64_t outer,
                int64_t size, int64_t inner, T* out) {
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t s : chosen) {
      out = std::copy_n(params + (o * size + s) * inner, inner, out);
    }
  }
}

// out [chosen.size(), width]: row i is that of `yes` where it is chosen, else
// that of `no`.
template <class T>
void ChooseRows(std::span<const bool> chosen, const T* yes, const T* no,
                int64_t width, T* out) {
  int64_t at = 0;
  for (const bool is_yes : chosen) {
    out = std::copy_n((is_yes ? yes : no) + at, width, out);
    at += width;
  }
}

}  // namespace gk

#endif  // GK_KERNELS_GATHER_H_
