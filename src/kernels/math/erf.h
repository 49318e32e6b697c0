// The error function and its relatives. A float's erfc is computed in double
// precision, where e^(-x^2) needs no care; that of a double takes the square's
// lost digits in. Pure functions.
#ifndef GK_KERNELS_MATH_ERF_H_
#define GK_KERNELS_MATH_ERF_H_

#include "kernels/math/exp_log.h"

namespace gk::math {

// (erf(x) - x) / x of a double, |x| < 1; z = x^2.
template <class T>
GK_INLINE T ErfSeries(T z) {
  return PolyPairs(
      z, z * z, 0.1283791670955126, -0.3761263890318375, 0.11283791670954879,
      -0.026866170645076792, 0.0052239776248180145, -0.000854832698083379,
      0.0001205533111164271, -1.4925595266831182e-5, 1.6461000484121368e-6,
      -1.6350312701054695e-7, 1.4659775274047436e-8, -1.1372848856791674e-9,
      5.957176147748911e-11);
}

// (1 + 2 b) e^(b^2) erfc(b) of a double in [1/2, 28], by t = (b - 3) / (b + 3).
template <class T>
GK_INLINE T ScaledErfc(T t) {
  return PolyPairs(
      t, t * t, 1.2530080582697296, -0.13562110612458084, -0.04756229435343384,
      0.12964515870271817, -0.11927366341637591, 0.06830802734557402,
      -0.023770514892453878, 0.002529391787416037, 0.0018886900308933137,
      -0.0007798319787670749, -0.00010515741491655, 0.00012509749095168397,
      4.9387975342434404e-6, -2.00929833045886e-5, -7.012462973163499e-7,
      3.4525197016153044e-6, 3.0307407103093377e-7, -5.840747551910045e-7,
      -8.42551957399924e-8, 7.124245030572795e-8, 8.635681414307825e-9);
}

// erfc(b) / e^(-b^2) of a double in [1/2, 28].
template <class T>
GK_INLINE T ErfcOverExp(T b) {
  const T over = T(1) / ((b + T(3)) * (T(1) + (b + b)));
  const T t = (b - T(3)) * ((T(1) + (b + b)) * over);
  return ScaledErfc(t) * ((b + T(3)) * over);
}

template <class T>
GK_INLINE T Erf(T x) {
  if constexpr (kIsFloatValue<T>) {
    const T z = x * x;
    const T small =
        x * Poly(z, 0.128379166f, -0.37612626f, 0.112835832f, -0.0268536918f,
                 0.00518807396f, -0.00080078782f, 7.8461082e-5f) +
        x;
    // ln(erfc) is smooth, and its error counts little next to 1.
    const T a = Abs(x);
    const T t = Select(a > T(4), T(4), a);
    const T log =
        Poly(t, -0.000183877652f, 1.12955892f, 0.633258343f, 0.10837727f,
             -0.0251821633f, 0.00419487897f, -0.000439383904f, 2.15220025e-5f);
    // Far from where powers of two end.
    const ExpReduced<T> e = ReduceExp(-log);
    const T tail = (ExpReducedM1(e.r) + T(1)) * PowerOfTwo<T>(e.n);
    const T large = CopySign(T(1) - tail, x);
    return Select(a < T(1), small, large);
  } else {
    const T a = Abs(x);
    const T small = x * ErfSeries(x * x) + x;
    // Beyond 6 it is 1; what e^(-b^2) loses counts little next to that.
    T b = Select(a > T(6), T(6), a);
    b = Select(b < T(0.5), T(0.5), b);
    const T large = T(1) - ExpOfNegative(-(b * b)) * ErfcOverExp(b);
    const T y = Select(a < T(1), small, CopySign(large, x));
    return Select(x == x, y, x);
  }
}

template <class T>
GK_INLINE T Erfc(T x) {
  if constexpr (kIsFloatValue<T>) {
    using D = Over<T, double>;
    const D d = static_cast<D>(x);
    const D z = d * d;
    const D small =
        1.0 - d * (1.0 + Poly(z, 0.12837916709458466, -0.3761263888849169,
                              0.11283791285130935, -0.026866131390625506,
                              0.0052237763353701339, -0.00085424874501770795,
                              0.00011954801162725575, -1.3898593011468255e-5,
                              1.0562710865395614e-6));
    const D a = Abs(d);
    const D b = Select(a > 10.2, 10.2, a);
    const D t = (b - 2.0) / (b + 2.0);
    const D scaled = Poly(
        t, 0.76618702897058499, -0.25997483620342438, 0.037813891674961284,
        0.042536306936843522, -0.025243375449610497, -0.00051761636561071069,
        0.0039360231928631762, 0.00014022629466735117, -0.00069920235267614708,
        -0.00012510988017696951, 0.00010293076224399895, 3.7052358428780265e-5);
    const D tail = Exp(-(b * b)) * scaled / (1.0 + b);
    const D large = Select(d < 0.0, 2.0 - tail, tail);
    return static_cast<T>(Select(a < 0.5, small, large));
  } else {
    const T a = Abs(x);
    const T small = T(1) - (x * ErfSeries(x * x) + x);
    T b = Select(a > T(28), T(28), a);
    b = Select(b < T(0.5), T(0.5), b);
    // b^2 in two parts, the first of which is exact.
    const T high = FromBits<T>(ToBits(b) & 0xfffffffff8000000u);
    const T low = (high - b) * (high + b);
    const T near = T(1) + low * (T(1) + low * (T(0.5) + low * T(1.0 / 6)));
    const T tail = ErfcOverExp(b) * near;
    const T far = ExpOfNegative(-(high * high)) * tail;
    const T large = Select(x < T(0), T(2) - far, far);
    const T y = Select(a < T(0.5), small, large);
    return Select(x == x, y, x);
  }
}

}  // namespace gk::math

#endif  // GK_KERNELS_MATH_ERF_H_
