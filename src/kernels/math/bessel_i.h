// Modified Bessel functions of the first kind of floats: polynomials in double
// that are exact to 1e-9, of (x - 8) / (x + 8) up to 8 and of 1 / x from there.
// Pure functions.
#ifndef GK_KERNELS_MATH_BESSEL_I_H_
#define GK_KERNELS_MATH_BESSEL_I_H_

#include "kernels/math/exp_log.h"

namespace gk::math {

// e^-a I(a) of order 0 or 1, a >= 0.
template <int kOrder, class D>
GK_INLINE D ScaledBesselIOfSize(D a) {
  const auto is_near = a < 8.0;
  const D t = Select(is_near, a - 8.0, D(1.0)) / Select(is_near, a + 8.0, a);
  const D square = t * t;
  D near, far;
  if constexpr (kOrder == 0) {
    near = PolyPairs(
        t, square, 0.14343178185003447, -0.1486286196231915,
        0.08314921846326653, -0.0883530767550317, 0.07762798955673722,
        -0.08736308520824466, 0.09535382462444014, -0.08992778430375785,
        0.17846191983839751, 0.09365044681651843, 0.3325405841794909,
        0.3587239690734323, 0.15118956038451287, 0.023653028957116823);
    far = PolyPairs(t, square, 0.39894228083080335, 0.049867450158112274,
                    0.028092363222685806, 0.027320679097569404,
                    0.08424139628171587, -0.30054585731951866,
                    1.8169554235364322);
  } else {
    near = a * PolyPairs(t, square, 0.01676781164816389, -0.048492674775687444,
                         0.06801275124098793, -0.07576208493471197,
                         0.07817861888015679, -0.07588416150868409,
                         0.061402149527576666, -0.06519147099741479,
                         -0.005727371081841868, -0.05881119128026803,
                         -0.058257853141235494, -0.014274869032549998,
                         0.002316420040470294, 0.0011089796562556366);
    far = PolyPairs(t, square, 0.39894227992200576, -0.1496029812183847,
                    -0.046797646759691364, -0.03878715280296956,
                    -0.10163402100335689, 0.32631105326500714,
                    -2.048917246627627);
  }
  return Select(is_near, near, far / Sqrt(a));
}

// I(x) of a float, or e^-|x| I(x).
template <int kOrder, bool kScaled, class T>
GK_INLINE T BesselIOfFloat(T x) {
  static_assert(kIsFloatValue<T>);
  using D = Over<T, double>;
  const D d = static_cast<D>(x), a = Abs(d);
  D y = ScaledBesselIOfSize<kOrder>(a);
  if constexpr (!kScaled) {
    y = Select(a == kInf<D>, a, y * Exp(a));
  }
  if constexpr (kOrder == 1) y = CopySign(y, d);
  return static_cast<T>(y);
}

}  // namespace gk::math

#endif  // GK_KERNELS_MATH_BESSEL_I_H_
