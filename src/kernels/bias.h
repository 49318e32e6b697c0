// Adding a bias to the channels of a tensor.
//
// Data is [outer, channels, inner], contiguous; inner is 1 where channels come
// last. `out` may be `x`. T: every integer, floating and complex type.
// Thread-safe.
#ifndef GK_KERNELS_BIAS_H_
#define GK_KERNELS_BIAS_H_

#include <cstdint>

#include "base/thread_pool.h"

namespace gk {

template <class T>
void BiasAdd(int64_t outer, int64_t channels, int64_t inner, const T* x,
             const T* bias, T* out, ThreadPool& pool = ThreadPool::Global());

// Half the sum of squares. T: half, bfloat16, float, double; sums are held in
// double, but for those of eight floats. Does not depend on the number of
// threads.
template <class T>
double HalfSumOfSquares(int64_t n, const T* x,
                        ThreadPool& pool = ThreadPool::Global());

}  // namespace gk

#endif  // GK_KERNELS_BIAS_H_
