// Pixels [red, green, blue] in other colour spaces, one at a time, as float or
// double. Raw memory.
#ifndef GK_KERNELS_COLOR_H_
#define GK_KERNELS_COLOR_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/thread_pool.h"
#include "kernels/elementwise.h"
#include "kernels/isa.h"
#include "kernels/math/rounding.h"

namespace gk {

template <class T>
struct Pixel3 {
  T a, b, c;  // red, green, blue; or hue, saturation, value
};

// Without branches, so that loops over pixels are vectorised.
template <class T>
GK_INLINE T Least(T a, T b) {
  return b < a ? b : a;
}
template <class T>
GK_INLINE T Most(T a, T b) {
  return a < b ? b : a;
}

struct ToHsv {
  template <class T>
  static GK_INLINE Pixel3<T> Of(const Pixel3<T>& p, float) {
    const T value = Most(p.a, Most(p.b, p.c));
    const T range = value - Least(p.a, Least(p.b, p.c));
    const T share = range / value;
    const T norm = T(1) / range * (T(1) / T(6));
    const T red = norm * (p.b - p.c);
    const T green = norm * (p.c - p.a) + T(2) / T(6);
    const T blue = norm * (p.a - p.b) + T(4) / T(6);
    T hue = p.b == value ? green : blue;
    hue = p.a == value ? red : hue;
    const T turned = hue + 1;
    hue = hue < 0 ? turned : hue;
    return {range > 0 ? hue : T(0), value > 0 ? share : T(0), value};
  }
};

struct FromHsv {
  template <class T>
  static GK_INLINE T Part(T v) {
    v = v < 0 ? T(0) : v;
    return v > 1 ? T(1) : v;
  }
  template <class T>
  static GK_INLINE T Distance(T v) {
    return v < 0 ? -v : v;
  }
  template <class T>
  static GK_INLINE Pixel3<T> Of(const Pixel3<T>& p, float) {
    const T hue = p.a * 6, rest = 1 - p.b;
    return {(rest + p.b * Part<T>(Distance<T>(hue - 3) - 1)) * p.c,
            (rest + p.b * Part<T>(2 - Distance<T>(hue - 2))) * p.c,
            (rest + p.b * Part<T>(2 - Distance<T>(hue - 4))) * p.c};
  }
};

// The saturation times `scale`.
struct Saturate {
  template <class T>
  static GK_INLINE Pixel3<T> Of(const Pixel3<T>& p, float scale) {
    Pixel3<T> hsv = ToHsv::Of(p, 0);
    const T saturation = hsv.b * scale;
    hsv.b = saturation > 0 ? saturation : T(0);
    hsv.b = hsv.b < 1 ? hsv.b : T(1);
    return FromHsv::Of(hsv, 0);
  }
};

// The hue moved by `delta` turns.
struct TurnHue {
  template <class T>
  static GK_INLINE Pixel3<T> Of(const Pixel3<T>& p, float delta) {
    const T high = Most(p.a, Most(p.b, p.c));
    const T low = Least(p.a, Least(p.b, p.c));
    const T range = high - low;
    // In sixths of a turn: whole ones say which colours are highest and
    // lowest. Between them the third rises, or falls.
    const T inner = Least(p.a, p.b), outer = Most(p.a, p.b);
    T third = p.c > outer ? outer : p.c;
    third = p.c < inner ? inner : third;
    const T ratio = (third - low) / range, falling = 1 - ratio;
    T to_green = p.c > outer ? 3 + falling : 2 + ratio;
    to_green = p.c < inner ? 1 + falling : to_green;
    T to_red = p.c > outer ? 4 + ratio : 5 + falling;
    to_red = p.c < inner ? ratio : to_red;
    T hue = p.a < p.b ? to_green : to_red;
    hue = high == low ? T(0) : hue;
    hue += delta * 6;
    const T near = hue < 0 ? hue + 6 : hue - 6;
    const T far = hue - 6 * math::Floor(hue / 6);
    T back = hue < 12 ? near : far;
    back = hue >= -6 ? back : far;
    back = hue >= 0 ? (hue < 6 ? hue : back) : back;
    hue = back < 6 ? back : T(0);
    hue = hue >= 0 ? hue : T(0);
    const T sixth = math::Floor(hue), part = hue - sixth;
    const T up = low + part * range, down = high - part * range;
    T middle = sixth == 0 ? up : down;
    middle = sixth == 2 ? up : middle;
    middle = sixth == 4 ? up : middle;
    T a = sixth == 1 ? middle : high;
    a = sixth == 2 ? low : a;
    a = sixth == 3 ? low : a;
    a = sixth == 4 ? middle : a;
    T b = sixth == 0 ? middle : low;
    b = sixth == 1 ? high : b;
    b = sixth == 2 ? high : b;
    b = sixth == 3 ? middle : b;
    T c = sixth == 2 ? middle : low;
    c = sixth == 3 ? high : c;
    c = sixth == 4 ? high : c;
    c = sixth == 5 ? middle : c;
    return {a, b, c};
  }
};

// F::Of for n pixels whose colours lie apart, in place.
template <class F, class C>
struct PixelBlock {
  static GK_INLINE void Run(C* __restrict a, C* __restrict b, C* __restrict c,
                            int64_t n, float by) {
    for (int64_t i = 0; i < n; ++i) {
      const Pixel3<C> p = F::Of(Pixel3<C>{a[i], b[i], c[i]}, by);
      a[i] = p.a;
      b[i] = p.b;
      c[i] = p.c;
    }
  }
};

// out = F::Of(pixel, by) for n pixels; half and bfloat16 are computed in float.
template <class F, class T>
void MapPixels(const T* in, int64_t n, float by, T* out, ThreadPool& pool) {
  using C = ComputeType<T>;
  constexpr int64_t kBlock = 256;
  const auto block =
      Stamp<PixelBlock<F, C>, void(C*, C*, C*, int64_t, float)>::Best();
  pool.ParallelRange(n, 4, [&](int64_t begin, int64_t end) {
    C a[kBlock], b[kBlock], c[kBlock];
    for (int64_t at = begin; at < end; at += kBlock) {
      const int64_t count = std::min(kBlock, end - at);
      const T* from = in + at * 3;
      for (int64_t i = 0; i < count; ++i) {
        a[i] = Convert<C>(from[i * 3]);
        b[i] = Convert<C>(from[i * 3 + 1]);
        c[i] = Convert<C>(from[i * 3 + 2]);
      }
      block(a, b, c, count, by);
      T* to = out + at * 3;
      for (int64_t i = 0; i < count; ++i) {
        to[i * 3] = Convert<T>(a[i]);
        to[i * 3 + 1] = Convert<T>(b[i]);
        to[i * 3 + 2] = Convert<T>(c[i]);
      }
    }
  });
}

// Every channel's distance from its mean over a picture of n pixels, times
// `factor`. Sums are those of blocks of pixels, one after the other.
template <class T>
void ScaleContrast(const T* in, int64_t batch, int64_t n, int64_t channels,
                   float factor, T* out, ThreadPool& pool) {
  constexpr int64_t kBlock = 16384, kGroup = 256;
  // Rows of whole pixels, long enough for vectors; floats hold the sums of a
  // few of them as well as doubles do.
  const int64_t together = channels < 16 ? 16 : 1;
  const int64_t wide = together * channels;
  const int64_t blocks = (n + kBlock - 1) / kBlock;
  std::vector<double> sums(batch * blocks * channels);
  pool.ParallelRange(
      batch * blocks, kBlock * channels / 4, [&](int64_t begin, int64_t end) {
        std::vector<float> part(wide);
        for (int64_t i = begin; i < end; ++i) {
          const int64_t first = i % blocks * kBlock;
          const int64_t last = std::min(first + kBlock, n);
          double* sum = sums.data() + i * channels;
          for (int64_t p = first; p < last; p += kGroup) {
            std::fill(part.begin(), part.end(), 0.0f);
            const T* from = in + (i / blocks * n + p) * channels;
            const int64_t size = std::min(kGroup, last - p) * channels;
            float* __restrict to = part.data();
            int64_t at = 0;
            for (; at + wide <= size; at += wide) {
              for (int64_t j = 0; j < wide; ++j) {
                to[j] += Convert<float>(from[at + j]);
              }
            }
            for (int64_t j = 0; at < size; ++at, ++j) {
              to[j] += Convert<float>(from[at]);
            }
            for (int64_t j = 0; j < wide; ++j) sum[j % channels] += part[j];
          }
        }
      });
  std::vector<float> means(batch * wide);
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t c = 0; c < channels; ++c) {
      double sum = 0;
      for (int64_t i = 0; i < blocks; ++i) {
        sum += sums[(b * blocks + i) * channels + c];
      }
      const float mean = static_cast<float>(sum / static_cast<double>(n));
      for (int64_t j = 0; j < together; ++j) {
        means[b * wide + j * channels + c] = mean;
      }
    }
  }
  const int64_t rows = (n + together - 1) / together;
  pool.ParallelRange(batch * rows, wide / 2, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const float* __restrict mean = means.data() + i / rows * wide;
      const int64_t pixel = i % rows * together;
      const int64_t at = (i / rows * n + pixel) * channels;
      const int64_t size = std::min(together, n - pixel) * channels;
      const T* from = in + at;
      T* to = out + at;
#pragma GCC ivdep
      for (int64_t j = 0; j < size; ++j) {
        const float v = Convert<float>(from[j]);
        to[j] = Convert<T>((v - mean[j]) * factor + mean[j]);
      }
    }
  });
}

}  // namespace gk

#endif  // GK_KERNELS_COLOR_H_
