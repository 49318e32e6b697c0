// Pictures [batch, height, width, channels] of another size.
//
// What is linear in the pixels goes axis by axis: AxisWeights say which pixels
// of a line each new pixel is made of. Their transpose is the gradient. Raw
// memory; sums are made in float, of doubles in double, in an
// order that sizes alone decide.
#ifndef GK_KERNELS_RESIZE_H_
#define GK_KERNELS_RESIZE_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/thread_pool.h"
#include "kernels/elementwise.h"
#include "kernels/isa.h"

namespace gk {

struct PictureSizes {
  int64_t batch = 0, height = 0, width = 0, channels = 0;

  int64_t line() const { return width * channels; }
};

// New pixel i is the sum of weight[k] times pixel index[k] for k in
// [first[i], first[i + 1]).
struct AxisWeights {
  std::vector<int64_t> first = {0};
  std::vector<int64_t> index;
  std::vector<float> weight;

  int64_t size() const { return static_cast<int64_t>(first.size()) - 1; }
  // Room for so many pixels, and parts of pixels.
  void Reserve(int64_t pixels, int64_t parts) {
    first.reserve(pixels + 1);
    index.reserve(parts);
    weight.reserve(parts);
  }
  void Add(int64_t pixel, float w) {
    index.push_back(pixel);
    weight.push_back(w);
  }
  void EndPixel() { first.push_back(index.size()); }

