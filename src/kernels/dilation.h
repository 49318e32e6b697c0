// Morphological dilation of images [batch, height, width, channels]: the
// greatest sum of an input and a filter's element under each place of the
// filter, and where that was, for gradients. Ties go to the first place; what
// lies outside never counts. Slices are whole images or rows.
#ifndef GK_KERNELS_DILATION_H_
#define GK_KERNELS_DILATION_H_

#include <cstdint>
#include <limits>

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
      for (int64_t w = 0; w < out[1]; ++w) {
        for (int64_t c = 0; c < channels; ++c) {
          output[(row * out[1] + w) * channels + c] =
              Greatest(input, weights, row, w, c).value;
        }
      }
    });
  }

  // Adds each output's gradient to the input that it came from. `sums` are
  // zeros.
  template <class T>
  void ToInput(const T* input, const T* weights, const T* dy, T* sums,
               const Parallel& parallel) const {
    parallel.For(batch, [&](int64_t b) {
      ForPlaces(b, [&](int64_t row, int64_t w, int64_t c, int64_t at) {
        const Found<T> best = Greatest(input, weights, row, w, c);
        Add(&sums[best.input], dy[at]);
      });
    });
  }

  // The same for the filter. One slice for each channel, so that sums have one
  // order.
  template <class T>
  void ToFilter(const T* input, const T* weights, const T* dy, T* sums,
                const Parallel& parallel) const {
    parallel.For(channels, [&](int64_t c) {
      for (int64_t row = 0; row < batch * out[0]; ++row) {
        for (int64_t w = 0; w < out[1]; ++w) {
          const Found<T> best = Greatest(input, weights, row, w, c);
          Add(&sums[best.filter], dy[(row * out[1] + w) * channels + c]);
        }
      }
    });
  }

 private:
  template <class T>
  struct Found {
    T value;
    int64_t input, filter;
  };

  template <class T>
  static T Sum(T a, T b) {
    using C = ComputeType<T>;
    return Convert<T>(static_cast<C>(Convert<C>(a) + Convert<C>(b)));
  }
  template <class T>
  static void Add(T* sum, T value) {
    *sum = Sum(*sum, value);
  }

  template <class Fn>
  void ForPlaces(int64_t b, Fn&& fn) const {
    for (int64_t row = b * out[0]; row < (b + 1) * out[0]; ++row) {
      for (int64_t w = 0; w < out[1]; ++w) {
        for (int64_t c = 0; c < channels; ++c) {
          fn(row, w, c, (row * out[1] + w) * channels + c);
        }
      }
    }
  }

  // `row` counts rows of all images.
  template <class T>
  Found<T> Greatest(const T* input, const T* weights, int64_t row, int64_t w,
                    int64_t c) const {
    using C = ComputeType<T>;
    const int64_t b = row / out[0];
    const int64_t top = row % out[0] * stride[0] - pad[0];
    const int64_t left = w * stride[1] - pad[1];
    const auto place = [&](int64_t y, int64_t x) {
      return ((b * in[0] + y) * in[1] + x) * channels + c;
    };
    Found<T> best{Convert<T>(std::numeric_limits<C>::lowest()),
                  place(top < 0 ? 0 : top, left < 0 ? 0 : left), c};
    C most = Convert<C>(best.value);
    for (int64_t fy = 0; fy < filter[0]; ++fy) {
      const int64_t y = top + fy * rate[0];
      if (y < 0 || y >= in[0]) continue;
      for (int64_t fx = 0; fx < filter[1]; ++fx) {
        const int64_t x = left + fx * rate[1];
        if (x < 0 || x >= in[1]) continue;
        const int64_t from = place(y, x);
        const int64_t weight = (fy * filter[1] + fx) * channels + c;
        const T value = Sum(input[from], weights[weight]);
        if (Convert<C>(value) > most) {
          most = Convert<C>(value);
          best = {value, from, weight};
        }
      }
    }
    return best;
  }
};

}  // namespace gk

#endif  // GK_KERNELS_DILATION_H_
