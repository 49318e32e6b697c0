// Exponentials and logarithms: Exp, Expm1, Log, Log1p, and what is one step
// away from them: Sigmoid, Softplus, Xlogy, Xlog1py, Xdivy, Sqrt, Rsqrt.
// Argument reduction by Cody and Waite, "Software Manual for the Elementary
// Functions" (1980); the logarithm's series is in s = f / (2 + f). The
// polynomials are least-maximum fits made for this file. Errors stay within
// 2 units in the last place (see math_test.cc). Pure functions.
#ifndef GK_KERNELS_MATH_EXP_LOG_H_
#define GK_KERNELS_MATH_EXP_LOG_H_

#include "kernels/math/bits.h"

namespace gk::math {

// e^r - 1 for |r| <= ln(2) / 2.
template <class T>
GK_INLINE T ExpReducedM1(T r) {
  const T square = r * r;
  T tail;
  if constexpr (kIsFloatValue<T>) {
    tail = PolyPairs(r, square, 0.5f, 0.16666545f, 0.0416664034f,
                     0.00836639572f, 0.00139406428f);
  } else {
    tail = PolyPairs(r, square, 0.5, 0.16666666666666682, 0.041666666666666498,
                     0.0083333333333176218, 0.0013888888888985412,
                     0.00019841269895228301, 2.4801587118454618e-5,
                     2.7557235806827565e-6, 2.7557449778122498e-7,
                     2.5111761818263387e-8, 2.086114798267286e-9);
  }
  return square * tail + r;
}

// x = n ln(2) + r; the low bits of `n` are the integer plus an offset.
template <class T>
struct ExpReduced {
  typename FloatBits<T>::Uint n;
  T r;
};

// The offset comes for free. With kBias, n is what PowerOfTwo() takes.
template <class T>
GK_INLINE ExpReduced<T> ReduceExp(T x, int offset = FloatBits<T>::kBias) {
  using B = FloatBits<T>;
  using S = ScalarOf<T>;
  constexpr S kLog2E = S(0x1.71547652b82fep+0);
  const S magic = B::kMagic + S(offset);
  const T rounded = x * kLog2E + magic;
  const T n = rounded - magic;
  return {ToBits(rounded), (x - n * B::kLn2Hi) - n * B::kLn2Lo};
}

template <class T>
GK_INLINE T Exp(T x) {
  using B = FloatBits<T>;
  using Uint = typename B::Uint;
  using S = ScalarOf<T>;
  constexpr S kHigh = kIsFloatValue<T> ? 89 : 710;
  constexpr S kLow = kIsFloatValue<T> ? -104 : -746;
  // Two factors, 2^(n/2) each: the result may be a denormal, or overflow,
  // where 2^n itself cannot be written.
  const ExpReduced<T> a = ReduceExp(x, 2 * B::kBias);
  const Uint half = a.n >> 1;
  const T y = (ExpReducedM1(a.r) + T(1)) * PowerOfTwo<T>(half) *
              PowerOfTwo<T>(a.n - half);
  const T above = Select(x < kLow, T(0), y);
  return Select(x > kHigh, kInf<T>, above);
}

// e^x for x <= 0 or NaN, with less ado about the factors.
template <class T>
GK_INLINE T ExpOfNegative(T x) {
  using B = FloatBits<T>;
  using S = ScalarOf<T>;
  constexpr S kLow = kIsFloatValue<T> ? -104 : -746;
  constexpr int kShift = kIsFloatValue<T> ? 64 : 512;
  constexpr S kDown = kIsFloatValue<T> ? S(0x1p-64) : S(0x1p-512);
  const T clamped = Select(x < kLow, kLow, x);
  const ExpReduced<T> a = ReduceExp(clamped, B::kBias + kShift);
  return (ExpReducedM1(a.r) + T(1)) * PowerOfTwo<T>(a.n) * kDown;
}

template <class T>
GK_INLINE T Expm1(T x) {
  using S = ScalarOf<T>;
  constexpr S kHigh = kIsFloatValue<T> ? 89 : 710;
  constexpr S kLow = kIsFloatValue<T> ? -18 : -40;
  T clamped = Select(x > kHigh, kHigh, x);
  clamped = Select(clamped < kLow, kLow, clamped);
  // Half of 2^n, because n may be one above the largest exponent.
  const ExpReduced<T> a = ReduceExp(clamped, FloatBits<T>::kBias - 1);
  const T half = PowerOfTwo<T>(a.n);
  const T y = T(2) * (half * ExpReducedM1(a.r) + (half - T(0.5)));
  return Select(x == T(0), x, y);
}

// ln((1 + f) 2^k) for sqrt(1/2) <= 1 + f < sqrt(2).
template <class T>
GK_INLINE T LogReduced(T f, T k) {
  using B = FloatBits<T>;
  const T half_square = T(0.5) * f * f;
  const T s = f / (T(2) + f);
  const T z = s * s;
  T tail;
  if constexpr (kIsFloatValue<T>) {
    tail = z * Poly(z, 0.666666627f, 0.4000085f, 0.285102189f, 0.240260169f);
  } else {
    tail =
        z * Poly(z, 0.66666666666666663, 0.40000000000005037,
                 0.28571428569351531, 0.22222222618384016, 0.18181777298613225,
                 0.15387039846014489, 0.13250913155632546, 0.13246631544200135);
  }
  return k * B::kLn2Hi -
         ((half_square - (s * (half_square + tail) + k * B::kLn2Lo)) - f);
}

// The integer k (as a float) and the bits of 2^k that bring a positive
// normal number x into [sqrt(1/2), sqrt(2)).
template <class T>
struct LogExponent {
  T k;
  typename FloatBits<T>::Uint mantissa;  // Bits of x / 2^k.
};

template <class T>
GK_INLINE LogExponent<T> SplitExponent(T x) {
  using B = FloatBits<T>;
  using Uint = typename B::Uint;
  using S = ScalarOf<T>;
  using Word = ScalarOf<Uint>;
  constexpr Word kRootHalf = std::bit_cast<Word>(
      S(kIsFloatValue<T> ? 0x1.6a09e6p-1 : 0x1.6a09e667f3bcdp-1));
  constexpr Word kMask = (Word{1} << B::kMantissa) - 1;
  // Shifted up by a large even bias, so that a logical shift will do.
  constexpr Word kUp = kIsFloatValue<T> ? 256 : 2048;
  const Uint shifted = ToBits(x) - kRootHalf;
  const Uint biased = (shifted + (kUp / 2 << B::kMantissa)) >> B::kMantissa;
  constexpr S kTwoToMantissa = kIsFloatValue<T> ? S(0x1p23) : S(0x1p52);
  const T k = FromBits<T>(biased | std::bit_cast<Word>(kTwoToMantissa)) -
              (kTwoToMantissa + S(kUp / 2));
  return {k, (shifted & kMask) + kRootHalf};
}

// What a logarithm of `u` must be where u is no positive finite number.
template <class T>
GK_INLINE T LogSpecial(T u, T y) {
  y = Select(u == kInf<T>, u, y);
  y = Select(u == T(0), -kInf<T>, y);
  return Select(u >= T(0), y, kNan<T>);
}

template <class T>
GK_INLINE T Log(T x) {
  using S = ScalarOf<T>;
  constexpr S kScale = kIsFloatValue<T> ? S(0x1p25) : S(0x1p54);
  constexpr S kScaleLog = kIsFloatValue<T> ? 25 : 54;
  const auto tiny = x < FloatBits<T>::kMinNormal;
  const LogExponent<T> a = SplitExponent(Select(tiny, x * kScale, x));
  const T k = Select(tiny, a.k - kScaleLog, a.k);
  return LogSpecial(x, LogReduced(FromBits<T>(a.mantissa) - T(1), k));
}

template <class T>
GK_INLINE T Log1p(T x) {
  using S = ScalarOf<T>;
  const T u = T(1) + x;
  const LogExponent<T> a = SplitExponent(u);
  // f from x rather than from u, whose low bits of x are lost; 2^-k is the
  // quotient of u's own two forms.
  const T down = FromBits<T>(a.mantissa + ToBits(S(1)) - ToBits(u));
  // Far out `down` is no normal number any more, and u is x.
  const T f = Select(a.k > T(100), FromBits<T>(a.mantissa) - T(1),
                     x * down + (down - T(1)));
  const T y = LogSpecial(u, LogReduced(f, a.k));
  return Select(x == T(0), x, y);
}

template <class T>
GK_INLINE T Sqrt(T x) {
  if constexpr (SymbolicValue<T>) {
    return T::Apply(Primitive::kSqrt, x);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_sqrtf(x);
  } else {
    return __builtin_sqrt(x);
  }
}

template <class T>
GK_INLINE T Rsqrt(T x) {
  return T(1) / Sqrt(x);
}

// e^x / (1 + e^x), with both terms scaled up so that e^x is a normal number.
template <class T>
GK_INLINE T Sigmoid(T x) {
  using S = ScalarOf<T>;
  constexpr int kShift = kIsFloatValue<T> ? 64 : 512;
  constexpr S kUp = kIsFloatValue<T> ? S(0x1p64) : S(0x1p512);
  constexpr S kLow = kIsFloatValue<T> ? -104 : -746;
  const ExpReduced<T> a = ReduceExp(x, FloatBits<T>::kBias + kShift);
  const T e = (ExpReducedM1(a.r) + T(1)) * PowerOfTwo<T>(a.n);
  const T y = Select(x < kLow, T(0), e / (e + kUp));
  return Select(x > T(40), T(1), y);
}

template <class T>
GK_INLINE T Softplus(T x) {
  const T y = Log1p(ExpOfNegative(-Abs(x))) + Select(x > T(0), x, T(0));
  return Select(x == x, y, x);
}

// x * ln(y), and 0 where x is 0 whatever y is.
template <class T>
GK_INLINE T Xlogy(T x, T y) {
  const T v = x * Log(y);
  return Select(x == T(0), T(0), v);
}

template <class T>
GK_INLINE T Xlog1py(T x, T y) {
  const T v = x * Log1p(y);
  return Select(x == T(0), T(0), v);
}

template <class T>
GK_INLINE T Xdivy(T x, T y) {
  const T v = x / y;
  return Select(x == T(0), T(0), v);
}

}  // namespace gk::math

#endif  // GK_KERNELS_MATH_EXP_LOG_H_
