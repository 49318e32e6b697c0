// What a Euclidean norm does before and after it adds up.
//
// Raw memory; narrow floats are computed as floats, integers' roots as doubles.
#ifndef GK_KERNELS_EUCLIDEAN_H_
#define GK_KERNELS_EUCLIDEAN_H_

#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>

namespace gk {

template <class T>
void SquareSizes(const T* x, int64_t n, T* out) {
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (requires { x[i].real(); }) {
      out[i] = T(std::norm(x[i]));
    } else if constexpr (std::is_arithmetic_v<T>) {
      out[i] = static_cast<T>(x[i] * x[i]);
    } else {
      const float v = static_cast<float>(x[i]);
      out[i] = T(v * v);
    }
  }
}

template <class T>
void TakeRoots(int64_t n, T* x) {
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (requires { x[i].real(); }) {
      x[i] = std::sqrt(x[i]);
    } else if constexpr (std::is_arithmetic_v<T>) {
      x[i] = static_cast<T>(std::sqrt(static_cast<double>(x[i])));
    } else {
      x[i] = T(std::sqrt(static_cast<float>(x[i])));
    }
  }
}

}  // namespace gk

#endif  // GK_KERNELS_EUCLIDEAN_H_
