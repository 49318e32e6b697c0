// Rounding to few levels, as training for quantised inference has it.
#ifndef GK_KERNELS_FAKE_QUANTIZE_H_
#define GK_KERNELS_FAKE_QUANTIZE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/isa.h"

namespace gk {

// Levels from `low` to `high` at distances of `scale`; zero is one of them.
struct QuantRange {
  float low, high, scale;

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

struct FakeQuantizeBody {
  static GK_INLINE void Run(const QuantRange& r, const float* x, float* y,
                            int64_t n, int64_t step) {
    const float inverse = 1.0f / r.scale;
    const float zero = std::floor(-r.low * inverse + 0.5f);
    const float low = r.low, high = r.high, scale = r.scale;
    for (int64_t i = 0; i < n * step; i += step) {
      const float v = std::max(low, std::min(high, x[i]));
      // A NaN is nobody's least.
      const float kept = x[i] != x[i] ? x[i] : v;
      y[i] = std::floor((kept - low) * inverse - zero + 0.5f) * scale;
    }
  }
};

// y = x on the levels: n elements, `step` apart.
inline void FakeQuantize(const QuantRange& r, const float* x, float* y,
                         int64_t n, int64_t step) {
  Stamp<FakeQuantizeBody, void(const QuantRange&, const float*, float*, int64_t,
                               int64_t)>::Best<Isa::kV3>()(r, x, y, n, step);
}

// dx = dy where x is in the range, and the sums of dy below and above it.
inline void FakeQuantizeGrad(const QuantRange& r, const float* dy,
                             const float* x, float* dx, int64_t n, int64_t step,
                             double* below, double* above) {
  double under = 0, over = 0;
  for (int64_t i = 0; i < n * step; i += step) {
    const bool inside = x[i] >= r.low && x[i] <= r.high;
    dx[i] = inside ? dy[i] : 0.0f;
    under += x[i] < r.low ? dy[i] : 0.0f;
    over += x[i] > r.high ? dy[i] : 0.0f;
  }
  *below = under;
  *above = over;
}

}  // namespace gk

#endif  // GK_KERNELS_FAKE_QUANTIZE_H_
