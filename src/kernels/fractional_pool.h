// Pooling over windows of uneven sizes that cover an image [batch, height,
// width, channels]. `rows` and `columns` say where the windows begin; the last
// number is where they end. Slices are images.
#ifndef GK_KERNELS_FRACTIONAL_POOL_H_
#define GK_KERNELS_FRACTIONAL_POOL_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "kernels/parallel.h"

namespace gk {

struct FractionalPool {
  int64_t batch = 0, height = 0, width = 0, channels = 0;
  std::span<const int64_t> rows, columns;
  bool overlapping = false;

  int64_t out_height() const { return static_cast<int64_t>(rows.size()) - 1; }
  int64_t out_width() const { return static_cast<int64_t>(columns.size()) - 1; }

  template <class T>
  void Max(const T* x, T* y, const Parallel& parallel) const {
    ForWindows(parallel, [=, this](int64_t out, const Window& w) {
      T* __restrict to = y + out;
      std::copy_n(x + At(w, w.top, w.left), channels, to);
      ForPlaces(w, [&](int64_t place) {
        const T* from = x + place;
        for (int64_t c = 0; c < channels; ++c) {
          to[c] = from[c] > to[c] ? from[c] : to[c];
        }
      });
    });
  }

  template <class T>
  void Average(const T* x, T* y, const Parallel& parallel) const {
    ForWindows(parallel, [=, this](int64_t out, const Window& w) {
      T* __restrict to = y + out;
      std::fill_n(to, channels, T(0));
      ForPlaces(w, [&](int64_t place) {
        const T* from = x + place;
        for (int64_t c = 0; c < channels; ++c) {
          to[c] = static_cast<T>(to[c] + from[c]);
        }
      });
      const T area = static_cast<T>(w.area());
      for (int64_t c = 0; c < channels; ++c) {
        to[c] = static_cast<T>(to[c] / area);
      }
    });
  }

  // Adds to `dx`, which holds zeros.
  template <class T>
  void MaxGradient(const T* x, const T* dy, T* dx,
                   const Parallel& parallel) const {
    ForWindows(parallel, [=, this](int64_t out, const Window& w) {
      for (int64_t c = 0; c < channels; ++c) {
        dx[Greatest(x, w, c)] += dy[out + c];
      }
    });
  }

  template <class T>
  void AverageGradient(const T* dy, double* dx,
                       const Parallel& parallel) const {
    ForWindows(parallel, [=, this](int64_t out, const Window& w) {
      const double area = static_cast<double>(w.area());
      const T* from = dy + out;
      ForPlaces(w, [&](int64_t place) {
        double* to = dx + place;
        for (int64_t c = 0; c < channels; ++c) {
          to[c] += static_cast<double>(from[c]) / area;
        }
      });
    });
  }

 private:
  struct Window {
    int64_t image, top, bottom, left, right;  // the last ones count
    int64_t area() const { return (bottom - top + 1) * (right - left + 1); }
  };

  // Where the channels of a place begin.
  int64_t At(const Window& w, int64_t y, int64_t x) const {
    return ((w.image * height + y) * width + x) * channels;
  }

  template <class Fn>
  void ForPlaces(const Window& w, Fn&& fn) const {
    for (int64_t y = w.top; y <= w.bottom; ++y) {
      for (int64_t x = w.left; x <= w.right; ++x) fn(At(w, y, x));
    }
  }

  // The place of the greatest element, the first of equal ones.
  template <class T>
  int64_t Greatest(const T* x, const Window& w, int64_t c) const {
    int64_t best = At(w, w.top, w.left) + c;
    T most = x[best];
    ForPlaces(w, [&](int64_t place) {
      const bool more = x[place + c] > most;
      most = more ? x[place + c] : most;
      best = more ? place + c : best;
    });
    return best;
  }

  // Windows are cut off at the image's end; none is empty.
  static std::pair<int64_t, int64_t> Range(std::span<const int64_t> ends,
                                           int64_t i, bool overlapping,
                                           int64_t size) {
    const int64_t first = std::min(ends[i], size - 1);
    const int64_t last = overlapping ? ends[i + 1] : ends[i + 1] - 1;
    return {first, std::max(first, std::min(last, size - 1))};
  }

  template <class Fn>
  void ForWindows(const Parallel& parallel, Fn&& fn) const {
    parallel.For(batch, [&](int64_t b) {
      int64_t out = b * out_height() * out_width() * channels;
      for (int64_t r = 0; r < out_height(); ++r) {
        const auto [top, bottom] = Range(rows, r, overlapping, height);
        for (int64_t q = 0; q < out_width(); ++q, out += channels) {
          const auto [left, right] = Range(columns, q, overlapping, width);
          fn(out, Window{b, top, bottom, left, right});
        }
      }
    });
  }
};

}  // namespace gk

#endif  // GK_KERNELS_FRACTIONAL_POOL_H_
