// Reductions over raw row-major memory.
//
// Results depend on shape and values only, never on the number of threads:
// long sums are cut by shape and folded through many accumulators. Narrow
// floats accumulate in float, integer means in 64 bits. Max and Min hand NaN
// on; ArgMax and ArgMin pass over it. An empty reduction gives the identity
// (a mean: NaN, or 0 for integers). Input and output must not overlap.
// Thread-safe.
#ifndef GK_KERNELS_REDUCE_H_
#define GK_KERNELS_REDUCE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"

namespace gk {

enum class ReduceKind : uint8_t { kSum, kMean, kProd, kMax, kMin };

// Axes merged so that kept and reduced ones alternate; extents of one are
// gone. Offsets are in elements.
struct ReduceLayout {
  struct Axis {
    int64_t extent;
    int64_t stride;
  };
  std::vector<Axis> kept;     // Outer ones, without `inner` if that is kept.
  std::vector<Axis> reduced;  // Likewise.
  int64_t inner = 1;          // Extent of the contiguous last axis,
  bool inner_reduced = true;  // which is reduced or kept.
  int64_t kept_count = 1;     // Products of the extents.
  int64_t reduced_count = 1;

  int64_t outputs() const { return kept_count * (inner_reduced ? 1 : inner); }
  int64_t reduced_per_output() const {
    return reduced_count * (inner_reduced ? inner : 1);
  }
};

// `is_reduced` has one entry for each extent. The product of the extents must
// fit int64_t.
ReduceLayout CollapseReduction(std::span<const int64_t> extents,
                               std::span<const bool> is_reduced);

// T: every integer type, half, bfloat16, float, double; for Sum, Mean and
// Prod also std::complex<float> and <double>, whose Max and Min are not
// defined. `out` has layout.outputs() elements.
template <class T>
void Reduce(ReduceKind kind, const ReduceLayout& layout, const T* in, T* out,
            ThreadPool& pool = ThreadPool::Global());

void ReduceAll(const ReduceLayout& layout, const bool* in, bool* out,
               ThreadPool& pool = ThreadPool::Global());
void ReduceAny(const ReduceLayout& layout, const bool* in, bool* out,
               ThreadPool& pool = ThreadPool::Global());

// Index of the first largest (smallest) element along the middle of
// [outer, n, inner]; 0 where all are NaN. Index: int16_t, uint16_t, int32_t or
// int64_t. n must be positive.
template <class T, class Index>
void ArgReduce(bool largest, int64_t outer, int64_t n, int64_t inner,
               const T* in, Index* out,
               ThreadPool& pool = ThreadPool::Global());

}  // namespace gk

#endif  // GK_KERNELS_REDUCE_H_
