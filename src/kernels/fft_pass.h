// One pass of a Fourier transform: butterflies of one radix over split real
// and imaginary parts (Stockham's order, so that nothing is ever permuted).
//
// With n = radix * m and `s` numbers side by side, element q + s (p + m k) of
// the input, k below the radix, makes element q + s (radix p + k) of the
// output. The s numbers begin as lanes: those of several transforms at once.
// The input may have a step of its own in place of s.
#ifndef GK_KERNELS_FFT_PASS_H_
#define GK_KERNELS_FFT_PASS_H_

#include <cstdint>

#include "kernels/isa.h"

namespace gk {

template <class T>
struct FftPassArgs {
  int64_t radix, m, s, x_step;
  const T *xr, *xi;
  T *yr, *yi;
  // exp(-2 pi i p k / n) at [(k - 1) m + p].
  const T *wr, *wi;
  // exp(-2 pi i k / radix), for radices without a butterfly of their own.
  const T *rr, *ri;
};

template <class T>
struct Cx {
  T r, i;
  friend GK_INLINE Cx operator+(Cx a, Cx b) { return {a.r + b.r, a.i + b.i}; }
  friend GK_INLINE Cx operator-(Cx a, Cx b) { return {a.r - b.r, a.i - b.i}; }
  friend GK_INLINE Cx operator*(Cx a, Cx b) {
    return {a.r * b.r - a.i * b.i, a.r * b.i + a.i * b.r};
  }
  friend GK_INLINE Cx operator*(T a, Cx b) { return {a * b.r, a * b.i}; }
  GK_INLINE Cx MinusI() const { return {i, -r}; }
};

// Where the numbers of one butterfly stand.
template <class T>
struct FftPlace {
  const T *xr, *xi;
  T *yr, *yi;
  int64_t x_step, y_step;

  GK_INLINE Cx<T> Get(int64_t k) const {
    return {xr[k * x_step], xi[k * x_step]};
  }
  GK_INLINE void Put(int64_t k, Cx<T> v) const {
    yr[k * y_step] = v.r;
    yi[k * y_step] = v.i;
  }
};

// The factors of one butterfly, from 1; all 1 in the last pass.
template <class T, int kRadix, bool kTurns>
struct FftTurns {
  Cx<T> w[kRadix];

