// Rounding, remainders and neighbours. Exact; pure functions.
#ifndef GK_KERNELS_MATH_ROUNDING_H_
#define GK_KERNELS_MATH_ROUNDING_H_

#include "kernels/math/bits.h"

namespace gk::math {

template <class T>
GK_INLINE T Floor(T x) {
  if constexpr (SymbolicValue<T>) {
    return T::Apply(Primitive::kFloor, x);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_floorf(x);
  } else {
    return __builtin_floor(x);
  }
}

template <class T>
GK_INLINE T Ceil(T x) {
  if constexpr (SymbolicValue<T>) {
    return T::Apply(Primitive::kCeil, x);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_ceilf(x);
  } else {
    return __builtin_ceil(x);
  }
}

template <class T>
GK_INLINE T Trunc(T x) {
  if constexpr (SymbolicValue<T>) {
    return T::Apply(Primitive::kTrunc, x);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_truncf(x);
  } else {
    return __builtin_trunc(x);
  }
}

// To nearest, halves to even.
template <class T>
GK_INLINE T Rint(T x) {
  if constexpr (SymbolicValue<T>) {
    return T::Apply(Primitive::kRint, x);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_rintf(x);
  } else {
    return __builtin_rint(x);
  }
}

template <class T>
GK_INLINE T Round(T x) {
  return Rint(x);
}

// The remainder with the sign of x.
template <class T>
GK_INLINE T Fmod(T x, T y) {
  return CallOf<[](auto a, auto b) {
    if constexpr (sizeof(a) == 4) {
      return __builtin_fmodf(a, b);
    } else {
      return __builtin_fmod(a, b);
    }
  }>(x, y);
}

// The remainder with the divisor's sign. fmod is exact where x / y is not,
// hence the C library.
template <class T>
GK_INLINE T FloorMod(T x, T y) {
  const T r = Fmod(x, y);
  return Select(And(r != T(0), (r < T(0)) != (y < T(0))), r + y, r);
}

// The neighbour of x towards y.
template <class T>
GK_INLINE T NextAfter(T x, T y) {
  using Uint = typename FloatBits<T>::Uint;
  const Uint bits = ToBits(x);
  const auto away = (y > x) == (x > T(0));
  const T step = FromBits<T>(Select(away, bits + 1, bits - 1));
  const T from_zero = CopySign(FromBits<ScalarOf<T>>(1), y);
  const T moved = Select(x == T(0), from_zero, step);
  const T v = Select(x == y, y, moved);
  return Select(And(x == x, y == y), v, x + y);
}

}  // namespace gk::math

#endif  // GK_KERNELS_MATH_ROUNDING_H_
