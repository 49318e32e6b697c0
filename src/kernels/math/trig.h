// Trigonometric functions and their inverses.
//
// Sin and Cos of a float reduce their argument in double precision with a
// table of 2^e * 2/pi modulo 4 (Payne and Hanek, "Radian reduction for
// trigonometric functions", 1983): exact products, one path for every
// magnitude. Those of a double are the C library's, but for arcus tangents.
// Pure functions.
#ifndef GK_KERNELS_MATH_TRIG_H_
#define GK_KERNELS_MATH_TRIG_H_

#include <cmath>

#include "kernels/math/exp_log.h"

namespace gk::math {

// Entry e holds 2^e * 2/pi modulo 4: a head of 29 bits, whose product with
// a float is exact in double, and the rest.
inline constexpr double kTwoOverPiHead[106] = {
    0x1.45f306d000000p-1, 0x1.45f306d000000p+0, 0x1.45f306d000000p+1,
    0x1.17cc1b7000000p+0, 0x1.17cc1b7000000p+1, 0x1.7cc1b72000000p-2,
    0x1.7cc1b72000000p-1, 0x1.7cc1b72000000p+0, 0x1.7cc1b72000000p+1,
    0x1.f306dc9000000p+0, 0x1.f306dc9000000p+1, 0x1.e60db93000000p+1,
    0x1.cc1b727000000p+1, 0x1.9836e4e000000p+1, 0x1.306dc9c000000p+1,
    0x1.836e4e4000000p-1, 0x1.836e4e4000000p+0, 0x1.836e4e4000000p+1,
    0x1.06dc9c8000000p+1, 0x1.b727220000000p-4, 0x1.b727220000000p-3,
    0x1.b727220000000p-2, 0x1.b727220000000p-1, 0x1.b727220000000p+0,
    0x1.b727220000000p+1, 0x1.6e4e441000000p+1, 0x1.b939105000000p+0,
    0x1.b939105000000p+1, 0x1.727220a000000p+1, 0x1.c9c882a000000p+0,
    0x1.c9c882a000000p+1, 0x1.9391054000000p+1, 0x1.27220a9000000p+1,
    0x1.391054a000000p-1, 0x1.391054a000000p+0, 0x1.391054a000000p+1,
    0x1.c882a53000000p-1, 0x1.c882a53000000p+0, 0x1.c882a53000000p+1,
    0x1.91054a7000000p+1, 0x1.220a94f000000p+1, 0x1.1054a7f000000p-1,
    0x1.1054a7f000000p+0, 0x1.1054a7f000000p+1, 0x1.054a7f0000000p-2,
    0x1.054a7f0000000p-1, 0x1.054a7f0000000p+0, 0x1.054a7f0000000p+1,
    0x1.529fc27000000p-4, 0x1.529fc27000000p-3, 0x1.529fc27000000p-2,
    0x1.529fc27000000p-1, 0x1.529fc27000000p+0, 0x1.529fc27000000p+1,
    0x1.4a7f09d000000p+0, 0x1.4a7f09d000000p+1, 0x1.29fc275000000p+0,
    0x1.29fc275000000p+1, 0x1.4fe13ab000000p-1, 0x1.4fe13ab000000p+0,
    0x1.4fe13ab000000p+1, 0x1.3f84eaf000000p+0, 0x1.3f84eaf000000p+1,
    0x1.fc2757d000000p-1, 0x1.fc2757d000000p+0, 0x1.fc2757d000000p+1,
    0x1.f84eafa000000p+1, 0x1.f09d5f4000000p+1, 0x1.e13abe8000000p+1,
    0x1.c2757d1000000p+1, 0x1.84eafa3000000p+1, 0x1.09d5f47000000p+1,
    0x1.3abe8fa000000p-3, 0x1.3abe8fa000000p-2, 0x1.3abe8fa000000p-1,
    0x1.3abe8fa000000p+0, 0x1.3abe8fa000000p+1, 0x1.d5f47d4000000p-1,
    0x1.d5f47d4000000p+0, 0x1.d5f47d4000000p+1, 0x1.abe8fa9000000p+1,
    0x1.57d1f53000000p+1, 0x1.5f47d4d000000p+0, 0x1.5f47d4d000000p+1,
    0x1.7d1f534000000p+0, 0x1.7d1f534000000p+1, 0x1.f47d4d3000000p+0,
    0x1.f47d4d3000000p+1, 0x1.e8fa9a6000000p+1, 0x1.d1f534d000000p+1,
    0x1.a3ea69b000000p+1, 0x1.47d4d37000000p+1, 0x1.1f534dd000000p+0,
    0x1.1f534dd000000p+1, 0x1.f534ddc000000p-2, 0x1.f534ddc000000p-1,
    0x1.f534ddc000000p+0, 0x1.f534ddc000000p+1, 0x1.ea69bb8000000p+1,
    0x1.d4d3770000000p+1, 0x1.a9a6ee0000000p+1, 0x1.534ddc0000000p+1,
    0x1.4d37703000000p+0, 0x1.4d37703000000p+1, 0x1.34ddc0d000000p+0,
    0x1.34ddc0d000000p+1,
};
inline constexpr double kTwoOverPiTail[106] = {
    0x1.9391054a7f09dp-30, 0x1.9391054a7f09dp-29, 0x1.9391054a7f09dp-28,
    0x1.391054a7f09d6p-31, 0x1.391054a7f09d6p-30, 0x1.c882a53f84eb0p-32,
    0x1.c882a53f84eb0p-31, 0x1.c882a53f84eb0p-30, 0x1.c882a53f84eb0p-29,
    0x1.91054a7f09d5fp-29, 0x1.91054a7f09d5fp-28, 0x1.220a94fe13abfp-28,
    0x1.1054a7f09d5f4p-30, 0x1.1054a7f09d5f4p-29, 0x1.1054a7f09d5f4p-28,
    0x1.054a7f09d5f48p-31, 0x1.054a7f09d5f48p-30, 0x1.054a7f09d5f48p-29,
    0x1.054a7f09d5f48p-28, 0x1.529fc2757d1f5p-33, 0x1.529fc2757d1f5p-32,
    0x1.529fc2757d1f5p-31, 0x1.529fc2757d1f5p-30, 0x1.529fc2757d1f5p-29,
    0x1.529fc2757d1f5p-28, 0x1.4a7f09d5f47d5p-29, 0x1.29fc2757d1f53p-30,
    0x1.29fc2757d1f53p-29, 0x1.29fc2757d1f53p-28, 0x1.4fe13abe8fa9ap-30,
    0x1.4fe13abe8fa9ap-29, 0x1.4fe13abe8fa9ap-28, 0x1.3f84eafa3ea6ap-29,
    0x1.fc2757d1f534ep-31, 0x1.fc2757d1f534ep-30, 0x1.fc2757d1f534ep-29,
    0x1.f09d5f47d4d37p-30, 0x1.f09d5f47d4d37p-29, 0x1.f09d5f47d4d37p-28,
    0x1.e13abe8fa9a6fp-28, 0x1.c2757d1f534dep-28, 0x1.3abe8fa9a6ee0p-34,
    0x1.3abe8fa9a6ee0p-33, 0x1.3abe8fa9a6ee0p-32, 0x1.3abe8fa9a6ee0p-31,
    0x1.3abe8fa9a6ee0p-30, 0x1.3abe8fa9a6ee0p-29, 0x1.3abe8fa9a6ee0p-28,
    0x1.5f47d4d377037p-34, 0x1.5f47d4d377037p-33, 0x1.5f47d4d377037p-32,
    0x1.5f47d4d377037p-31, 0x1.5f47d4d377037p-30, 0x1.5f47d4d377037p-29,
    0x1.7d1f534ddc0dbp-30, 0x1.7d1f534ddc0dbp-29, 0x1.f47d4d377036ep-30,
    0x1.f47d4d377036ep-29, 0x1.d1f534ddc0db6p-30, 0x1.d1f534ddc0db6p-29,
    0x1.d1f534ddc0db6p-28, 0x1.47d4d377036d9p-29, 0x1.47d4d377036d9p-28,
    0x1.f534ddc0db629p-33, 0x1.f534ddc0db629p-32, 0x1.f534ddc0db629p-31,
    0x1.f534ddc0db629p-30, 0x1.f534ddc0db629p-29, 0x1.f534ddc0db629p-28,
    0x1.ea69bb81b6c53p-28, 0x1.d4d377036d8a5p-28, 0x1.a9a6ee06db14bp-28,
    0x1.34ddc0db6295ap-32, 0x1.34ddc0db6295ap-31, 0x1.34ddc0db6295ap-30,
    0x1.34ddc0db6295ap-29, 0x1.34ddc0db6295ap-28, 0x1.a6ee06db14acdp-30,
    0x1.a6ee06db14acdp-29, 0x1.a6ee06db14acdp-28, 0x1.4ddc0db629599p-28,
    0x1.377036d8a5665p-29, 0x1.bb81b6c52b328p-31, 0x1.bb81b6c52b328p-30,
    0x1.bb81b6c52b328p-29, 0x1.bb81b6c52b328p-28, 0x1.dc0db6295993cp-30,
    0x1.dc0db6295993cp-29, 0x1.dc0db6295993cp-28, 0x1.b81b6c52b3279p-28,
    0x1.7036d8a5664f1p-28, 0x1.c0db6295993c4p-29, 0x1.81b6c52b32788p-29,
    0x1.81b6c52b32788p-28, 0x1.b6c52b3278872p-35, 0x1.b6c52b3278872p-34,
    0x1.b6c52b3278872p-33, 0x1.b6c52b3278872p-32, 0x1.b6c52b3278872p-31,
    0x1.b6c52b3278872p-30, 0x1.b6c52b3278872p-29, 0x1.b6c52b3278872p-28,
    0x1.b6295993c4390p-30, 0x1.b6295993c4390p-29, 0x1.6c52b32788721p-29,
    0x1.6c52b32788721p-28,
};

// x = (k + f) pi/2 with |f| <= 1/2: returns f pi/2 and the low bits of k.
template <class T>
struct QuarterTurns {
  T r;
  Over<T, uint32_t> k;
};

// From x / 2^e and the entry e.
template <class T, class D>
GK_INLINE QuarterTurns<T> ReduceByEntry(D scaled, D entry_head, D entry_tail) {
  const D head = scaled * entry_head;
  const D rounded = head + 0x1.8p52;
  const D f = (head - (rounded - 0x1.8p52)) + scaled * entry_tail;
  return {static_cast<T>(f * 0x1.921fb54442d18p+0),
          static_cast<Over<T, uint32_t>>(ToBits(rounded))};
}

template <class T>
GK_INLINE QuarterTurns<T> ReduceQuarters(T x) {
  using Int = Over<T, int32_t>;
  using Uint = Over<T, uint32_t>;
  using D = Over<T, double>;
  const Int exponent = static_cast<Int>((ToBits(x) >> 23) & 255) - (127 + 23);
  Int e = Select(exponent > 0, exponent, Int(0));
  e = Select(e > 105, Int(105), e);
  const D scaled = static_cast<D>(x * FromBits<T>(Uint(127 - e) << 23));
  // As wide as the entries: g++ vectorises no narrower gather index.
  const auto row = static_cast<Over<T, int64_t>>(e);
  return ReduceByEntry<T>(scaled, Lookup(kTwoOverPiHead, row),
                          Lookup(kTwoOverPiTail, row));
}

// The same below 2^24, where the entry is the first one.
GK_INLINE QuarterTurns<float> ReduceUsualQuarters(float x) {
  return ReduceByEntry<float>(static_cast<double>(x), kTwoOverPiHead[0],
                              kTwoOverPiTail[0]);
}
inline constexpr float kUsualAngle = 0x1p24f;

template <class T>
GK_INLINE T SinOfReduced(T r, Over<T, uint32_t> k) {
  const T z = r * r;
  const T sin =
      Poly(z, -0.166666672f, 0.00833337288f, -0.000198502603f, 2.8036643e-6f) *
          (z * r) +
      r;
  const T cos = (Poly(z, 0.0416666679f, -0.00138889742f, 2.48196884e-5f,
                      -2.86524568e-7f) *
                     (z * z) -
                 0.5f * z) +
                1.0f;
  const T y = Select((k & 1) != 0, cos, sin);
  return FromBits<T>(ToBits(y) ^ ((k & 2) << 30));
}

template <class T>
GK_INLINE T SinOfTurns(T x, QuarterTurns<T> q) {
  return Select(x == 0.0f, x, SinOfReduced(q.r, q.k));
}
template <class T>
GK_INLINE T CosOfTurns(T x, QuarterTurns<T> q) {
  return SinOfReduced(q.r, q.k + 1);
}
template <class T>
GK_INLINE T TanOfTurns(T x, QuarterTurns<T> q) {
  const T sin = SinOfReduced(q.r, q.k);
  const T y = sin / SinOfReduced(q.r, q.k + 1);
  return Select(x == 0.0f, x, y);
}

// One of the three as a functor of TileBody. Of a double it is kOfDouble.
template <auto kOfTurns, auto kOfDouble>
struct OfAngle {
  struct UsualWay {
    GK_INLINE static bool Takes(float x) { return Abs(x) < kUsualAngle; }
    GK_INLINE float operator()(float x) const {
      return kOfTurns(x, ReduceUsualQuarters(x));
    }
  };
  template <class T>
  GK_INLINE T operator()(T x) const {
    if constexpr (kIsFloatValue<T>) {
      return kOfTurns(x, ReduceQuarters(x));
    } else {
      return CallOf<kOfDouble>(x);
    }
  }
};
inline constexpr OfAngle < [](auto x, auto q) __attribute__((always_inline)) {
  return SinOfTurns(x, q);
}
, [](double v) { return std::sin(v); } > kSin;
inline constexpr OfAngle < [](auto x, auto q) __attribute__((always_inline)) {
  return CosOfTurns(x, q);
}
, [](double v) { return std::cos(v); } > kCos;
inline constexpr OfAngle < [](auto x, auto q) __attribute__((always_inline)) {
  return TanOfTurns(x, q);
}
, [](double v) { return std::tan(v); } > kTan;

template <class T>
GK_INLINE T Sin(T x) {
  return kSin(x);
}
template <class T>
GK_INLINE T Cos(T x) {
  return kCos(x);
}
template <class T>
GK_INLINE T Tan(T x) {
  return kTan(x);
}

// atan(y / x) for 0 <= y <= x, of at most one rounding error more than the
// quotient's.
template <class T>
GK_INLINE T AtanOfRatio(T t) {
  const T z = t * t;
  if constexpr (!kIsFloatValue<T>) {
    return PolyPairs(
               z, z * z, -0.3333333333333333, 0.19999999999999984,
               -0.14285714285711718, 0.11111111110929807, -0.09090909084093506,
               0.07692307534369985, -0.06666664203478607, 0.0588232553920069,
               -0.05262931380521779, 0.04760471049395462, -0.043407182638729704,
               0.03971908106924452, -0.036139320776507194, 0.03213544133307827,
               -0.02718155333081564, 0.021121594179966983,
               -0.014503079564732733, 0.00844989240397037,
               -0.004000209679906822, 0.0014617449054205385,
               -0.00038394037972999467, 6.417524965866564e-5,
               -5.1088410388226665e-6) *
               (z * t) +
           t;
  } else {
    return Poly(z, -0.333333015f, 0.199986294f, -0.142651498f, 0.109570846f,
                -0.0841803923f, 0.0582104474f, -0.0314318426f, 0.0110516995f,
                -0.00182437699f) *
               (z * t) +
           t;
  }
}

// pi / 2 and what it lacks.
template <class T>
inline constexpr ScalarOf<T> kRightAngle =
    kIsFloatValue<T> ? ScalarOf<T>(0x1.921fb6p+0)
                     : ScalarOf<T>(0x1.921fb54442d18p+0);
template <class T>
inline constexpr ScalarOf<T> kRightAngleRest =
    kIsFloatValue<T> ? ScalarOf<T>(-0x1.777a5cp-25)
                     : ScalarOf<T>(0x1.1a62633145c07p-54);

template <class T>
GK_INLINE T Atan(T x) {
  const T a = Abs(x);
  const auto inverted = a > T(1);
  const T y = AtanOfRatio(Select(inverted, T(1) / a, a));
  const T turned = (kRightAngle<T> - y) + kRightAngleRest<T>;
  return CopySign(Select(inverted, turned, y), x);
}

// The angle of the point (x, y), by the smaller ratio of its sides.
template <class T>
GK_INLINE T Atan2(T y, T x) {
  constexpr ScalarOf<T> kAngle = kRightAngle<T>, kRest = kRightAngleRest<T>;
  constexpr ScalarOf<T> kHalfTurn = 2 * kAngle, kHalfTurnRest = 2 * kRest;
  const T a = Abs(y), b = Abs(x);
  const auto steep = a > b;
  const T most = Select(steep, a, b), least = Select(steep, b, a);
  // Of the origin, and of two infinities.
  T ratio = Select(most == T(0), T(0), least / most);
  ratio = Select(least == T(kInf<T>), T(1), ratio);
  T angle = AtanOfRatio(ratio);
  angle = Select(steep, (kAngle - angle) + kRest, angle);
  const auto left = CopySign(T(1), x) < T(0);
  angle = Select(left, (kHalfTurn - angle) + kHalfTurnRest, angle);
  angle = CopySign(angle, y);
  return Select(And(x == x, y == y), angle, x + y);
}

// asin(a) for 0 <= a <= 1/2.
template <class T>
GK_INLINE T AsinSmall(T a, T z) {
  return Poly(z, 0.166666597f, 0.0750051811f, 0.0445145629f, 0.0318261534f,
              0.014373092f, 0.037603911f) *
             (z * a) +
         a;
}

// asin(a) for 0 <= a <= 1; where a is `large`, beyond 1/2, the y of
// asin(a) = pi/2 - 2 y, which is asin(sqrt((1 - a) / 2)).
template <class T, class Mask>
GK_INLINE T AsinHalved(T a, Mask large) {
  const T half = 0.5f * (1.0f - a);
  return AsinSmall(Select(large, Sqrt(half), a), Select(large, half, a * a));
}

template <class T>
GK_INLINE T Asin(T x) {
  if constexpr (kIsFloatValue<T>) {
    const T a = Abs(x);
    const auto large = a > 0.5f;
    const T y = AsinHalved(a, large);
    const T turned = 0x1.921fb6p+0f - (y + y + 0x1.777a5cp-25f);
    return CopySign(Select(large, turned, y), x);
  } else {
    return CallOf<[](double v) { return std::asin(v); }>(x);
  }
}

template <class T>
GK_INLINE T Acos(T x) {
  if constexpr (kIsFloatValue<T>) {
    const T a = Abs(x);
    const auto large = a > 0.5f;
    const T y = AsinHalved(a, large);
    const T far =
        Select(x < 0.0f, 0x1.921fb6p+1f - (y + y + 0x1.777a5cp-24f), y + y);
    const T near = 0x1.921fb6p+0f - (CopySign(y, x) + 0x1.777a5cp-25f);
    return Select(large, far, near);
  } else {
    return CallOf<[](double v) { return std::acos(v); }>(x);
  }
}

}  // namespace gk::math

#endif  // GK_KERNELS_MATH_TRIG_H_
