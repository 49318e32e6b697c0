// Local response normalisation: each channel of a place divided by a power of
// the squares of the channels around it. Half and bfloat16 are computed as
// float. Slices are rows; stateless and thread-safe.
#ifndef GK_KERNELS_RESPONSE_NORM_H_
#define GK_KERNELS_RESPONSE_NORM_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/elementwise.h"
#include "kernels/isa.h"
#include "kernels/math.h"
#include "kernels/parallel.h"

namespace gk {

struct ResponseNorm {
  int64_t rows = 0, depth = 0, radius = 0;
  float bias = 1, alpha = 1, beta = 0.5;

  template <class T>
  void Run(const T* x, T* y, const Parallel& parallel) const {
    ForRows(parallel, [&](int64_t at, Line& line) {
      Norms(x + at, line);
      for (int64_t i = 0; i < depth; ++i) {
        y[at + i] = Convert<T>(line.values[i] * line.powers[i]);
      }
    });
  }

  // dx[k] = dy[k] / norm[k]^beta
  //         - 2 alpha beta x[k] * sum of dy[j] y[j] / norm[j] around k.
  template <class T>
  void RunGradient(const T* x, const T* y, const T* dy, T* dx,
                   const Parallel& parallel) const {
    ForRows(parallel, [&](int64_t at, Line& line) {
      Norms(x + at, line);
      float* shares = line.padded.data() + line.reach;
      for (int64_t j = 0; j < depth; ++j) {
        shares[j] = Convert<float>(dy[at + j]) * Convert<float>(y[at + j]) /
                    line.norms[j];
      }
      SumAround(line.padded.data(), depth, 2 * line.reach + 1,
                line.around.data());
      for (int64_t k = 0; k < depth; ++k) {
        const float direct = Convert<float>(dy[at + k]) * line.powers[k];
        dx[at + k] =
            Convert<T>(direct - 2 * alpha * beta * line.values[k] *
                                    static_cast<float>(line.around[k]));
      }
    });
  }

 private:
  // What is made of one row. `padded` has zeros on both sides, so that sums
  // around a channel need no ends.
  struct Line {
    explicit Line(const ResponseNorm& n)
        : reach(std::min(n.radius, n.depth)),
          values(n.depth),
          norms(n.depth),
          powers(n.depth),
          padded(n.depth + 2 * reach),
          around(n.depth) {}
    int64_t reach;
    std::vector<float> values, norms, powers, padded;
    std::vector<double> around;
  };

  // to[i] = from[i] + ... + from[i + taps - 1], in this order.
  template <class Sum>
  static void SumAround(const float* from, int64_t n, int64_t taps, Sum* to) {
    std::fill_n(to, n, Sum(0));
    for (int64_t t = 0; t < taps; ++t) {
      for (int64_t i = 0; i < n; ++i) to[i] += static_cast<Sum>(from[i + t]);
    }
  }

  struct Powers {
    static GK_INLINE void Run(const float* __restrict norms, int64_t n,
                              float beta, float* __restrict to) {
      if (beta == 0.5f) {
        for (int64_t i = 0; i < n; ++i) to[i] = 1 / math::Sqrt(norms[i]);
        return;
      }
      if (beta == 0) {
        std::fill_n(to, n, 1.0f);
        return;
      }
      for (int64_t i = 0; i < n; ++i) {
        const double log = math::Log(static_cast<double>(norms[i]));
        to[i] = static_cast<float>(math::Exp(log * -static_cast<double>(beta)));
      }
    }
  };

  template <class T>
  void Norms(const T* x, Line& line) const {
    float* squares = line.padded.data() + line.reach;
    for (int64_t i = 0; i < depth; ++i) {
      line.values[i] = Convert<float>(x[i]);
      squares[i] = line.values[i] * line.values[i];
    }
    SumAround(line.padded.data(), depth, 2 * line.reach + 1, line.norms.data());
    for (float& norm : line.norms) norm = bias + alpha * norm;
    Stamp<Powers, void(const float*, int64_t, float, float*)>::Best()(
        line.norms.data(), depth, beta, line.powers.data());
  }

  template <class Fn>
  void ForRows(const Parallel& parallel, Fn&& fn) const {
    const int64_t slice =
        std::max<int64_t>(1, 4096 / std::max(depth, int64_t{1}));
    parallel.For((rows + slice - 1) / slice, [&](int64_t s) {
      Line line(*this);
      const int64_t end = std::min(rows, (s + 1) * slice);
      for (int64_t r = s * slice; r < end; ++r) fn(r * depth, line);
    });
  }
};

}  // namespace gk

#endif  // GK_KERNELS_RESPONSE_NORM_H_
