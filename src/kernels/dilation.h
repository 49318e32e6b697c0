// Morphological dilation of images [batch, height, width, channels]: the
// greatest sum of an input and a filter's element under each place of the
// filter, and where that was, for gradients. Ties go to the first place; what
// lies outside never counts. Slices are whole images or rows.
#ifndef GK_KERNELS_DILATION_H_
#define GK_KERNELS_DILATION_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/elementwise.h"
#include "kernels/parallel.h"

namespace gk {

struct Dilation {
  int64_t batch = 0, channels = 0;
  int64_t in[2] = {}, filter[2] = {}, out[2] = {};  // height, width
  int64_t stride[2] = {1, 1}, rate[2] = {1, 1}, pad[2] = {};

  template <class T>
  void Run(const T* input, const T* weights, T* output,
           const Parallel& parallel) const {
    parallel.For(batch * out[0], [&](int64_t row) {
      std::vector<ComputeType<T>> most(channels);
      for (int64_t w = 0; w < out[1]; ++w) {
        Greatest<T>(input, weights, row, w, 0, channels, most.data(), nullptr);
        T* to = output + (row * out[1] + w) * channels;
        for (int64_t c = 0; c < channels; ++c) to[c] = Convert<T>(most[c]);
      }
    });
  }

  // Adds each output's gradient to the input that it came from. `sums` are
  // zeros.
  template <class T>
  void ToInput(const T* input, const T* weights, const T* dy, T* sums,
               const Parallel& parallel) const {
    parallel.For(batch, [&](int64_t b) {
      std::vector<ComputeType<T>> most(channels);
      std::vector<int32_t> taps(channels);
      const std::vector<int64_t> offsets = Offsets();
      for (int64_t row = b * out[0]; row < (b + 1) * out[0]; ++row) {
        for (int64_t w = 0; w < out[1]; ++w) {
          Greatest<T>(input, weights, row, w, 0, channels, most.data(),
                      taps.data());
          const T* from = dy + (row * out[1] + w) * channels;
          const int64_t top = Top(row), left = Left(w);
          T* corner = sums + Place(row, top, left);
          // Where nothing was greatest: the first place inside.
          const int64_t none =
              Place(0, std::max<int64_t>(-top, 0), std::max<int64_t>(-left, 0));
          for (int64_t c = 0; c < channels; ++c) {
            const int64_t at = taps[c] < 0 ? none : offsets[taps[c]];
            Add(corner + at + c, from[c]);
          }
        }
      }
    });
  }

  // The same for the filter. Slices are channels, so that sums have one order.
  template <class T>
  void ToFilter(const T* input, const T* weights, const T* dy, T* sums,
                const Parallel& parallel) const {
    parallel.For((channels + kBlock - 1) / kBlock, [&](int64_t block) {
      const int64_t first = block * kBlock;
      const int64_t n = std::min(kBlock, channels - first);
      ComputeType<T> most[kBlock];
      int32_t taps[kBlock];
      for (int64_t row = 0; row < batch * out[0]; ++row) {
        for (int64_t w = 0; w < out[1]; ++w) {
          Greatest<T>(input, weights, row, w, first, n, most, taps);
          const T* from = dy + (row * out[1] + w) * channels + first;
          for (int64_t c = 0; c < n; ++c) {
            Add(&sums[std::max(taps[c], 0) * channels + first + c], from[c]);
          }
        }
      }
    });
  }

 private:
  static constexpr int64_t kBlock = 8;

  template <class T>
  static T Sum(T a, T b) {
    using C = ComputeType<T>;
    return Convert<T>(static_cast<C>(Convert<C>(a) + Convert<C>(b)));
  }
  template <class T>
  static void Add(T* sum, T value) {
    *sum = Sum(*sum, value);
  }

  int64_t Top(int64_t row) const { return row % out[0] * stride[0] - pad[0]; }
  int64_t Left(int64_t w) const { return w * stride[1] - pad[1]; }
  int64_t Place(int64_t row, int64_t y, int64_t x) const {
    return ((row / out[0] * in[0] + y) * in[1] + x) * channels;
  }

  // How far each of the filter's elements lies from its first.
  std::vector<int64_t> Offsets() const {
    std::vector<int64_t> offsets;
    for (int64_t fy = 0; fy < filter[0]; ++fy) {
      for (int64_t fx = 0; fx < filter[1]; ++fx) {
        offsets.push_back((fy * rate[0] * in[1] + fx * rate[1]) * channels);
      }
    }
    return offsets;
  }

  // Of channels [first, first + n) the greatest sums, and at which of the
  // filter's elements they are, -1 for none. `row` counts rows of all images.
  template <class T>
  void Greatest(const T* input, const T* weights, int64_t row, int64_t w,
                int64_t first, int64_t n, ComputeType<T>* __restrict most,
                int32_t* __restrict taps) const {
    using C = ComputeType<T>;
    const int64_t top = Top(row), left = Left(w);
    std::fill_n(most, n,
                Convert<C>(Convert<T>(std::numeric_limits<C>::lowest())));
    if (taps != nullptr) std::fill_n(taps, n, -1);
    for (int64_t fy = 0; fy < filter[0]; ++fy) {
      const int64_t y = top + fy * rate[0];
      if (y < 0 || y >= in[0]) continue;
      for (int64_t fx = 0; fx < filter[1]; ++fx) {
        const int64_t x = left + fx * rate[1];
        if (x < 0 || x >= in[1]) continue;
        const int64_t tap = fy * filter[1] + fx;
        const T* from = input + Place(row, y, x) + first;
        const T* weight = weights + tap * channels + first;
        if (taps == nullptr) {
          for (int64_t c = 0; c < n; ++c) {
            const C value = Convert<C>(Sum(from[c], weight[c]));
            most[c] = value > most[c] ? value : most[c];
          }
          continue;
        }
        for (int64_t c = 0; c < n; ++c) {
          const C value = Convert<C>(Sum(from[c], weight[c]));
          const C so_far = most[c];
          // By a mask: a choice keeps loops from being vectorised.
          const int32_t more = -static_cast<int32_t>(value > so_far);
          most[c] = value > so_far ? value : so_far;
          taps[c] = (more & static_cast<int32_t>(tap)) | (~more & taps[c]);
        }
      }
    }
  }
};

}  // namespace gk

#endif  // GK_KERNELS_DILATION_H_
