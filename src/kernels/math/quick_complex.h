// Functions of complex numbers whose parts are floats, by these parts and
// without the checks of the C library: where the result is no number, or the
// argument far out, the library is asked. Numbers of doubles are the library's.
// Pure functions.
#ifndef GK_KERNELS_MATH_QUICK_COMPLEX_H_
#define GK_KERNELS_MATH_QUICK_COMPLEX_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>

#include "kernels/math.h"

namespace gk::math {

// F::Of(real, imaginary [, of the second number], &real, &imaginary) says
// whether that is the result; F::Exactly is the library's function.
struct DivideParts {
  // Squares of floats never leave what a double holds.
  static GK_INLINE bool Of(double ar, double ai, double br, double bi,
                           float* to_re, float* to_im) {
    const double over = 1 / (br * br + bi * bi);
    const double re = (ar * br + ai * bi) * over,
                 im = (ai * br - ar * bi) * over;
    *to_re = static_cast<float>(re);
    *to_im = static_cast<float>(im);
    return (re == re) & (im == im);
  }
  template <class C>
  static C Exactly(C a, C b) {
    return a / b;
  }
};

struct ReciprocalParts {
  static GK_INLINE bool Of(float re, float im, float* to_re, float* to_im) {
    return DivideParts::Of(1, 0, re, im, to_re, to_im);
  }
  template <class C>
  static C Exactly(C z) {
    return C(1) / z;
  }
};

struct SqrtParts {
  static GK_INLINE bool Of(float x, float y, float* to_re, float* to_im) {
    const double re = x, im = y;
    const double square = 0.5 * (Sqrt(re * re + im * im) + Abs(re));
    const float root = Sqrt(static_cast<float>(square));
    const float other = 0.5f * y / root;
    *to_re = x >= 0 ? root : Abs(other);
    *to_im = x >= 0 ? other : CopySign(root, y);
    return (square > 1e-30) & (square < 1e30);
  }
  template <class C>
  static C Exactly(C z) {
    return std::sqrt(z);
  }
};

// Of numbers below 10,000.
GK_INLINE QuarterTurns<float> ReduceFewQuarters(float x) {
  const double d = x;
  const double rounded = d * 0x1.45f306dc9c883p-1 + 0x1.8p52;
  const double n = rounded - 0x1.8p52;
  const double r = (d - n * 0x1.921fb544p+0) - n * 0x1.0b4611a626331p-34;
  return {static_cast<float>(r), static_cast<uint32_t>(ToBits(rounded))};
}

struct ExpParts {
  static GK_INLINE bool Of(float re, float im, float* to_re, float* to_im) {
    const QuarterTurns<float> q = ReduceFewQuarters(im);
    const float size = Exp(re);
    *to_re = size * SinOfReduced(q.r, q.k + 1);
    *to_im = im == 0 ? im : size * SinOfReduced(q.r, q.k);
    return (Abs(re) < 80.0f) & (Abs(im) < 1e4f);
  }
  template <class C>
  static C Exactly(C z) {
    return std::exp(z);
  }
};

struct LogParts {
  static GK_INLINE bool Of(float x, float y, float* to_re, float* to_im) {
    const double re = x, im = y;
    const double square = re * re + im * im;
    *to_re = static_cast<float>(0.5 * Log(square));
    *to_im = Atan2(y, x);
    return (square > 0) & (square < 1e300);
  }
  template <class C>
  static C Exactly(C z) {
    return std::log(z);
  }
};

// By the tangent t of the imaginary part and the hyperbolic sine s of the real
// one: ((1 + t^2) s cosh + i t) / (1 + (1 + t^2) s^2). W. Kahan, "Branch cuts
// for complex elementary functions" (1987).
struct TanhParts {
  static GK_INLINE bool Of(float x, float y, float* to_re, float* to_im) {
    const QuarterTurns<float> q = ReduceFewQuarters(y);
    const double t =
        double{SinOfReduced(q.r, q.k)} / double{SinOfReduced(q.r, q.k + 1)};
    const double s = Sinh(x), turned = 1 + t * t;
    const double over = 1 / (1 + turned * s * s);
    *to_re = static_cast<float>(turned * s * Sqrt(1 + s * s) * over);
    *to_im = y == 0 ? y : static_cast<float>(t * over);
    return (Abs(x) < 20.0f) & (Abs(y) < 1e4f);
  }
  template <class C>
  static C Exactly(C z) {
    return std::tanh(z);
  }
};

// F of one number or two.
template <class F, class C, class... Rest>
C ByParts(C z, Rest... rest) {
  if constexpr (std::is_same_v<C, std::complex<float>>) {
    float re, im;
    bool good;
    if constexpr (sizeof...(rest) == 0) {
      good = F::Of(z.real(), z.imag(), &re, &im);
    } else {
      good =
          F::Of(z.real(), z.imag(), rest.real()..., rest.imag()..., &re, &im);
    }
    if (good) [[likely]]
      return {re, im};
  }
  return F::Exactly(z, rest...);
}

// The same of n numbers in turn: a loop for kernels/isa.h.
template <class F, int kArity>
struct PartsTileBody {
  using C = std::complex<float>;

  static GK_INLINE int Run(void* out, const void* const* in, int64_t n,
                           const void*) {
    constexpr int64_t kSome = 64;
    const float* x = static_cast<const float*>(in[0]);
    const float* y = static_cast<const float*>(in[kArity - 1]);
    float* to = static_cast<float*>(out);
    alignas(64) float re[kSome], im[kSome];
    alignas(64) int32_t bad[kSome];
    for (; n > 0; n -= kSome, x += 2 * kSome, y += 2 * kSome, to += 2 * kSome) {
      const int64_t some = std::min(kSome, n);
      int32_t any = 0;
      for (int64_t i = 0; i < some; ++i) {
        bool good;
        if constexpr (kArity == 1) {
          good = F::Of(x[2 * i], x[2 * i + 1], re + i, im + i);
        } else {
          good = F::Of(x[2 * i], x[2 * i + 1], y[2 * i], y[2 * i + 1], re + i,
                       im + i);
        }
        bad[i] = good ? 0 : 1;
        any |= bad[i];
      }
      if (any != 0) [[unlikely]]
        Mend(x, y, some, bad, re, im);
      for (int64_t i = 0; i < some; ++i) {
        to[2 * i] = re[i];
        to[2 * i + 1] = im[i];
      }
    }
    return 0;
  }

 private:
  [[gnu::noinline, gnu::cold]] static void Mend(const float* x, const float* y,
                                                int64_t n, const int32_t* bad,
                                                float* re, float* im) {
    for (int64_t i = 0; i < n; ++i) {
      if (bad[i] == 0) continue;
      C z(x[2 * i], x[2 * i + 1]);
      if constexpr (kArity == 1) {
        z = F::Exactly(z);
      } else {
        z = F::Exactly(z, C(y[2 * i], y[2 * i + 1]));
      }
      re[i] = z.real();
      im[i] = z.imag();
    }
  }
};

template <class R>
R QuickAbs(std::complex<R> z) {
  if constexpr (sizeof(R) == 4) {
    const double re = z.real(), im = z.imag();
    const double size = std::sqrt(re * re + im * im);
    if (size == size) [[likely]]
      return static_cast<R>(size);
  }
  return std::abs(z);
}

}  // namespace gk::math

#endif  // GK_KERNELS_MATH_QUICK_COMPLEX_H_
