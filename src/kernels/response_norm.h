// Local response normalisation: each channel of a place divided by a power of
// the squares of the channels around it. Half and bfloat16 are computed as
// float. Slices are rows; stateless and thread-safe.
#ifndef GK_KERNELS_RESPONSE_NORM_H_
#define GK_KERNELS_RESPONSE_NORM_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/elementwise.h"
#include "kernels/parallel.h"

namespace gk {

struct ResponseNorm {
  int64_t rows = 0, depth = 0, radius = 0;
  float bias = 1, alpha = 1, beta = 0.5;

  template <class T>
  void Run(const T* x, T* y, const Parallel& parallel) const {
    ForRows(parallel, [&](int64_t at, float* values, float* norms) {
      Norms(x + at, values, norms);
      for (int64_t i = 0; i < depth; ++i) {
        y[at + i] = Convert<T>(values[i] * std::pow(norms[i], -beta));
      }
    });
  }

  // dx[k] = dy[k] / norm[k]^beta
  //         - 2 alpha beta x[k] * sum of dy[j] y[j] / norm[j] around k.
  template <class T>
  void RunGradient(const T* x, const T* y, const T* dy, T* dx,
                   const Parallel& parallel) const {
    ForRows(parallel, [&](int64_t at, float* values, float* norms) {
      Norms(x + at, values, norms);
      for (int64_t k = 0; k < depth; ++k) {
        double around = 0;
        for (int64_t j = First(k); j < End(k); ++j) {
          around +=
              Convert<float>(dy[at + j]) * Convert<float>(y[at + j]) / norms[j];
        }
        const float direct =
            Convert<float>(dy[at + k]) * std::pow(norms[k], -beta);
        dx[at + k] = Convert<T>(direct - 2 * alpha * beta * values[k] *
                                             static_cast<float>(around));
      }
    });
  }

 private:
  int64_t First(int64_t i) const { return std::max<int64_t>(0, i - radius); }
  int64_t End(int64_t i) const { return std::min(depth, i + radius + 1); }

  template <class T>
  void Norms(const T* x, float* values, float* norms) const {
    for (int64_t i = 0; i < depth; ++i) values[i] = Convert<float>(x[i]);
    for (int64_t i = 0; i < depth; ++i) {
      float sum = 0;
      for (int64_t j = First(i); j < End(i); ++j) sum += values[j] * values[j];
      norms[i] = bias + alpha * sum;
    }
  }

  template <class Fn>
  void ForRows(const Parallel& parallel, Fn&& fn) const {
    const int64_t slice =
        std::max<int64_t>(1, 4096 / std::max(depth, int64_t{1}));
    parallel.For((rows + slice - 1) / slice, [&](int64_t s) {
      std::vector<float> space(2 * depth);
      const int64_t end = std::min(rows, (s + 1) * slice);
      for (int64_t r = s * slice; r < end; ++r) {
        fn(r * depth, space.data(), space.data() + depth);
      }
    });
  }
};

}  // namespace gk

#endif  // GK_KERNELS_RESPONSE_NORM_H_
