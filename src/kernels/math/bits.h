// Floating-point numbers as bit patterns, and the constants that the
// vectorised functions of kernels/math.h share. Branch-free and free of
// conversions between 64-bit integers and doubles, which need AVX-512.
#ifndef GK_KERNELS_MATH_BITS_H_
#define GK_KERNELS_MATH_BITS_H_

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/isa.h"
#include "kernels/value.h"

namespace gk::math {

template <class T>
struct FloatBits;

template <>
struct FloatBits<float> {
  using Int = int32_t;
  using Uint = uint32_t;
  static constexpr int kMantissa = 23;
  static constexpr Int kBias = 127;
  // Adding this rounds to an integer that stands in the low bits.
  static constexpr float kMagic = 0x1.8p23f;
  static constexpr float kMinNormal = 0x1p-126f;
  static constexpr float kLn2Hi = 0x1.62e3p-1f;     // Low bits are zero, so
  static constexpr float kLn2Lo = 0x1.2fefa2p-17f;  // k * kLn2Hi is exact.
};

template <>
struct FloatBits<double> {
  using Int = int64_t;
  using Uint = uint64_t;
  static constexpr int kMantissa = 52;
  static constexpr Int kBias = 1023;
  static constexpr double kMagic = 0x1.8p52;
  static constexpr double kMinNormal = 0x1p-1022;
  static constexpr double kLn2Hi = 0x1.62e42feep-1;
  static constexpr double kLn2Lo = 0x1.a39ef35793c76p-33;
};

template <SymbolicValue V>
struct FloatBits<V> : FloatBits<ScalarOf<V>> {
  using Int = Over<V, typename FloatBits<ScalarOf<V>>::Int>;
  using Uint = Over<V, typename FloatBits<ScalarOf<V>>::Uint>;
};

template <class T>
inline constexpr ScalarOf<T> kInf =
    std::numeric_limits<ScalarOf<T>>::infinity();
template <class T>
inline constexpr ScalarOf<T> kNan =
    std::numeric_limits<ScalarOf<T>>::quiet_NaN();

template <class T>
GK_INLINE typename FloatBits<T>::Uint ToBits(T x) {
  return BitCast<ScalarOf<typename FloatBits<T>::Uint>>(x);
}

template <class T>
GK_INLINE T FromBits(typename FloatBits<T>::Uint bits) {
  return BitCast<ScalarOf<T>>(bits);
}

template <class T>
GK_INLINE T Abs(T x) {
  if constexpr (SymbolicValue<T>) {
    return T::Apply(Primitive::kAbs, x);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_fabsf(x);
  } else {
    return __builtin_fabs(x);
  }
}

template <class T>
GK_INLINE T CopySign(std::type_identity_t<T> magnitude, T sign) {
  if constexpr (SymbolicValue<T>) {
    return T::Apply(Primitive::kCopySign, magnitude, sign);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_copysignf(magnitude, sign);
  } else {
    return __builtin_copysign(magnitude, sign);
  }
}

// Evaluates c[0] + c[1] x + c[2] x^2 + ... by Horner's rule. The loop has a
// constant count and unrolls before vectorisation.
template <class T, class... C>
GK_INLINE T Poly(T x, std::type_identity_t<T> c0, C... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return c0;
  } else {
    return Poly(x, rest...) * x + c0;
  }
}

// The same in pairs of terms, given square = x^2: half as many steps wait for
// one another.
template <class T>
GK_INLINE T PolyPairs(T, T, std::type_identity_t<T> c0) {
  return c0;
}
template <class T>
GK_INLINE T PolyPairs(T x, T, std::type_identity_t<T> c0,
                      std::type_identity_t<T> c1) {
  return c1 * x + c0;
}
template <class T, class... C>
GK_INLINE T PolyPairs(T x, T square, std::type_identity_t<T> c0,
                      std::type_identity_t<T> c1, std::type_identity_t<T> c2,
                      C... rest) {
  return PolyPairs(x, square, c2, rest...) * square + (c1 * x + c0);
}

// 2^n for a normal number, where the low bits of `biased` are n + kBias.
template <class T>
GK_INLINE T PowerOfTwo(typename FloatBits<T>::Uint biased) {
  return FromBits<T>(biased << FloatBits<T>::kMantissa);
}

}  // namespace gk::math

#endif  // GK_KERNELS_MATH_BITS_H_
