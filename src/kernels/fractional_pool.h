// Pooling over windows of uneven sizes that cover an image [batch, height,
// width, channels]. `rows` and `columns` say where the windows begin; the last
// number is where they end. Slices are images.
#ifndef GK_KERNELS_FRACTIONAL_POOL_H_
#define GK_KERNELS_FRACTIONAL_POOL_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/isa.h"
#include "kernels/parallel.h"

namespace gk {

struct FractionalPool {
  int64_t batch = 0, height = 0, width = 0, channels = 0;
  std::span<const int64_t> rows, columns;
  bool overlapping = false;

  int64_t out_height() const { return static_cast<int64_t>(rows.size()) - 1; }
  int64_t out_width() const { return static_cast<int64_t>(columns.size()) - 1; }

  struct Window {
    int64_t image, top, bottom, left, right;  // the last ones count
    int64_t area() const { return (bottom - top + 1) * (right - left + 1); }
  };

  template <class T>
  void Max(const T* x, T* y, const Parallel& parallel) const;
  template <class T>
  void Average(const T* x, T* y, const Parallel& parallel) const;
  // False if y is not what Max() gives.
  template <class T>
  bool MaxGradient(const T* x, const T* y, const T* dy, T* dx,
                   const Parallel& parallel) const;
  template <class T>
  void AverageGradient(const T* dy, T* dx, const Parallel& parallel) const;

  int64_t image_size() const { return height * width * channels; }

  // Where the channels of a place begin.
  GK_INLINE int64_t At(const Window& w, int64_t y, int64_t x) const {
    return ((w.image * height + y) * width + x) * channels;
  }

  template <class Fn>
  GK_INLINE void ForPlaces(const Window& w, Fn&& fn) const {
    for (int64_t y = w.top; y <= w.bottom; ++y) {
      for (int64_t x = w.left; x <= w.right; ++x) fn(At(w, y, x));
    }
  }

  // Windows are cut off at the image's end; none is empty.
  GK_INLINE static std::pair<int64_t, int64_t> Range(
      std::span<const int64_t> ends, int64_t i, bool overlapping,
      int64_t size) {
    const int64_t first = std::min(ends[i], size - 1);
    const int64_t last = overlapping ? ends[i + 1] : ends[i + 1] - 1;
    return {first, std::max(first, std::min(last, size - 1))};
  }

