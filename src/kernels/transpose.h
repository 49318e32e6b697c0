// Transposes of any rank over raw row-major memory, by element size.
//
// Axes that stay together are merged; rows that stay whole are copied, and
// everything else runs as cache-sized two-dimensional tiles, shuffled in
// registers for elements of 4 and 8 bytes. Input and output must not overlap.
// Thread-safe.
#ifndef GK_KERNELS_TRANSPOSE_H_
#define GK_KERNELS_TRANSPOSE_H_

#include <complex>
#include <cstdint>
#include <span>

#include "base/thread_pool.h"

namespace gk {

// Output axis i is input axis perm[i]; `perm` must be a permutation of the
// axes. element_size: 1, 2, 4, 8 or 16.
void Transpose(std::span<const int64_t> extents, std::span<const int64_t> perm,
               int64_t element_size, const void* in, void* out,
               ThreadPool& pool = ThreadPool::Global());

// One matrix on the calling thread: `in` has `columns` rows of `rows`
// contiguous elements, in_stride apart; they become the columns of `out`,
// whose rows lie out_stride apart.
using TransposeTileFn = void (*)(const void* in, int64_t in_stride, void* out,
                                 int64_t out_stride, int64_t rows,
                                 int64_t columns);
TransposeTileFn TransposeTileFor(int64_t element_size);

// Complex numbers, in place.
template <class C>
void Conjugate(std::span<C> values) {
  for (C& v : values) v = std::conj(v);
}

}  // namespace gk

#endif  // GK_KERNELS_TRANSPOSE_H_
