// Turns rows of numbers into lanes and back: a block of kWidth rows and
// columns, in registers.
#ifndef GK_KERNELS_LANE_TRANSPOSE_H_
#define GK_KERNELS_LANE_TRANSPOSE_H_

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "kernels/isa.h"

namespace gk {

template <class T>
struct LaneBlock {
  static constexpr int kWidth = 32 / sizeof(T);
  using Vector [[gnu::vector_size(32)]] = T;
  using Index = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  using Mask [[gnu::vector_size(32)]] = Index;

  // to(c)[r] = from(r)[c].
  template <class From, class To>
  static GK_INLINE void Transpose(From from, To to) {
    Vector rows[kWidth];
#pragma GCC unroll 8
    for (int r = 0; r < kWidth; ++r) std::memcpy(&rows[r], from(r), 32);
    if constexpr (kWidth == 8) Swap<4>(rows);
    Swap<2>(rows);
    Swap<1>(rows);
#pragma GCC unroll 8
    for (int c = 0; c < kWidth; ++c) std::memcpy(to(c), &rows[c], 32);
  }

 private:
  // Of each 2 kStep by 2 kStep block, the parts off its diagonal.
  template <int kStep>
  static GK_INLINE void Swap(Vector (&rows)[kWidth]) {
    constexpr auto kMasks = []<int... c>(std::integer_sequence<int, c...>) {
      struct Both {
        Mask low, high;
      };
      return Both{Mask{Index((c & kStep) == 0 ? c : c - kStep + kWidth)...},
                  Mask{Index((c & kStep) == 0 ? c + kStep : c + kWidth)...}};
    }
    (std::make_integer_sequence<int, kWidth>());
#pragma GCC unroll 8
    for (int r = 0; r < kWidth; ++r) {
      if ((r & kStep) != 0) continue;
      const Vector a = rows[r], b = rows[r + kStep];
      rows[r] = __builtin_shuffle(a, b, kMasks.low);
      rows[r + kStep] = __builtin_shuffle(a, b, kMasks.high);
    }
  }
};

}  // namespace gk

#endif  // GK_KERNELS_LANE_TRANSPOSE_H_
