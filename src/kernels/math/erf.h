// The error function and its relatives. A float's erfc is computed in double
// precision, where e^(-x^2) needs no care. The double versions are the C
// library's. Pure functions.
#ifndef GK_KERNELS_MATH_ERF_H_
#define GK_KERNELS_MATH_ERF_H_

#include <cmath>

#include "kernels/math/exp_log.h"

namespace gk::math {

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
    const T large = CopySign(T(1) - Exp(-log), x);
    return Select(a < T(1), small, large);
  } else {
    return CallOf<[](double v) { return std::erf(v); }>(x);
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
    return CallOf<[](double v) { return std::erfc(v); }>(x);
  }
}

}  // namespace gk::math

#endif  // GK_KERNELS_MATH_ERF_H_
