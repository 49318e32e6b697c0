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
#include <type_traits>

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

// The largest radix without a butterfly of its own.
inline constexpr int64_t kLargestRadix = 61;

// Any odd radix: elements k and radix - k of the result are a + i b and a - i b
// of sums a of what elements j and radix - j add up to, and b of how they
// differ.
template <class T, bool kTurns>
struct FftPass<T, 0, kTurns> {
  // Numbers side by side that are worked on together.
  static constexpr int64_t kWidth = 64 / sizeof(T);

  static GK_INLINE void Run(const FftPassArgs<T>& args) {
    const FftPassArgs<T> a = args;
    for (int64_t p = 0; p < a.m; ++p) {
      int64_t q = 0;
      for (; q + kWidth <= a.s; q += kWidth) {
        Some(a, p, q, std::integral_constant<int64_t, kWidth>());
      }
      if (q < a.s) Some(a, p, q, a.s - q);
    }
  }

 private:
  template <class Width>
  static GK_INLINE void Some(const FftPassArgs<T>& a, int64_t p, int64_t q,
                             Width width) {
    constexpr int64_t kMost = kLargestRadix / 2;
    T sr[kMost][kWidth], si[kMost][kWidth], dr[kMost][kWidth],
        di[kMost][kWidth], zr[kWidth], zi[kWidth];
    const int64_t half = a.radix / 2;
    const auto from = [&](int64_t j) { return a.x_step * (p + a.m * j) + q; };
    const auto to = [&](int64_t k) { return a.s * (a.radix * p + k) + q; };
    {
      const T *xr = a.xr + from(0), *xi = a.xi + from(0);
      for (int64_t l = 0; l < width; ++l) {
        zr[l] = xr[l];
        zi[l] = xi[l];
      }
    }
    for (int64_t j = 0; j < half; ++j) {
      const T *xr = a.xr + from(j + 1), *xi = a.xi + from(j + 1);
      const T *ur = a.xr + from(a.radix - j - 1),
              *ui = a.xi + from(a.radix - j - 1);
      for (int64_t l = 0; l < width; ++l) {
        sr[j][l] = xr[l] + ur[l];
        si[j][l] = xi[l] + ui[l];
        dr[j][l] = xr[l] - ur[l];
        di[j][l] = xi[l] - ui[l];
      }
    }
    for (int64_t k = 0; k <= half; ++k) {
      T ar[kWidth], ai[kWidth], br[kWidth], bi[kWidth];
      for (int64_t l = 0; l < width; ++l) {
        ar[l] = zr[l];
        ai[l] = zi[l];
        br[l] = bi[l] = T(0);
      }
      int64_t turn = 0;
      for (int64_t j = 0; j < half; ++j) {
        turn += k;
        if (turn >= a.radix) turn -= a.radix;
        const T c = a.rr[turn], s = a.ri[turn];
        for (int64_t l = 0; l < width; ++l) {
          ar[l] += c * sr[j][l];
          ai[l] += c * si[j][l];
          br[l] += s * dr[j][l];
          bi[l] += s * di[j][l];
        }
      }
      Put(a, p, k, to(k), width, ar, ai, br, bi, T(1));
      if (k > 0) {
        Put(a, p, a.radix - k, to(a.radix - k), width, ar, ai, br, bi, T(-1));
      }
    }
  }

  template <class Width>
  static GK_INLINE void Put(const FftPassArgs<T>& a, int64_t p, int64_t k,
                            int64_t at, Width width, const T* ar, const T* ai,
                            const T* br, const T* bi, T sign) {
    T *yr = a.yr + at, *yi = a.yi + at;
    const Cx<T> w =
        k == 0 ? Cx<T>{1, 0}
               : Cx<T>{a.wr[(k - 1) * a.m + p], a.wi[(k - 1) * a.m + p]};
    for (int64_t l = 0; l < width; ++l) {
      const Cx<T> v = Cx<T>{ar[l] - sign * bi[l], ai[l] + sign * br[l]} * w;
      yr[l] = v.r;
      yi[l] = v.i;
    }
  }
};

}  // namespace gk

#endif  // GK_KERNELS_FFT_PASS_H_
