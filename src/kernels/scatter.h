// Slices written or combined into a tensor at given places, in order.
//
// Raw memory; the caller has checked the places.
#ifndef GK_KERNELS_SCATTER_H_
#define GK_KERNELS_SCATTER_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>

#include "base/interrupt.h"
#include "kernels/elementwise.h"

namespace gk {

enum class ScatterOp { kUpdate, kAdd, kSub, kMul, kDiv, kMin, kMax };

// Of integers the divisor is not zero.
template <ScatterOp kOp, class C>
GK_INLINE C ScatterCombine(C a, C b) {
  if constexpr (kOp == ScatterOp::kAdd) return C(a + b);
  if constexpr (kOp == ScatterOp::kSub) return C(a - b);
  if constexpr (kOp == ScatterOp::kMul) return C(a * b);
  if constexpr (kOp == ScatterOp::kDiv) {
    if constexpr (std::is_integral_v<C> && std::is_signed_v<C>) {
      if (b == C(-1)) return C(C(0) - a);
    }
    return C(a / b);
  }
  if constexpr (kOp == ScatterOp::kMin) return b < a ? b : a;
  if constexpr (kOp == ScatterOp::kMax) return a < b ? b : a;
}

// Slice i of `updates` goes to the `size` elements at offsets[i] of `out`; none
// goes below zero. With kStep 0 one element stands for all of all slices.
template <ScatterOp kOp, int kStep, class T>
void ScatterSlices(std::span<const int64_t> offsets, int64_t size,
                   const T* updates, T* out) {
  static_assert(kStep == 0 || kStep == 1);
  TurnPoll poll;
  for (const int64_t offset : offsets) {
    poll();
    const T* const from = updates;
    updates += kStep * size;
    if (offset < 0) continue;
    T* const to = out + offset;
    if constexpr (kOp == ScatterOp::kUpdate) {
      if (size == 1) {
        *to = *from;
      } else if constexpr (kStep == 0) {
        std::fill_n(to, size, *from);
      } else {
        std::copy_n(from, size, to);
      }
    } else {
      using C = ComputeType<T>;
      for (int64_t i = 0; i < size; ++i) {
        to[i] = Convert<T>(ScatterCombine<kOp>(Convert<C>(to[i]),
                                               Convert<C>(from[i * kStep])));
      }
    }
  }
}

}  // namespace gk

#endif  // GK_KERNELS_SCATTER_H_