  GK_INLINE FftTurns(const FftPassArgs<T>& a, int64_t p) {
    if constexpr (kTurns) {
#pragma GCC unroll 8
      for (int k = 1; k < kRadix; ++k) {
        w[k] = {a.wr[(k - 1) * a.m + p], a.wi[(k - 1) * a.m + p]};
      }
    }
  }
  GK_INLINE Cx<T> operator()(int k, Cx<T> v) const {
    if constexpr (kTurns) {
      return v * w[k];
    } else {
      return v;
    }
  }
};

template <int kRadix>
struct FftButterfly;

template <>
struct FftButterfly<2> {
  template <class T, class Turns>
  static GK_INLINE void Run(const FftPlace<T>& at, const Turns& turn) {
    const Cx<T> a = at.Get(0), b = at.Get(1);
    at.Put(0, a + b);
    at.Put(1, turn(1, a - b));
  }
};

template <>
struct FftButterfly<3> {
  template <class T, class Turns>
  static GK_INLINE void Run(const FftPlace<T>& at, const Turns& turn) {
    constexpr T kSin = T(0.866025403784438646763723170752936183L);
    const Cx<T> a = at.Get(0), b = at.Get(1), c = at.Get(2);
    const Cx<T> sum = b + c, turned = kSin * (b - c).MinusI();
    const Cx<T> middle = a - T(0.5) * sum;
    at.Put(0, a + sum);
    at.Put(1, turn(1, middle + turned));
    at.Put(2, turn(2, middle - turned));
  }
};

template <>
struct FftButterfly<4> {
  template <class T, class Turns>
  static GK_INLINE void Run(const FftPlace<T>& at, const Turns& turn) {
    const Cx<T> a = at.Get(0), b = at.Get(1), c = at.Get(2), d = at.Get(3);
    const Cx<T> ac = a + c, bd = b + d;
    const Cx<T> a_c = a - c, b_d = (b - d).MinusI();
    at.Put(0, ac + bd);
    at.Put(1, turn(1, a_c + b_d));
    at.Put(2, turn(2, ac - bd));
    at.Put(3, turn(3, a_c - b_d));
  }
};

template <>
struct FftButterfly<5> {
  template <class T, class Turns>
  static GK_INLINE void Run(const FftPlace<T>& at, const Turns& turn) {
    constexpr T kCos1 = T(0.309016994374947424102293417182819059L),
                kSin1 = T(0.951056516295153572116439333379382143L),
                kCos2 = T(-0.809016994374947424102293417182819059L),
                kSin2 = T(0.587785252292473129168705954639072769L);
    const Cx<T> a = at.Get(0), b = at.Get(1), c = at.Get(2), d = at.Get(3),
                e = at.Get(4);
    const Cx<T> be = b + e, cd = c + d, b_e = (b - e).MinusI(),
                c_d = (c - d).MinusI();
    const Cx<T> m1 = a + kCos1 * be + kCos2 * cd,
                m2 = a + kCos2 * be + kCos1 * cd;
    const Cx<T> t1 = kSin1 * b_e + kSin2 * c_d, t2 = kSin2 * b_e - kSin1 * c_d;
    at.Put(0, a + be + cd);
    at.Put(1, turn(1, m1 + t1));
    at.Put(2, turn(2, m2 + t2));
    at.Put(3, turn(3, m2 - t2));
    at.Put(4, turn(4, m1 - t1));
  }
};

template <>
struct FftButterfly<8> {
  template <class T, class Turns>
  static GK_INLINE void Run(const FftPlace<T>& at, const Turns& turn) {
    constexpr T kHalf = T(0.707106781186547524400844362104849039L);
    const Cx<T> a = at.Get(0), b = at.Get(1), c = at.Get(2), d = at.Get(3),
                e = at.Get(4), f = at.Get(5), g = at.Get(6), h = at.Get(7);
    // Even elements of the result from the sums, odd ones from the
    // differences, each by a butterfly of four.
    const Cx<T> ae = a + e, bf = b + f, cg = c + g, dh = d + h;
    const Cx<T> a_e = a - e, b_f = b - f, c_g = (c - g).MinusI(), d_h = d - h;
    const Cx<T> b1 = kHalf * (b_f + b_f.MinusI()),
                d3 = kHalf * (d_h.MinusI() - d_h);
    const Cx<T> s = ae + cg, t = ae - cg, u = bf + dh, v = (bf - dh).MinusI();
    const Cx<T> x = a_e + c_g, y = a_e - c_g, z = b1 + d3,
                q = (b1 - d3).MinusI();
    at.Put(0, s + u);
    at.Put(1, turn(1, x + z));
    at.Put(2, turn(2, t + v));
    at.Put(3, turn(3, y + q));
    at.Put(4, turn(4, s - u));
    at.Put(5, turn(5, x - z));
    at.Put(6, turn(6, t - v));
    at.Put(7, turn(7, y - q));
  }
};

template <class T, int kRadix, bool kTurns>
struct FftPass {
  static GK_INLINE void Run(const FftPassArgs<T>& args) {
    const FftPassArgs<T> a = args;
    if (a.s == 1 && a.x_step == 1) {
#pragma GCC ivdep
      for (int64_t p = 0; p < a.m; ++p) {
        FftButterfly<kRadix>::Run(
            FftPlace<T>{a.xr + p, a.xi + p, a.yr + kRadix * p,
                        a.yi + kRadix * p, a.m, 1},
            FftTurns<T, kRadix, kTurns>(a, p));
      }
      return;
    }
    for (int64_t p = 0; p < a.m; ++p) {
      const FftTurns<T, kRadix, kTurns> turns(a, p);
      const int64_t from = a.x_step * p, to = a.s * kRadix * p;
#pragma GCC ivdep
      for (int64_t q = 0; q < a.s; ++q) {
        FftButterfly<kRadix>::Run(
            FftPlace<T>{a.xr + from + q, a.xi + from + q, a.yr + to + q,
                        a.yi + to + q, a.x_step * a.m, a.s},
            turns);
      }
    }
  }
};

// Any radix.
template <class T, bool kTurns>
struct FftPass<T, 0, kTurns> {
  static GK_INLINE void Run(const FftPassArgs<T>& args) {
    const FftPassArgs<T> a = args;
    for (int64_t p = 0; p < a.m; ++p) {
      for (int64_t k = 0; k < a.radix; ++k) {
        T* yr = a.yr + a.s * (a.radix * p + k);
        T* yi = a.yi + a.s * (a.radix * p + k);
        const Cx<T> w =
            k == 0 ? Cx<T>{1, 0}
                   : Cx<T>{a.wr[(k - 1) * a.m + p], a.wi[(k - 1) * a.m + p]};
        int64_t turn = 0;
        for (int64_t j = 0; j < a.radix; ++j) {
          const T* xr = a.xr + a.x_step * (p + a.m * j);
          const T* xi = a.xi + a.x_step * (p + a.m * j);
          const Cx<T> f = Cx<T>{a.rr[turn], a.ri[turn]} * w;
          turn += k;
          if (turn >= a.radix) turn -= a.radix;
          if (j == 0) {
#pragma GCC ivdep
            for (int64_t q = 0; q < a.s; ++q) {
              const Cx<T> v = Cx<T>{xr[q], xi[q]} * f;
              yr[q] = v.r;
              yi[q] = v.i;
            }
          } else {
#pragma GCC ivdep
            for (int64_t q = 0; q < a.s; ++q) {
              const Cx<T> v = Cx<T>{xr[q], xi[q]} * f;
              yr[q] += v.r;
              yi[q] += v.i;
            }
          }
        }
      }
    }
  }
};

}  // namespace gk

#endif  // GK_KERNELS_FFT_PASS_H_
