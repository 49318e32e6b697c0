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

// The weighted sums of columns, then of rows, times `scale`.
template <class In, class Out>
void ResizeLinear(const In* in, const PictureSizes& s, const AxisWeights& rows,
                  const AxisWeights& columns, float scale, Out* out,
                  ThreadPool& pool) {
  using Sum = std::conditional_t<std::is_same_v<Out, double>, double, float>;
  const int64_t height = rows.size(), width = columns.size();
  const int64_t channels = s.channels, line = s.line();
  const int64_t taps = static_cast<int64_t>(rows.index.size()) /
                           std::max<int64_t>(height, 1) * line +
                       static_cast<int64_t>(columns.index.size()) * channels;
  pool.ParallelRange(
      s.batch * height, taps + 8, [&](int64_t begin, int64_t end) {
        std::vector<Sum> column_sums(line), sums(width * channels);
        for (int64_t row = begin; row < end; ++row) {
          const int64_t b = row / height, y = row % height;
          std::fill(column_sums.begin(), column_sums.end(), Sum(0));
          for (int64_t k = rows.first[y]; k < rows.first[y + 1]; ++k) {
            const In* from = in + (b * s.height + rows.index[k]) * line;
            const Sum w = rows.weight[k];
            Sum* to = column_sums.data();
            for (int64_t i = 0; i < line; ++i)
              to[i] += w * Convert<Sum>(from[i]);
          }
          std::fill(sums.begin(), sums.end(), Sum(0));
          for (int64_t x = 0; x < width; ++x) {
            Sum* to = sums.data() + x * channels;
            for (int64_t k = columns.first[x]; k < columns.first[x + 1]; ++k) {
              const Sum* from =
                  column_sums.data() + columns.index[k] * channels;
              const Sum w = columns.weight[k];
              for (int64_t c = 0; c < channels; ++c) to[c] += w * from[c];
            }
          }
          Out* to = out + row * width * channels;
          for (int64_t i = 0; i < width * channels; ++i) {
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

// Bilinear, as low + (high - low) * part: exact where both are the same.
template <class In>
void ResizeBilinear(const In* in, const PictureSizes& s,
                    std::span<const Between> rows,
                    std::span<const Between> columns, float* out,
                    ThreadPool& pool) {
  const int64_t height = rows.size(), width = columns.size();
  const int64_t channels = s.channels, wide = width * channels;
  pool.ParallelRange(
      s.batch * height, wide * 2 + 8, [&](int64_t begin, int64_t end) {
        // Two lines of the old picture at the new width, and which they are.
        std::vector<float> lines[2] = {std::vector<float>(wide),
                                       std::vector<float>(wide)};
        int64_t held[2] = {-1, -1};
        const auto fill = [&](int slot, int64_t which) {
          if (held[slot] == which) return;
          held[slot] = which;
          const In* from = in + which * s.line();
          float* to = lines[slot].data();
          for (int64_t x = 0; x < width; ++x, to += channels) {
            const In* low = from + columns[x].low * channels;
            const In* high = from + columns[x].high * channels;
            const float part = columns[x].part;
            for (int64_t c = 0; c < channels; ++c) {
              const float l = Convert<float>(low[c]),
                          h = Convert<float>(high[c]);
              to[c] = l + (h - l) * part;
            }
          }
        };
        for (int64_t row = begin; row < end; ++row) {
          const int64_t b = row / height;
          const Between& y = rows[row % height];
          if (held[1] == b * s.height + y.low) {
            std::swap(lines[0], lines[1]);
            std::swap(held[0], held[1]);
          }
          fill(0, b * s.height + y.low);
          fill(1, b * s.height + y.high);
          const float *low = lines[0].data(), *high = lines[1].data();
          float* to = out + row * wide;
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
