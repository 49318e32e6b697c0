// Pixels [red, green, blue] in other colour spaces, one at a time, as float or
// double. Raw memory.
#ifndef GK_KERNELS_COLOR_H_
#define GK_KERNELS_COLOR_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/thread_pool.h"
#include "kernels/elementwise.h"

namespace gk {

template <class T>
struct Pixel3 {
  T a, b, c;  // red, green, blue; or hue, saturation, value
};

template <class T>
Pixel3<T> ToHsv(const Pixel3<T>& p) {
  const T value = std::max(p.a, std::max(p.b, p.c));
  const T range = value - std::min(p.a, std::min(p.b, p.c));
  const T saturation = value > 0 ? range / value : T(0);
  const T norm = T(1) / range * (T(1) / T(6));
  T hue = 0;
  if (range > 0) {
    hue = p.a == value   ? norm * (p.b - p.c)
          : p.b == value ? norm * (p.c - p.a) + T(2) / T(6)
                         : norm * (p.a - p.b) + T(4) / T(6);
    if (hue < 0) hue += 1;
  }
  return {hue, saturation, value};
}

template <class T>
Pixel3<T> FromHsv(const Pixel3<T>& p) {
  const T hue = p.a * 6, rest = 1 - p.b;
  const auto part = [](T v) { return std::clamp(v, T(0), T(1)); };
  const auto mix = [&](T d) { return (rest + p.b * d) * p.c; };
  return {mix(part(std::abs(hue - 3) - 1)), mix(part(2 - std::abs(hue - 2))),
          mix(part(2 - std::abs(hue - 4)))};
}

// The hue moved by `delta` turns.
inline Pixel3<float> TurnHue(const Pixel3<float>& p, float delta) {
  const float high = std::max(p.a, std::max(p.b, p.c));
  const float low = std::min(p.a, std::min(p.b, p.c));
  // In sixths of a turn: whole ones say which colours are highest and lowest.
  float hue = 0;
  if (high != low) {
    const auto ratio = [&](float middle) {
      return (middle - low) / (high - low);
    };
    if (p.a < p.b) {
      hue = p.c < p.a   ? 1 + (1 - ratio(p.a))
            : p.c > p.b ? 3 + (1 - ratio(p.b))
                        : 2 + ratio(p.c);
    } else {
      hue = p.c < p.b   ? ratio(p.b)
            : p.c > p.a ? 4 + ratio(p.a)
                        : 5 + (1 - ratio(p.c));
    }
  }
  hue += delta * 6;
  if (!(hue >= 0 && hue < 6)) {
    hue = hue >= -6 && hue < 12 ? hue + (hue < 0 ? 6 : -6)
                                : hue - 6 * std::floor(hue / 6);
    if (!(hue >= 0 && hue < 6)) hue = 0;
  }
  const int sixth = static_cast<int>(hue);
  const float part = hue - static_cast<float>(sixth);
  const float middle =
      sixth % 2 == 0 ? low + part * (high - low) : high - part * (high - low);
  switch (sixth) {
    case 0:
      return {high, middle, low};
    case 1:
      return {middle, high, low};
    case 2:
      return {low, high, middle};
    case 3:
      return {low, middle, high};
    case 4:
      return {middle, low, high};
    default:
      return {high, low, middle};
  }
}

// out = f(pixel) for n pixels; half and bfloat16 are computed in float.
template <class T, class F>
void MapPixels(const T* in, int64_t n, T* out, F&& f, ThreadPool& pool) {
  using C = ComputeType<T>;
  pool.ParallelRange(n, 12, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * 3; i < end * 3; i += 3) {
      const Pixel3<C> p = f(Pixel3<C>{Convert<C>(in[i]), Convert<C>(in[i + 1]),
                                      Convert<C>(in[i + 2])});
      out[i] = Convert<T>(p.a);
      out[i + 1] = Convert<T>(p.b);
      out[i + 2] = Convert<T>(p.c);
    }
  });
}

// Every channel's distance from its mean over a picture of n pixels, times
// `factor`. Sums are those of blocks of pixels, one after the other.
template <class T>
void ScaleContrast(const T* in, int64_t batch, int64_t n, int64_t channels,
                   float factor, T* out, ThreadPool& pool) {
  constexpr int64_t kBlock = 16384;
  const int64_t blocks = (n + kBlock - 1) / kBlock;
  std::vector<double> sums(batch * blocks * channels);
  pool.ParallelRange(
      batch * blocks, kBlock * channels, [&](int64_t begin, int64_t end) {
        std::vector<float> part(channels);
        for (int64_t i = begin; i < end; ++i) {
          const int64_t first = i % blocks * kBlock;
          const int64_t last = std::min(first + kBlock, n);
          double* sum = sums.data() + i * channels;
          // Floats hold the sums of a few pixels as well as doubles do.
          for (int64_t p = first; p < last; p += 64) {
            std::fill(part.begin(), part.end(), 0.0f);
            const int64_t stop = std::min(p + 64, last);
            const T* from = in + (i / blocks * n + p) * channels;
            for (int64_t q = p; q < stop; ++q, from += channels) {
              for (int64_t c = 0; c < channels; ++c) {
                part[c] += Convert<float>(from[c]);
              }
            }
            for (int64_t c = 0; c < channels; ++c) sum[c] += part[c];
          }
        }
      });
  std::vector<float> means(batch * channels);
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t c = 0; c < channels; ++c) {
      double sum = 0;
      for (int64_t i = 0; i < blocks; ++i) {
        sum += sums[(b * blocks + i) * channels + c];
      }
      means[b * channels + c] =
          static_cast<float>(sum / static_cast<double>(n));
    }
  }
  pool.ParallelRange(batch * n, channels * 2, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const float* mean = means.data() + i / n * channels;
      for (int64_t c = 0; c < channels; ++c) {
        const float v = Convert<float>(in[i * channels + c]);
        out[i * channels + c] = Convert<T>((v - mean[c]) * factor + mean[c]);
      }
    }
  });
}

}  // namespace gk

#endif  // GK_KERNELS_COLOR_H_
