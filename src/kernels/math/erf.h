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
        x * Poly(z, 0.128379166f, -0.37612614f, 0.112834364f, -0.0268472563f,
                 0.00517533999f, -0.000789228303f, 7.45435536e-5f) +
        x;
    // From 3.875 on it is 1, and so is the polynomial there.
    const T a = Abs(x);
    const T t = Select(a > T(3.875f), T(3.875f), a) - T(2.375f);
    const T large =
        Poly(t, 0.999217093f, 0.00400659549f, -0.00951667875f, 0.0137288384f,
             -0.0131231919f, 0.00836392026f, -0.00314364024f, 0.000114037015f,
             0.000636281038f, -0.000334031327f, 2.33453957e-5f, 3.46760062e-5f,
             -9.0836802e-6f);
    return Select(a < T(1.06f), small, CopySign(large, x));
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
    const D a = Abs(d);
    const D b = Select(a > 10.2, 10.2, a);
    // (1 + b) e^(b^2) erfc(b) is smooth; exact to 2e-9, as all of this is.
    const D over = 1.0 / ((b + 3.0) * (1.0 + b));
    const D t = (b - 3.0) * ((1.0 + b) * over);
    const D scaled =
        Poly(t, 0.7160046052854246, -0.23092735140798756, 0.09902068922588184,
             -0.010234692130467075, -0.023802396985972418, 0.021950939565437703,
             -0.00976511446686981, 0.0016403953128135886, 0.0007045797122596393,
             -0.00037201194769774027, -0.00010508155401086655);
    // Far from where powers of two end.
    const ExpReduced<D> e = ReduceExp(-(b * b));
    const D power = (Poly(e.r, 0.5000000067673065, 0.1666666586904902,
                          0.04166629498103276, 0.008333497058759513,
                          0.0013944657066857294, 0.00019790344419401952) *
                         (e.r * e.r) +
                     e.r) +
                    1.0;
    const D tail = (power * PowerOfTwo<D>(e.n)) * (scaled * ((b + 3.0) * over));
    return static_cast<T>(Select(d < 0.0, 2.0 - tail, tail));
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
