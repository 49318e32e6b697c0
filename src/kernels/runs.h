// Runs of elements filled with one value, and short runs copied.
//
// Raw memory; T is the element or bytes of its size.
#ifndef GK_KERNELS_RUNS_H_
#define GK_KERNELS_RUNS_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/isa.h"

namespace gk {

template <class T>
struct FillBody {
  static GK_INLINE void Run(T* to, int64_t n, T value) {
    for (int64_t i = 0; i < n; ++i) to[i] = value;
  }
};

// n times the value; returns where they end.
template <class T>
T* FillRun(T* to, int64_t n, const T& value) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    constexpr int64_t kLong = 512;
    if (n * static_cast<int64_t>(sizeof(T)) >= kLong) {
      Stamp<FillBody<T>, void(T*, int64_t, T)>::Best()(to, n, value);
      return to + n;
    }
  }
  return std::fill_n(to, n, value);
}

// n times `width` elements, those of each time together, from_step and to_step
// apart. Short ones are moves of registers.
template <class T>
void CopyPieces(const T* from, int64_t from_step, T* to, int64_t to_step,
                int64_t width, int64_t n) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    const auto copy = [=](auto bytes) {
      for (int64_t i = 0; i < n; ++i) {
        std::memcpy(to + i * to_step, from + i * from_step, bytes);
      }
    };
    switch (width * static_cast<int64_t>(sizeof(T))) {
      case 4:
        return copy(std::integral_constant<size_t, 4>());
      case 8:
        return copy(std::integral_constant<size_t, 8>());
      case 12:
        return copy(std::integral_constant<size_t, 12>());
      case 16:
        return copy(std::integral_constant<size_t, 16>());
      case 32:
        return copy(std::integral_constant<size_t, 32>());
      case 64:
        return copy(std::integral_constant<size_t, 64>());
      default:
        break;
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    std::copy_n(from + i * from_step, width, to + i * to_step);
  }
}

}  // namespace gk

#endif  // GK_KERNELS_RUNS_H_
