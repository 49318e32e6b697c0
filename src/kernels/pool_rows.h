// Window walks and per-row bodies of pooling; private to the kernels layer.
#ifndef GK_KERNELS_POOL_ROWS_H_
#define GK_KERNELS_POOL_ROWS_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/isa.h"
#include "kernels/pool.h"

namespace gk::pool_internal {

struct Range {
  int64_t first, last;
  int64_t size() const { return std::max<int64_t>(0, last - first); }
};

// The inputs of output `o` along dimension `dim`, clipped to the image.
GK_INLINE Range Inputs(const PoolDesc& d, int dim, int64_t o) {
  const int64_t first = o * d.stride[dim] - d.pad[dim];
  return {std::max<int64_t>(first, 0),
          std::min(first + d.window[dim], d.in[dim])};
}

// The outputs along `dim` whose windows hold input `i`.
GK_INLINE Range Outputs(const PoolDesc& d, int dim, int64_t i) {
  const int64_t at = i + d.pad[dim];
  const int64_t before = at - d.window[dim] + 1;
  const int64_t first =
      before <= 0 ? 0 : (before + d.stride[dim] - 1) / d.stride[dim];
  return {first, std::min(at / d.stride[dim] + 1, d.out[dim])};
}

// Calls body(x) with the offset in pixels, within the image, of every input
// of output pixel (z, y, x), in row-major order.
template <class F>
GK_INLINE void ForWindow(const PoolDesc& d, int64_t z, int64_t y, int64_t x,
                         F body) {
  const Range rz = Inputs(d, 0, z), ry = Inputs(d, 1, y), rx = Inputs(d, 2, x);
  for (int64_t iz = rz.first; iz < rz.last; ++iz) {
    for (int64_t iy = ry.first; iy < ry.last; ++iy) {
      for (int64_t ix = rx.first; ix < rx.last; ++ix) {
        body((iz * d.in[1] + iy) * d.in[2] + ix);
      }
    }
  }
}

// Calls body(first, count) for strips of at most 64 channels. Counts of the
// usual strips are constants, so that loops over them are unrolled.
template <bool kUnrolls, class F>
GK_INLINE void ForStrips(int64_t channels, F body) {
  int64_t c = 0;
  if constexpr (kUnrolls) {
    for (; channels - c >= 64; c += 64) {
      body(c, std::integral_constant<int64_t, 64>());
    }
    if (channels - c >= 32) {
      body(c, std::integral_constant<int64_t, 32>());
      c += 32;
    }
    if (channels - c >= 16) {
      body(c, std::integral_constant<int64_t, 16>());
      c += 16;
    }
    if (channels - c >= 8) {
      body(c, std::integral_constant<int64_t, 8>());
      c += 8;
    }
  }
  for (; c < channels; c += 64) body(c, std::min<int64_t>(64, channels - c));
}

inline int64_t InPixels(const PoolDesc& d) {
  return d.in[0] * d.in[1] * d.in[2];
}
inline int64_t OutPixels(const PoolDesc& d) {
  return d.out[0] * d.out[1] * d.out[2];
}

Status CheckPool(const PoolDesc& desc);

}  // namespace gk::pool_internal

#endif  // GK_KERNELS_POOL_ROWS_H_
