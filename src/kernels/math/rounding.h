// Rounding, remainders and neighbours. Exact; pure functions.
#ifndef GK_KERNELS_MATH_ROUNDING_H_
#define GK_KERNELS_MATH_ROUNDING_H_

#include "kernels/math/bits.h"

namespace gk::math {

template <class T>
GK_INLINE T Floor(T x) {
  if constexpr (sizeof(T) == 4) {
    return __builtin_floorf(x);
  } else {
    return __builtin_floor(x);
  }
}

template <class T>
GK_INLINE T Ceil(T x) {
  if constexpr (sizeof(T) == 4) {
    return __builtin_ceilf(x);
  } else {
    return __builtin_ceil(x);
  }
}

template <class T>
GK_INLINE T Trunc(T x) {
  if constexpr (sizeof(T) == 4) {
    return __builtin_truncf(x);
  } else {
    return __builtin_trunc(x);
  }
}

// To nearest, halves to even.
template <class T>
GK_INLINE T Rint(T x) {
  if constexpr (sizeof(T) == 4) {
    return __builtin_rintf(x);
  } else {
    return __builtin_rint(x);
  }
}

template <class T>
GK_INLINE T Round(T x) {
  return Rint(x);
}

// The remainder with the divisor's sign. fmod is exact where x / y is not,
// hence the C library.
template <class T>
GK_INLINE T FloorMod(T x, T y) {
  T r;
  if constexpr (sizeof(T) == 4) {
    r = __builtin_fmodf(x, y);
  } else {
    r = __builtin_fmod(x, y);
  }
  return r != T(0) && (r < T(0)) != (y < T(0)) ? r + y : r;
}

// The neighbour of x towards y.
template <class T>
GK_INLINE T NextAfter(T x, T y) {
  using Uint = typename FloatBits<T>::Uint;
  const Uint bits = ToBits(x);
  const bool away = (y > x) == (x > T(0));
  const T step = FromBits<T>(away ? bits + 1 : bits - 1);
  const T from_zero = CopySign(FromBits<T>(1), y);
  const T moved = x == T(0) ? from_zero : step;
  const T v = x == y ? y : moved;
  return x == x && y == y ? v : x + y;
}

}  // namespace gk::math

#endif  // GK_KERNELS_MATH_ROUNDING_H_
