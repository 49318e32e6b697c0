// Rows picked by index. Callers have checked the indices.
//
// Raw memory; T is the element or bytes of its size.
#ifndef GK_KERNELS_GATHER_H_
#define GK_KERNELS_GATHER_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>

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

}  // namespace gk

#endif  // GK_KERNELS_GATHER_H_