  template <class Fn>
  GK_INLINE void ForWindows(int64_t image, Fn&& fn) const {
    int64_t out = image * out_height() * out_width() * channels;
    for (int64_t r = 0; r < out_height(); ++r) {
      const auto [top, bottom] = Range(rows, r, overlapping, height);
      for (int64_t q = 0; q < out_width(); ++q, out += channels) {
        const auto [left, right] = Range(columns, q, overlapping, width);
        fn(out, Window{image, top, bottom, left, right});
      }
    }
  }
};

namespace fractional_pool {

template <class T>
struct MaxBody {
  GK_INLINE static void Run(const FractionalPool& pool, const T* x, T* y,
                            int64_t image) {
    pool.ForWindows(image, [&](int64_t out, const auto& w) {
      T* __restrict to = y + out;
      std::copy_n(x + pool.At(w, w.top, w.left), pool.channels, to);
      pool.ForPlaces(w, [&](int64_t place) {
        const T* from = x + place;
        for (int64_t c = 0; c < pool.channels; ++c) {
          to[c] = from[c] > to[c] ? from[c] : to[c];
        }
      });
    });
  }
};

template <class T>
struct AverageBody {
  GK_INLINE static void Run(const FractionalPool& pool, const T* x, T* y,
                            int64_t image) {
    pool.ForWindows(image, [&](int64_t out, const auto& w) {
      T* __restrict to = y + out;
      std::fill_n(to, pool.channels, T(0));
      pool.ForPlaces(w, [&](int64_t place) {
        const T* from = x + place;
        for (int64_t c = 0; c < pool.channels; ++c) {
          to[c] = static_cast<T>(to[c] + from[c]);
        }
      });
      const T area = static_cast<T>(w.area());
      for (int64_t c = 0; c < pool.channels; ++c) {
        to[c] = static_cast<T>(to[c] / area);
      }
    });
  }
};

// One of the two for all images.
template <class Body, class T>
void ForImages(const FractionalPool& pool, const T* x, T* y,
               const Parallel& parallel) {
  using Fn = void(const FractionalPool&, const T*, T*, int64_t);
  auto* const fn = Stamp<Body, Fn>::template Best<Isa::kV3>();
  parallel.For(pool.batch, [&](int64_t image) { fn(pool, x, y, image); });
}

// The gradient goes to the first of equal elements. Place counts those of a
// window.
template <class T, class Place>
struct MaxGradientBody {
  GK_INLINE static bool Run(const FractionalPool& pool, const T* x, const T* y,
                            const T* dy, T* dx, int64_t image) {
    constexpr int64_t kStrip = 64, kTold = 64;
    bool same = true;
    std::fill_n(dx + image * pool.image_size(), pool.image_size(), T(0));
    pool.ForWindows(image, [&](int64_t out, const auto& w) {
      for (int64_t c = 0; c < pool.channels; c += kStrip) {
        const int64_t n = std::min(kStrip, pool.channels - c);
        T most[kStrip];
        Place best[kStrip];
        const T* const first = x + pool.At(w, w.top, w.left) + c;
        std::copy_n(first, n, most);
        std::fill_n(best, n, Place(0));
        // Where the places of windows that are not huge are: divisions would
        // take longer than all else.
        int64_t places[kTold];
        const bool told = w.area() <= kTold;
        Place turn = 0;
        pool.ForPlaces(w, [&](int64_t place) {
          const T* const from = x + place + c;
          for (int64_t i = 0; i < n; ++i) {
            const bool more = from[i] > most[i];
            most[i] = more ? from[i] : most[i];
            best[i] = more ? turn : best[i];
          }
          if (told) places[turn] = place;
          ++turn;
        });
        bool differs = false;
        for (int64_t i = 0; i < n; ++i) {
          const T a = most[i], b = y[out + c + i];
          bool equal = a == b;
          if constexpr (std::is_floating_point_v<T>) {
            equal = equal || (std::isnan(a) && std::isnan(b));
          }
          differs |= !equal;
        }
        same &= !differs;
        if (told) {
          for (int64_t i = 0; i < n; ++i) {
            T& to = dx[places[best[i]] + c + i];
            to = static_cast<T>(to + dy[out + c + i]);
          }
          continue;
        }
        const int64_t wide = w.right - w.left + 1;
        for (int64_t i = 0; i < n; ++i) {
          const int64_t row = best[i] / static_cast<Place>(wide);
          const int64_t at =
              pool.At(w, w.top + row, w.left + best[i] - row * wide) + c + i;
          dx[at] = static_cast<T>(dx[at] + dy[out + c + i]);
        }
      }
    });
    return same;
  }
};

// Sums are those of doubles.
template <class T>
struct AverageGradientBody {
  GK_INLINE static void Run(const FractionalPool& pool, const T* dy,
                            double* sums, double* shares, T* dx,
                            int64_t image) {
    const int64_t size = pool.image_size(), first = image * size;
    std::fill_n(sums, size, 0.0);
    pool.ForWindows(image, [&](int64_t out, const auto& w) {
      const double area = static_cast<double>(w.area());
      for (int64_t c = 0; c < pool.channels; ++c) {
        shares[c] = static_cast<double>(dy[out + c]) / area;
      }
      pool.ForPlaces(w, [&](int64_t place) {
        double* __restrict to = sums + place - first;
        for (int64_t c = 0; c < pool.channels; ++c) to[c] += shares[c];
      });
    });
    for (int64_t i = 0; i < size; ++i) dx[first + i] = static_cast<T>(sums[i]);
  }
};

}  // namespace fractional_pool

template <class T>
void FractionalPool::Max(const T* x, T* y, const Parallel& parallel) const {
  fractional_pool::ForImages<fractional_pool::MaxBody<T>>(*this, x, y,
                                                          parallel);
}

template <class T>
void FractionalPool::Average(const T* x, T* y, const Parallel& parallel) const {
  fractional_pool::ForImages<fractional_pool::AverageBody<T>>(*this, x, y,
                                                              parallel);
}

template <class T>
bool FractionalPool::MaxGradient(const T* x, const T* y, const T* dy, T* dx,
                                 const Parallel& parallel) const {
  using Fn =
      bool(const FractionalPool&, const T*, const T*, const T*, T*, int64_t);
  // As wide as the numbers, so that both are chosen alike, where it may be.
  using Place = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  auto* fn = Stamp<fractional_pool::MaxGradientBody<T, Place>,
                   Fn>::template Best<Isa::kV3>();
  if (height >
      std::numeric_limits<Place>::max() / std::max<int64_t>(width, 1)) {
    fn = &fractional_pool::MaxGradientBody<T, int64_t>::Run;
  }
  std::vector<uint8_t> same(batch);
  parallel.For(batch, [&](int64_t image) {
    same[image] = fn(*this, x, y, dy, dx, image);
  });
  return std::find(same.begin(), same.end(), 0) == same.end();
}

template <class T>
void FractionalPool::AverageGradient(const T* dy, T* dx,
                                     const Parallel& parallel) const {
  using Fn =
      void(const FractionalPool&, const T*, double*, double*, T*, int64_t);
  auto* const fn = Stamp<fractional_pool::AverageGradientBody<T>,
                         Fn>::template Best<Isa::kV3>();
  parallel.For(batch, [&](int64_t image) {
    std::vector<double> memory(image_size() + channels);
    fn(*this, dy, memory.data(), memory.data() + image_size(), dx, image);
  });
}

}  // namespace gk

#endif  // GK_KERNELS_FRACTIONAL_POOL_H_
