// Powers. A float's power is computed in double precision as e^(y ln x), with
// the C standard's results for every special pair. The double version is the
// C library's, but for squares. Pure functions.
#ifndef GK_KERNELS_MATH_POW_H_
#define GK_KERNELS_MATH_POW_H_

#include <cmath>

#include "kernels/math/exp_log.h"
#include "kernels/math/rounding.h"

namespace gk::math {

template <class T>
GK_INLINE T PowFloat(T x, T y) {
  using D = Over<T, double>;
  const D a = Abs(static_cast<D>(x));
  const LogExponent<D> parts = SplitExponent(a);
  const D f = FromBits<D>(parts.mantissa) - 1.0;
  const D s = f / (2.0 + f);
  const D z = s * s;
  const D log =
      parts.k * 0x1.62e42fefa39efp-1 +
      (s * z *
           Poly(z, 0.6666666667629102, 0.39999995436555014, 0.2857213060426228,
                0.2217522314864612, 0.19598974035752978) +
       (s + s));
  D product = LogSpecial(a, log) * static_cast<D>(y);
  product = Select(product > 100.0, 100.0, product);
  product = Select(product < -110.0, -110.0, product);
  const ExpReduced<D> e = ReduceExp(product);
  const D tail = Poly(e.r, 0.50000000697246882, 0.16666665927888069,
                      0.041666289633349486, 0.0083334833131648422,
                      0.0013944980017897787, 0.00019797962097992979);
  T v = static_cast<T>((e.r * e.r * tail + e.r + 1.0) * PowerOfTwo<D>(e.n));
  const T half = y * 0.5f;
  const auto integral = Rint(y) == y;
  const auto even = Rint(half) == half;
  // The sign bit of x counts for odd integers, even at zero.
  const auto sign =
      Select(And(integral, !even), ToBits(x) & 0x80000000u, uint32_t{0});
  v = FromBits<T>(ToBits(v) ^ sign);
  v = Select(And(And(x<0.0f, x> - kInf<float>), !integral), kNan<float>, v);
  v = Select(y == 0.0f, 1.0f, v);
  // The exact square rounded, as graphs compute it: ties are many.
  v = Select(y == 2.0f, x * x, v);
  v = Select(And(x == -1.0f, Abs(y) == kInf<float>), 1.0f, v);
  return Select(x == 1.0f, 1.0f, v);
}

inline double PowDouble(double x, double y) {
  return y == 2 ? x * x : std::pow(x, y);
}

template <class T>
GK_INLINE T Pow(T x, T y) {
  if constexpr (kIsFloatValue<T>) {
    return PowFloat(x, y);
  } else {
    return CallOf<PowDouble>(x, y);
  }
}

}  // namespace gk::math

#endif  // GK_KERNELS_MATH_POW_H_
