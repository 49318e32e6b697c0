// The quantile of the normal distribution and the inverse of the error
// function, by the rational functions of M. J. Wichura, "Algorithm AS 241: The
// percentage points of the normal distribution", Applied Statistics 37 (1988);
// computed in double, of some 6 units in the last place there. Pure functions.
#ifndef GK_KERNELS_MATH_NORMAL_H_
#define GK_KERNELS_MATH_NORMAL_H_

#include "kernels/math/exp_log.h"

namespace gk::math {

// The quantile at 1/2 + q; `least` is the smaller of 1/2 + q and 1/2 - q, which
// is not zero.
template <class D>
GK_INLINE D NormalQuantile(D q, D least) {
  const D near = 0.180625 - q * q;
  const D root = Sqrt(-Log(least));
  const D mid = root - 1.6, far = root - 5.0;
  const auto is_near = Abs(q) <= 0.425, is_far = root > 5.0;
  const D tail_over =
      Select(is_far,
             Poly(far, 6.65790464350110377720, 5.46378491116411436990,
                  1.78482653991729133580, 2.96560571828504891230e-1,
                  2.65321895265761230930e-2, 1.24266094738807843860e-3,
                  2.71155556874348757815e-5, 2.01033439929228813265e-7),
             Poly(mid, 1.42343711074968357734, 4.63033784615654529590,
                  5.76949722146069140550, 3.64784832476320460504,
                  1.27045825245236838258, 2.41780725177450611770e-1,
                  2.27238449892691845833e-2, 7.74545014278341407640e-4));
  const D tail_under =
      Select(is_far,
             Poly(far, 1.0, 5.99832206555887937690e-1,
                  1.36929880922735805310e-1, 1.48753612908506148525e-2,
                  7.86869131145613259100e-4, 1.84631831751005468180e-5,
                  1.42151175831644588870e-7, 2.04426310338993978564e-15),
             Poly(mid, 1.0, 2.05319162663775882187, 1.67638483018380384940,
                  6.89767334985100004550e-1, 1.48103976427480074590e-1,
                  1.51986665636164571966e-2, 5.47593808499534494600e-4,
                  1.05075007164441684324e-9));
  const D near_over =
      q * Poly(near, 3.3871328727963666080, 1.3314166789178437745e+2,
               1.9715909503065514427e+3, 1.3731693765509461125e+4,
               4.5921953931549871457e+4, 6.7265770927008700853e+4,
               3.3430575583588128105e+4, 2.5090809287301226727e+3);
  const D near_under = Poly(near, 1.0, 4.2313330701600911252e+1,
                            6.8718700749205790830e+2, 5.3941960214247511077e+3,
                            2.1213794301586595867e+4, 3.9307895800092710610e+4,
                            2.8729085735721942674e+4, 5.2264952788528545610e+3);
  return Select(is_near, near_over, CopySign(tail_over, q)) /
         Select(is_near, near_under, tail_under);
}

template <class T>
GK_INLINE T Erfinv(T x) {
  using D = Over<T, double>;
  const D d = static_cast<D>(x), a = Abs(d);
  const D y = NormalQuantile(0.5 * d, 0.5 * (1.0 - a)) * 0x1.6a09e667f3bcdp-1;
  return static_cast<T>(Select(a == 1.0, CopySign(kInf<D>, d), y));
}

template <class T>
GK_INLINE T Ndtri(T value) {
  using D = Over<T, double>;
  const D p = static_cast<D>(value);
  const D y = NormalQuantile(p - 0.5, Select(p < 0.5, p, 1.0 - p));
  const D lower = Select(p == 0.0, D(-kInf<D>), y);
  return static_cast<T>(Select(p == 1.0, D(kInf<D>), lower));
}

}  // namespace gk::math

#endif  // GK_KERNELS_MATH_NORMAL_H_
