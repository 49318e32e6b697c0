// Running sums, products and the like along an axis.
//
// Raw memory. Each sum is made in order, so results do not depend on threads.
#ifndef GK_KERNELS_SCAN_H_
#define GK_KERNELS_SCAN_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/interrupt.h"
#include "base/thread_pool.h"
#include "kernels/elementwise.h"

namespace gk {

struct ScanSum {
  template <class C>
  static C Start() {
    return C(0);
  }
  template <class C>
  static C Join(C sum, C v) {
    return C(sum + v);
  }
};

struct ScanProduct {
  template <class C>
  static C Start() {
    return C(1);
  }
  template <class C>
  static C Join(C product, C v) {
    return C(product * v);
  }
};

// log(exp(x) + exp(y)), of infinities, too.
struct ScanLogSum {
  template <class C>
  static C Start() {
    return -std::numeric_limits<C>::infinity();
  }
  template <class C>
  static C Join(C x, C y) {
    if (x != x || y != y) return x + y;
    const C more = std::max(x, y), less = std::min(x, y);
    return std::isinf(more) ? more : more + std::log1p(std::exp(less - more));
  }
};

// in and out [outer, n, inner]: along the second dimension. `exclusive` leaves
// out each element's own value, `reverse` begins at the end.
template <class How, class T>
void Scan(int64_t outer, int64_t n, int64_t inner, bool exclusive, bool reverse,
          const T* in, T* out) {
  using C = ComputeType<T>;
  constexpr int64_t kPollTurns = 1 << 20;
  ThreadPool::Global().ParallelRange(
      outer, n * inner, [&](int64_t begin, int64_t end) {
        for (int64_t o = begin; o < end; ++o) {
          for (int64_t i = 0; i < inner; ++i) {
            C sum = How::template Start<C>();
            for (int64_t k = 0; k < n; ++k) {
              if ((k & (kPollTurns - 1)) == kPollTurns - 1) PollInterrupt();
              const int64_t at =
                  (o * n + (reverse ? n - 1 - k : k)) * inner + i;
              const C v = Convert<C>(in[at]);
              if (exclusive) out[at] = Convert<T>(sum);
              sum = How::Join(sum, v);
              if (!exclusive) out[at] = Convert<T>(sum);
            }
          }
        }
      });
}

}  // namespace gk

#endif  // GK_KERNELS_SCAN_H_
