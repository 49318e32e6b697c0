// Rounding to few levels, as training for quantised inference has it.
#ifndef GK_KERNELS_FAKE_QUANTIZE_H_
#define GK_KERNELS_FAKE_QUANTIZE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/isa.h"
#include "kernels/math/rounding.h"

namespace gk {

// Levels from `low` to `high` at distances of `scale`; zero is one of them.
struct QuantRange {
  float low, high, scale;

  float inverse() const { return 1.0f / scale; }
  // The number of zero's level.
  float zero() const { return std::floor(-low * inverse() + 0.5f); }

  // The range min to max, moved a little.
  static QuantRange Nudged(float min, float max, int quant_min, int quant_max) {
    const float first = static_cast<float>(quant_min),
                last = static_cast<float>(quant_max);
    const float scale = (max - min) / (last - first);
    const float zero = first - min / scale;
    const float nudged = zero < first  ? first
                         : zero > last ? last
                                       : std::round(zero);
    return {(first - nudged) * scale, (last - nudged) * scale, scale};
  }
};

// The level of v; `inverse` is that of the scale, `zero` the number of zero's
// level. A NaN is nobody's least.
GK_INLINE float QuantLevel(float v, float low, float high, float scale,
                           float inverse, float zero) {
  const float below = high < v ? high : v;
  const float inside = below < low ? low : below;
  const float kept = v != v ? v : inside;
  return math::Floor((kept - low) * inverse - zero + 0.5f) * scale;
}

struct FakeQuantizeBody {
  static GK_INLINE void Run(const QuantRange& r, const float* x, float* y,
                            int64_t n) {
    const float low = r.low, high = r.high, scale = r.scale;
    const float inverse = r.inverse(), zero = r.zero();
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      y[i] = QuantLevel(x[i], low, high, scale, inverse, zero);
    }
  }
};

// y = x on the levels.
inline void FakeQuantize(const QuantRange& r, const float* x, float* y,
                         int64_t n) {
  Stamp<FakeQuantizeBody, void(const QuantRange&, const float*, float*,
                               int64_t)>::Best<Isa::kV3>()(r, x, y, n);
}

// The same of rows of channels, each of which has a range of its own, or none,
// `used` 0, and gives zeros.
struct ChannelRanges {
  const float *low, *high, *scale, *inverse, *zero, *used;
};
struct FakeQuantizeRowsBody {
  static GK_INLINE void Run(const ChannelRanges& r, const float* x, float* y,
                            int64_t rows, int64_t channels) {
    for (int64_t row = 0; row < rows; ++row) {
      const float* from = x + row * channels;
      float* to = y + row * channels;
#pragma GCC ivdep
      for (int64_t k = 0; k < channels; ++k) {
        const float level = QuantLevel(from[k], r.low[k], r.high[k], r.scale[k],
                                       r.inverse[k], r.zero[k]);
        to[k] = r.used[k] == 0.0f ? 0.0f : level;
      }
    }
  }
};
inline void FakeQuantizeRows(const ChannelRanges& r, const float* x, float* y,
                             int64_t rows, int64_t channels) {
  Stamp<FakeQuantizeRowsBody, void(const ChannelRanges&, const float*, float*,
                                   int64_t, int64_t)>::Best()(r, x, y, rows,
                                                              channels);
}

// dx = dy where x is in the range, and the sums of dy below and above it.
template <bool kSums>
struct FakeQuantizeGradBody {
  // Sums under way side by side: their number is fixed, so the result is.
  static constexpr int kLanes = 16;

  static GK_INLINE void Run(const QuantRange& r, const float* dy,
                            const float* x, float* dx, int64_t n, int64_t step,
                            double* below, double* above) {
    const float low = r.low, high = r.high;
    double under[kLanes] = {}, over[kLanes] = {};
    const auto each = [&](int64_t i, int l) __attribute__((always_inline)) {
      const float v = x[i], d = dy[i];
      dx[i] = (v >= low) & (v <= high) ? d : 0.0f;
      if constexpr (kSums) {
        under[l] += v < low ? d : 0.0f;
        over[l] += v > high ? d : 0.0f;
      }
    };
    int64_t i = 0;
    for (; step == 1 && i + kLanes <= n; i += kLanes) {
#pragma GCC ivdep
      for (int l = 0; l < kLanes; ++l) each(i + l, l);
    }
    for (; i < n; ++i) each(i * step, 0);
    for (int l = 1; l < kLanes; ++l) {
      under[0] += under[l];
      over[0] += over[l];
    }
    if constexpr (kSums) {
      *below = under[0];
      *above = over[0];
    }
  }
};
// Without the sums where `below` is null.
inline void FakeQuantizeGrad(const QuantRange& r, const float* dy,
                             const float* x, float* dx, int64_t n, int64_t step,
                             double* below, double* above) {
  using Loop = void(const QuantRange&, const float*, const float*, float*,
                    int64_t, int64_t, double*, double*);
  const auto run =
      below != nullptr
          ? Stamp<FakeQuantizeGradBody<true>, Loop>::Best<Isa::kV3>()
          : Stamp<FakeQuantizeGradBody<false>, Loop>::Best<Isa::kV3>();
  run(r, dy, x, dx, n, step, below, above);
}

}  // namespace gk

#endif  // GK_KERNELS_FAKE_QUANTIZE_H_
