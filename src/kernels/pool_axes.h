// Pooling a row of windows axis by axis: first the inputs above one another,
// then their neighbours. Windows share what lies above one another, and rows
// are worked on in whole vectors however few the channels are. Private to the
// kernels layer.
#ifndef GK_KERNELS_POOL_AXES_H_
#define GK_KERNELS_POOL_AXES_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/isa.h"
#include "kernels/pool.h"
#include "kernels/pool_rows.h"

namespace gk::pool_internal {

// Numbers of a row of inputs that are worked on at once: they stay in the
// first cache level.
inline constexpr int64_t kAcross = 4096;

// From so many channels on each pixel is worth a loop of its own.
inline constexpr int64_t kManyChannels = 8;

// Does one window fit into what is worked on at once?
GK_INLINE bool PoolsByAxes(const PoolDesc& d) {
  return d.window[2] <= kAcross / d.channels;
}

// Op::Start() begins a window, Op::With(sum, v) adds `v` to it.
template <class Op>
struct PoolAxes {
  // Row (z, y) of the output of one image.
  GK_INLINE static void Run(const PoolDesc& d, const float* image, int64_t z,
                            int64_t y, float* out) {
    float above[kAcross];
    const int64_t c = d.channels, stride = d.stride[2], window = d.window[2];
    const Range rz = Inputs(d, 0, z), ry = Inputs(d, 1, y);
    // The stride may be far wider than the image.
    const int64_t step = (kAcross / c - window) / stride + 1;
    for (int64_t x = 0; x < d.out[2]; x += step) {
      const int64_t end = std::min(x + step, d.out[2]);
      const int64_t first = Inputs(d, 2, x).first;
      const int64_t last = std::max(first, Inputs(d, 2, end - 1).last);
      Above(d, image + first * c, rz, ry, (last - first) * c, above);
      // The first output of which no input is padding, and the first after
      // these of which one is.
      const int64_t inside =
          std::clamp((d.pad[2] + stride - 1) / stride, x, end);
      const int64_t room = d.in[2] + d.pad[2] - window;
      const int64_t outside =
          std::clamp(room < 0 ? 0 : room / stride + 1, inside, end);
      for (int64_t i = x; i < end; ++i) {
        if (i == inside && inside < outside) {
          Inside(above + (i * stride - d.pad[2] - first) * c, c, stride, window,
                 outside - inside, out + i * c);
          i = outside - 1;
          continue;
        }
        const Range range = Inputs(d, 2, i);
        Neighbours(above + (range.first - first) * c, c, range.size(), c,
                   out + i * c);
      }
    }
  }

 private:
  // Of `n` numbers of each row that the windows hold.
  GK_INLINE static void Above(const PoolDesc& d, const float* image, Range rz,
                              Range ry, int64_t n, float* above) {
    const float* waiting = nullptr;
    bool begun = false;
    const auto add = [&](const float* a, const float* b)
        __attribute__((always_inline)) {
      if (!begun) {
#pragma GCC ivdep
        for (int64_t i = 0; i < n; ++i) {
          above[i] = Op::With(Op::With(Op::Start(), a[i]), b[i]);
        }
      } else {
#pragma GCC ivdep
        for (int64_t i = 0; i < n; ++i) {
          above[i] = Op::With(Op::With(above[i], a[i]), b[i]);
        }
      }
      begun = true;
    };
    for (int64_t iz = rz.first; iz < rz.last; ++iz) {
      for (int64_t iy = ry.first; iy < ry.last; ++iy) {
        const float* row = image + (iz * d.in[1] + iy) * d.in[2] * d.channels;
        if (waiting == nullptr) {
          waiting = row;
        } else {
          add(waiting, row);
          waiting = nullptr;
        }
      }
    }
    if (waiting != nullptr && begun) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) above[i] = Op::With(above[i], waiting[i]);
    } else if (waiting != nullptr) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) {
        above[i] = Op::With(Op::Start(), waiting[i]);
      }
    } else if (!begun) {
      std::fill_n(above, n, Op::Start());
    }
  }

  // out[i] of from[i], from[i + c] and so on, `window` of them.
  GK_INLINE static void Neighbours(const float* from, int64_t c, int64_t window,
                                   int64_t n, float* out) {
    if (window == 2) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) out[i] = Op::With(from[i], from[i + c]);
      return;
    }
    if (window == 3) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) {
        out[i] = Op::With(Op::With(from[i], from[i + c]), from[i + 2 * c]);
      }
      return;
    }
    if (window <= 0) {
      std::fill_n(out, n, Op::Start());
      return;
    }
    std::copy_n(from, n, out);
    for (int64_t k = 1; k < window; ++k) {
      from += c;
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) out[i] = Op::With(out[i], from[i]);
    }
  }

  // `count` outputs of which no input is padding.
  GK_INLINE static void Inside(const float* from, int64_t c, int64_t stride,
                               int64_t window, int64_t count, float* out) {
    if (stride == 1) {
      Neighbours(from, c, window, count * c, out);
    } else if (c >= kManyChannels) {
      for (int64_t i = 0; i < count; ++i, from += stride * c, out += c) {
        Neighbours(from, c, window, c, out);
      }
    } else {
      const auto few = [&](auto channels) __attribute__((always_inline)) {
        for (int64_t i = 0; i < count; ++i, from += stride * c, out += c) {
          for (int64_t j = 0; j < channels; ++j) {
            float sum = from[j];
            for (int64_t k = 1; k < window; ++k) {
              sum = Op::With(sum, from[k * channels + j]);
            }
            out[j] = sum;
          }
        }
      };
      if (c == 1) {
        few(std::integral_constant<int64_t, 1>());
      } else if (c == 3) {
        few(std::integral_constant<int64_t, 3>());
      } else {
        few(c);
      }
    }
  }
};

}  // namespace gk::pool_internal

#endif  // GK_KERNELS_POOL_AXES_H_
