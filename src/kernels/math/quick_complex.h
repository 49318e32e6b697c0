// Functions of complex numbers whose parts are floats, without the checks of
// the C library: these are made where the result is no number. And the angle of
// two floats. Numbers of doubles are the library's. Pure functions.
#ifndef GK_KERNELS_MATH_QUICK_COMPLEX_H_
#define GK_KERNELS_MATH_QUICK_COMPLEX_H_

#include <cmath>
#include <complex>

#include "kernels/math.h"

namespace gk::math {

// The angle of the point (x, y), by the smaller ratio of its sides.
template <class T>
GK_INLINE T QuickAtan2(T y, T x) {
  if constexpr (kIsFloatValue<T>) {
    const T a = Abs(y), b = Abs(x);
    const auto steep = a > b;
    const T most = Select(steep, a, b), least = Select(steep, b, a);
    // Of the origin, and of two infinities.
    T ratio = Select(most == T(0), T(0), least / most);
    ratio = Select(least == T(kInf<T>), T(1), ratio);
    T angle = AtanOfRatio(ratio);
    angle = Select(steep, (0x1.921fb6p+0f - angle) + -0x1.777a5cp-25f, angle);
    const auto left = (ToBits(x) & 0x80000000u) != 0u;
    angle = Select(left, (0x1.921fb6p+1f - angle) + -0x1.777a5cp-24f, angle);
    angle = CopySign(angle, y);
    return Select(And(x == x, y == y), angle, x + y);
  } else {
    return Atan2(y, x);
  }
}

template <class C>
C QuickDivide(C a, C b) {
  return a / b;
}
// Squares of floats never leave what a double holds.
inline std::complex<float> QuickDivide(std::complex<float> a,
                                       std::complex<float> b) {
  const double ar = a.real(), ai = a.imag(), br = b.real(), bi = b.imag();
  const double over = 1 / (br * br + bi * bi);
  const double re = (ar * br + ai * bi) * over, im = (ai * br - ar * bi) * over;
  if (re != re || im != im) [[unlikely]]
    return a / b;
  return {static_cast<float>(re), static_cast<float>(im)};
}

template <class C>
C QuickSqrt(C z) {
  return std::sqrt(z);
}
inline std::complex<float> QuickSqrt(std::complex<float> z) {
  const double re = z.real(), im = z.imag();
  const double root =
      std::sqrt(0.5 * (std::sqrt(re * re + im * im) + std::abs(re)));
  if (!(root > 0 && root < 1e30)) [[unlikely]]
    return std::sqrt(z);
  const auto major = static_cast<float>(root);
  const auto minor = static_cast<float>(0.5 * im / root);
  if (re >= 0) return {major, minor};
  return {std::abs(minor), std::copysign(major, z.imag())};
}

template <class C>
C QuickExp(C z) {
  return std::exp(z);
}
inline std::complex<float> QuickExp(std::complex<float> z) {
  if (!(std::abs(z.real()) < 80 && std::abs(z.imag()) < 1e4f)) [[unlikely]]
    return std::exp(z);
  const float size = Exp(z.real());
  return {size * Cos(z.imag()), size * Sin(z.imag())};
}

template <class C>
C QuickLog(C z) {
  return std::log(z);
}
inline std::complex<float> QuickLog(std::complex<float> z) {
  const double re = z.real(), im = z.imag();
  const double square = re * re + im * im;
  if (!(square > 0 && square < 1e300)) [[unlikely]]
    return std::log(z);
  return {static_cast<float>(0.5 * std::log(square)),
          QuickAtan2(z.imag(), z.real())};
}

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
