// Draws from normal distributions cut off at given limits, by rejection
// (Robert, "Simulation of truncated normal variables", 1995): from the whole
// normal distribution where much of it lies inside, else from a uniform or an
// exponential one. One stream serves all draws, one after the other, in groups
// of a block of the generator; what is left of a group when the last draw of a
// distribution is made is not used. Results are those of TensorFlow's
// operations on a CPU whose one thread does all the work.
#ifndef GK_KERNELS_RANDOM_TRUNCATED_H_
#define GK_KERNELS_RANDOM_TRUNCATED_H_

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/half.h"
#include "kernels/random.h"

namespace gk {

// A half that rounds after each step of arithmetic.
struct RoundedHalf {
  float v = 0;
  RoundedHalf() = default;
  RoundedHalf(half x) : v(static_cast<float>(x)) {}
  explicit RoundedHalf(double x) : v(static_cast<float>(half(x))) {}
  static RoundedHalf Of(float x) { return RoundedHalf(half(x)); }
  explicit operator half() const { return half(v); }
  RoundedHalf operator-() const { return Of(-v); }
  friend RoundedHalf operator+(RoundedHalf a, RoundedHalf b) {
    return Of(a.v + b.v);
  }
  friend RoundedHalf operator-(RoundedHalf a, RoundedHalf b) {
    return Of(a.v - b.v);
  }
  friend RoundedHalf operator*(RoundedHalf a, RoundedHalf b) {
    return Of(a.v * b.v);
  }
  friend RoundedHalf operator/(RoundedHalf a, RoundedHalf b) {
    return Of(a.v / b.v);
  }
  friend auto operator<=>(RoundedHalf a, RoundedHalf b) { return a.v <=> b.v; }
};
inline RoundedHalf exp(RoundedHalf x) { return RoundedHalf::Of(std::exp(x.v)); }
inline RoundedHalf log(RoundedHalf x) { return RoundedHalf::Of(std::log(x.v)); }
inline RoundedHalf sqrt(RoundedHalf x) {
  return RoundedHalf::Of(std::sqrt(x.v));
}
inline bool isinf(RoundedHalf x) { return std::isinf(x.v); }
inline bool isfinite(RoundedHalf x) { return std::isfinite(x.v); }

enum class TruncatedDraws { kDone, kBadParameters, kNoneAccepted };

// `n` draws, at out[0], out[step] ... T: half, float, double.
template <class T>
TruncatedDraws DrawTruncatedNormal(Philox* gen, T mean, T stddev, T min, T max,
                                   int64_t n, int64_t step, T* out) {
  using N = std::conditional_t<std::is_same_v<T, half>, RoundedHalf, T>;
  using std::exp, std::log, std::sqrt, std::isinf, std::isfinite;
  constexpr int kGroup = sizeof(T) == 8 ? 2 : 4;
  constexpr int kTries = 1000;
  const N zero(0.0), two(2.0), four(4.0), much(1.3);
  N center = mean, scale = stddev, low = min, high = max;
  if (!(scale > zero && low < high && (isfinite(low) || isfinite(high)) &&
        isfinite(center) && isfinite(scale))) {
    return TruncatedDraws::kBadParameters;
  }
  // One limit alone is the lower one; two on one side are above the mean.
  if ((isinf(low) && low < zero) || high < center) {
    std::swap(low, high);
    scale = -scale;
  }
  low = (low - center) / scale;
  high = (high - center) / scale;
  const N root = sqrt(low * low + four);
  const N cutoff = two * exp(N(0.5) + low * (low - root) / four) / (low + root);
  const N width = high - low;

  int tries = 0;
  int64_t done = 0;
  const auto accept = [&](N z) {
    out[done++ * step] = static_cast<T>(z * scale + center);
    tries = 0;
    return done == n;
  };
  const auto group = [&](auto fill, N* values) {
    T raw[kGroup];
    fill(*gen, 0, kGroup, raw);
    gen->Skip(1);
    for (int i = 0; i < kGroup; ++i) values[i] = N(raw[i]);
  };
  N first[kGroup], second[kGroup];
  if ((low < -much && high >= zero) || (high > much && low <= zero)) {
    while (done < n) {
      group(FillNormal<T>, first);
      for (const N z : first) {
        if (z >= low && z <= high) {
          if (accept(z)) break;
        } else if (++tries > kTries) {
          return TruncatedDraws::kNoneAccepted;
        }
      }
    }
  } else if (width < cutoff) {
    const N plus = low < zero ? zero : low * low;
    while (done < n) {
      group(FillUniform<T>, first);
      group(FillUniform<T>, second);
      for (int i = 0; i < kGroup; ++i) {
        const N z = first[i] * width + low;
        if (second[i] <= exp((plus - z * z) / two)) {
          if (accept(z)) break;
        } else if (++tries >= kTries) {
          return TruncatedDraws::kNoneAccepted;
        }
      }
    }
  } else {
    const N alpha = (low + root) / two;
    while (done < n) {
      group(FillUniform<T>, first);
      for (int i = 0; i < kGroup; i += 2) {
        const N z = -log(first[i]) / alpha + low;
        const N x = low < alpha ? alpha - z : low - alpha;
        if (first[i + 1] <= exp(-x * x / two) && z < high) {
          if (accept(z)) break;
        } else if (++tries >= kTries) {
          return TruncatedDraws::kNoneAccepted;
        }
      }
    }
  }
  return TruncatedDraws::kDone;
}

}  // namespace gk

#endif  // GK_KERNELS_RANDOM_TRUNCATED_H_