  // Of lines of n pixels: what each of them gives.
  AxisWeights Transposed(int64_t n) const {
    AxisWeights t;
    t.first.assign(n + 1, 0);
    t.index.resize(index.size());
    t.weight.resize(index.size());
    for (const int64_t at : index) ++t.first[at + 1];
    for (int64_t i = 0; i < n; ++i) t.first[i + 1] += t.first[i];
    std::vector<int64_t> next(t.first.begin(), t.first.end() - 1);
    for (int64_t i = 0; i < size(); ++i) {
      for (int64_t k = first[i]; k < first[i + 1]; ++k) {
        const int64_t to = next[index[k]]++;
        t.index[to] = i;
        t.weight[to] = weight[k];
      }
    }
    return t;
  }
};

// Channels go four at a time; a pixel's last four may reach into its
// neighbours, so lines of sums have room for that and are made from left to
// right.
inline constexpr int64_t kQuad = 4;

template <class Sum>
struct QuadOf {
  using type [[gnu::vector_size(kQuad * sizeof(Sum))]] = Sum;
};
template <class Sum>
using Quad = typename QuadOf<Sum>::type;

template <class Sum, class In>
GK_INLINE Quad<Sum> LoadQuad(const In* from) {
  if constexpr (std::is_same_v<Sum, In>) {
    Quad<Sum> quad;
    __builtin_memcpy(&quad, from, sizeof(quad));
    return quad;
  } else {
    return Quad<Sum>{Convert<Sum>(from[0]), Convert<Sum>(from[1]),
                     Convert<Sum>(from[2]), Convert<Sum>(from[3])};
  }
}

template <class Sum>
GK_INLINE void StoreQuad(Quad<Sum> quad, Sum* to) {
  __builtin_memcpy(to, &quad, sizeof(quad));
}

// to[i] += weights[0] * from[0][i] + ... in this order.
template <int kTaps, class Sum, class In>
void AddLines(const In* const* from, const float* weights, int64_t n, Sum* to) {
  for (int64_t i = 0; i < n; ++i) {
    Sum sum = to[i];
    for (int t = 0; t < kTaps; ++t) {
      sum += static_cast<Sum>(weights[t]) * Convert<Sum>(from[t][i]);
    }
    to[i] = sum;
  }
}

// The weighted sums of columns, then of rows, times `scale`.
template <class In, class Out>
void ResizeLinear(const In* in, const PictureSizes& s, const AxisWeights& rows,
                  const AxisWeights& columns, float scale, Out* out,
                  ThreadPool& pool) {
  using Sum = std::conditional_t<std::is_same_v<Out, double>, double, float>;
  const int64_t height = rows.size(), width = columns.size();
  const int64_t channels = s.channels, line = s.line();
  const int64_t wide = width * channels;
  const int64_t taps = static_cast<int64_t>(rows.index.size()) /
                           std::max<int64_t>(height, 1) * line / kQuad +
                       static_cast<int64_t>(columns.index.size()) *
                           ((channels + kQuad - 1) / kQuad);
  pool.ParallelRange(
      s.batch * height, taps + 8, [&](int64_t begin, int64_t end) {
        std::vector<Sum> column_sums(line + kQuad), sums(wide + kQuad);
        for (int64_t row = begin; row < end; ++row) {
          const int64_t b = row / height, y = row % height;
          std::fill(column_sums.begin(), column_sums.end(), Sum(0));
          for (int64_t k = rows.first[y]; k < rows.first[y + 1];) {
            const In* from[4];
            const int64_t left = std::min<int64_t>(4, rows.first[y + 1] - k);
            for (int64_t t = 0; t < left; ++t) {
              from[t] = in + (b * s.height + rows.index[k + t]) * line;
            }
            const float* w = rows.weight.data() + k;
            Sum* to = column_sums.data();
            if (left == 4) {
              AddLines<4>(from, w, line, to);
            } else if (left > 1) {
              AddLines<2>(from, w, line, to);
            } else {
              AddLines<1>(from, w, line, to);
            }
            k += left == 3 ? 2 : left;
          }
          for (int64_t x = 0; x < width; ++x) {
            Sum* to = sums.data() + x * channels;
            for (int64_t c = 0; c < channels; c += kQuad) {
              const Sum* from = column_sums.data() + c;
              Quad<Sum> sum = {};
              for (int64_t k = columns.first[x]; k < columns.first[x + 1];
                   ++k) {
                sum += static_cast<Sum>(columns.weight[k]) *
                       LoadQuad<Sum>(from + columns.index[k] * channels);
              }
              StoreQuad<Sum>(sum, to + c);
            }
          }
          Out* to = out + row * wide;
          for (int64_t i = 0; i < wide; ++i) {
            to[i] = Convert<Out>(sums[i] * scale);
          }
        }
      });
}

// A place between two pixels.
struct Between {
  int64_t low = 0, high = 0;
  float part = 0;
};

// Four numbers of a bilinear picture between those of four pixels.
inline Quad<float> Blended(const float* top_left, const float* top_right,
                           const float* low_left, const float* low_right,
                           float across, float down) {
  const Quad<float> tl = LoadQuad<float>(top_left),
                    tr = LoadQuad<float>(top_right),
                    ll = LoadQuad<float>(low_left),
                    lr = LoadQuad<float>(low_right);
  const Quad<float> t = tl + (tr - tl) * across;
  const Quad<float> l = ll + (lr - ll) * across;
  return t + (l - t) * down;
}

// One line of a bilinear picture from the lines above and below it, of which
// `there` numbers can be read.
inline void BlendLines(const float* above, const float* below, int64_t there,
                       float part, std::span<const Between> columns,
                       int64_t channels, float* to) {
  const int64_t width = columns.size(), wide = width * channels;
  const int64_t whole = (channels + kQuad - 1) / kQuad * kQuad;
  int64_t x = 0;
  if (whole == kQuad) {
    // Quads reach into the next pixel, which comes later.
    for (; x < width && columns[x].high * channels + kQuad <= there &&
           x * channels + kQuad <= wide;
         ++x) {
      const Between& at = columns[x];
      const int64_t left = at.low * channels, right = at.high * channels;
      StoreQuad<float>(Blended(above + left, above + right, below + left,
                               below + right, at.part, part),
                       to + x * channels);
    }
  }
  for (; x < width; ++x) {
    const Between& at = columns[x];
    const int64_t left = at.low * channels, right = at.high * channels;
    float* pixel = to + x * channels;
    if (right + whole <= there && x * channels + whole <= wide) [[likely]] {
      for (int64_t c = 0; c < channels; c += kQuad) {
        StoreQuad<float>(
            Blended(above + left + c, above + right + c, below + left + c,
                    below + right + c, at.part, part),
            pixel + c);
      }
      continue;
    }
    for (int64_t c = 0; c < channels; ++c) {
      const float tl = above[left + c], tr = above[right + c],
                  bl = below[left + c], br = below[right + c];
      const float t = tl + (tr - tl) * at.part;
      const float b = bl + (br - bl) * at.part;
      pixel[c] = t + (b - t) * part;
    }
  }
}

// A line of the old picture, of which `there` numbers can be read, at the new
// width.
template <class In>
void StretchLine(const In* from, int64_t there,
                 std::span<const Between> columns, int64_t channels,
                 float* to) {
  const int64_t whole = (channels + kQuad - 1) / kQuad * kQuad;
  for (const Between& at : columns) {
    const In *low = from + at.low * channels, *high = from + at.high * channels;
    if (at.high * channels + whole <= there) [[likely]] {
      for (int64_t c = 0; c < channels; c += kQuad) {
        const Quad<float> l = LoadQuad<float>(low + c),
                          h = LoadQuad<float>(high + c);
        StoreQuad<float>(l + (h - l) * at.part, to + c);
      }
    } else {
      for (int64_t c = 0; c < channels; ++c) {
        const float l = Convert<float>(low[c]), h = Convert<float>(high[c]);
        to[c] = l + (h - l) * at.part;
      }
    }
    to += channels;
  }
}

// Bilinear, as low + (high - low) * part: exact where both are the same.
template <class In>
void ResizeBilinear(const In* in, const PictureSizes& s,
                    std::span<const Between> rows,
                    std::span<const Between> columns, float* out,
                    ThreadPool& pool) {
  const int64_t height = rows.size(), width = columns.size();
  const int64_t channels = s.channels, line = s.line();
  const int64_t wide = width * channels;
  // Few lines of a picture that shrinks are needed twice: they are blended as
  // they are, but for their type. Others are stretched once.
  const bool shrinks = s.height >= height;
  const bool direct = shrinks && std::is_same_v<In, float>;
  pool.ParallelRange(
      s.batch * height, wide + 8, [&](int64_t begin, int64_t end) {
        // Two lines that are blended next, and which they are.
        const int64_t size = direct ? 0 : (shrinks ? line : wide) + kQuad;
        std::vector<float> lines[2] = {std::vector<float>(size),
                                       std::vector<float>(size)};
        int64_t held[2] = {-1, -1};
        const auto fill = [&](int slot, int64_t which) {
          if (held[slot] == which) return;
          held[slot] = which;
          const In* from = in + which * line;
          float* to = lines[slot].data();
          if (!shrinks) {
            return StretchLine(from, (s.batch * s.height - which) * line,
                               columns, channels, to);
          }
          for (int64_t i = 0; i < line; ++i) to[i] = Convert<float>(from[i]);
        };
        for (int64_t row = begin; row < end; ++row) {
          const Between& y = rows[row % height];
          const int64_t first = row / height * s.height;
          const int64_t above = first + y.low, below = first + y.high;
          float* to = out + row * wide;
          if constexpr (std::is_same_v<In, float>) {
            if (direct) {
              BlendLines(in + above * line, in + below * line,
                         (s.batch * s.height - below) * line, y.part, columns,
                         channels, to);
              continue;
            }
          }
          if (held[1] == above) {
            std::swap(lines[0], lines[1]);
            std::swap(held[0], held[1]);
          }
          fill(0, above);
          fill(1, below);
          const float *low = lines[0].data(), *high = lines[1].data();
          if (shrinks) {
            BlendLines(low, high, line + kQuad, y.part, columns, channels, to);
            continue;
          }
          for (int64_t i = 0; i < wide; ++i) {
            to[i] = low[i] + (high[i] - low[i]) * y.part;
          }
        }
      });
}

// New pixel [y, x] is pixel [rows[y], columns[x]].
template <class T>
void ResizePicked(const T* in, const PictureSizes& s,
                  std::span<const int64_t> rows,
                  std::span<const int64_t> columns, T* out, ThreadPool& pool) {
  const int64_t height = rows.size(), width = columns.size();
  const int64_t channels = s.channels;
  pool.ParallelRange(
      s.batch * height, width * channels / 2 + 8,
      [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          const T* from =
              in + (row / height * s.height + rows[row % height]) * s.line();
          T* to = out + row * width * channels;
          for (int64_t x = 0; x < width; ++x, to += channels) {
            std::copy_n(from + columns[x] * channels, channels, to);
          }
        }
      });
}

template <class T>
struct ComputedIn {
  using type = ComputeType<T>;
};

// The gradient of that: pixels `in` are added up where they came from. `rows`
// and `columns` do not decrease. `s` are the sizes of `in`.
template <class T>
void AddPicked(const T* in, const PictureSizes& s,
               std::span<const int64_t> rows, std::span<const int64_t> columns,
               int64_t height, int64_t width, T* out, ThreadPool& pool) {
  // Integers wrap around.
  using Sum =
      typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                  ComputedIn<T>>::type;
  const int64_t channels = s.channels;
  pool.ParallelRange(
      s.batch * height, s.line() + 8, [&](int64_t begin, int64_t end) {
        std::vector<Sum> sums(width * channels);
        for (int64_t row = begin; row < end; ++row) {
          std::fill(sums.begin(), sums.end(), Sum(0));
          const auto [first, last] =
              std::equal_range(rows.begin(), rows.end(), row % height);
          for (auto at = first; at != last; ++at) {
            const T* from =
                in + (row / height * s.height + (at - rows.begin())) * s.line();
            for (int64_t x = 0; x < s.width; ++x, from += channels) {
              Sum* to = sums.data() + columns[x] * channels;
              for (int64_t c = 0; c < channels; ++c) {
                to[c] = static_cast<Sum>(to[c] + Convert<Sum>(from[c]));
              }
            }
          }
          T* to = out + row * width * channels;
          for (int64_t i = 0; i < width * channels; ++i) {
            to[i] = Convert<T>(sums[i]);
          }
        }
      });
}

}  // namespace gk

#endif  // GK_KERNELS_RESIZE_H_
