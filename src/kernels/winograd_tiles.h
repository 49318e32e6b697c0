// What minimal filtering of 3x3 convolutions in both directions shares: where
// the tiles lie and how a tile is transformed. Private to the kernels layer.
#ifndef GK_KERNELS_WINOGRAD_TILES_H_
#define GK_KERNELS_WINOGRAD_TILES_H_

#include <algorithm>
#include <cstdint>
#include <memory>

#include "base/process_mutex.h"
#include "kernels/conv_impl.h"
#include "kernels/isa.h"

namespace gk::conv_internal {

constexpr int64_t kPoints = 16;  // of a transformed tile

// Images `from` are read in tiles of 4x4 pixels, two apart, and images `to`
// hold tiles of 2x2.
struct TileGrid {
  int64_t from_h, from_w, from_c;
  int64_t to_h, to_w, to_c;
  int64_t pad_top, pad_left;
  int64_t tiles_h, tiles_w, tiles;

  // For kBackwardInput the roles are exchanged.
  explicit TileGrid(const Conv2DDesc& d) {
    const bool back = d.pass == ConvPass::kBackwardInput;
    from_h = back ? d.out_h : d.in_h, from_w = back ? d.out_w : d.in_w;
    from_c = back ? d.out_c : d.in_c, to_c = back ? d.in_c : d.out_c;
    to_h = back ? d.in_h : d.out_h, to_w = back ? d.in_w : d.out_w;
    pad_top = back ? 2 - d.pad_top : d.pad_top;
    pad_left = back ? 2 - d.pad_left : d.pad_left;
    tiles_h = (to_h + 1) / 2, tiles_w = (to_w + 1) / 2;
    tiles = d.batch * tiles_h * tiles_w;
  }

  // Tiles of a block: both operands stay in the second-level cache.
  int64_t BlockSize() const {
    constexpr int64_t kFloats = 128 << 10;
    return std::clamp<int64_t>(
        kFloats / kPoints / (from_c + to_c) / 8 * 8, 16, 64);
  }

  // Pixels outside of the images are `zeros`.
  template <class T>
  void PixelsFrom(T* from, int64_t tile, T* zeros, T** pixels) const {
    const int64_t image = tile / (tiles_h * tiles_w);
    const int64_t y0 = tile / tiles_w % tiles_h * 2 - pad_top;
    const int64_t x0 = tile % tiles_w * 2 - pad_left;
    if (y0 >= 0 && y0 + 4 <= from_h && x0 >= 0 && x0 + 4 <= from_w) {
      T* const corner = from + ((image * from_h + y0) * from_w + x0) * from_c;
      for (int64_t i = 0; i < 16; ++i) {
        pixels[i] = corner + (i / 4 * from_w + i % 4) * from_c;
      }
      return;
    }
    for (int64_t i = 0; i < 16; ++i) {
      const int64_t y = y0 + i / 4, x = x0 + i % 4;
      const bool inside = y >= 0 && y < from_h && x >= 0 && x < from_w;
      pixels[i] =
          inside ? from + ((image * from_h + y) * from_w + x) * from_c : zeros;
    }
  }
  // Pixels outside of the images are `nowhere`.
  template <class T>
  void PixelsTo(T* to, int64_t tile, T* nowhere, T** pixels) const {
    const int64_t image = tile / (tiles_h * tiles_w);
    const int64_t y0 = tile / tiles_w % tiles_h * 2;
    const int64_t x0 = tile % tiles_w * 2;
    for (int64_t i = 0; i < 4; ++i) {
      const int64_t y = y0 + i / 2, x = x0 + i % 2;
      const bool inside = y < to_h && x < to_w;
      pixels[i] =
          inside ? to + ((image * to_h + y) * to_w + x) * to_c : nowhere;
    }
  }
};

// An odd number of cache lines keeps the points of an operand out of each
// other's cache sets.
inline int64_t PointStride(int64_t floats) {
  return (floats + 31) / 32 * 32 + 16;
}

template <int kBytes>
struct Lanes {
  typedef float Type
      __attribute__((vector_size(kBytes), aligned(4), may_alias));
};
// A type loses its alignment as a template argument, hence sizes.
template <int kBytes>
GK_INLINE typename Lanes<kBytes>::Type Load(const float* p) {
  return *reinterpret_cast<const typename Lanes<kBytes>::Type*>(p);
}
template <int kBytes>
GK_INLINE void Store(float* p, typename Lanes<kBytes>::Type v) {
  *reinterpret_cast<typename Lanes<kBytes>::Type*>(p) = v;
}

// Calls body.At<bytes of a vector>(channel) over all channels, widest vectors
// first.
template <int kBytes, class Body>
GK_INLINE void ForChannels(int64_t channels, int64_t& c, const Body& body) {
  constexpr int64_t kCount = kBytes / 4;
  for (; c + kCount <= channels; c += kCount) {
    body.template At<kBytes>(c);
  }
  if constexpr (kBytes > 4) ForChannels<kBytes / 2>(channels, c, body);
}

// The direct convolution of the same description, made when it is needed:
// where a result is not finite. Thread-safe.
class DirectConv {
 public:
  Status Run(const Conv2DDesc& desc, const void* x, const void* y,
             void* result, Parallel parallel);

 private:
  std::shared_ptr<Conv2D> conv_;
  ProcessMutex& mutex_ = ProcessMutex::Of(this);
};

// The gradient with respect to the filter.
Created CreateWinogradFilter(const Conv2DDesc& desc);

template <template <int> class Body, class Fn>
Fn* WidestBody() {
  const Isa isa = CurrentIsa();
  if (isa >= Isa::kV4) return Stamp<Body<64>, Fn>::For(isa);
  if (isa >= Isa::kV3) return Stamp<Body<32>, Fn>::For(isa);
  return Stamp<Body<16>, Fn>::For(isa);
}

// Points of a transformed operand are `stride` floats apart.
struct TileIn {
  const float* pixels[kPoints];  // row-major 4x4
  float* points;
  int64_t stride, channels;
};

struct TransformIn {
  const TileIn& t;
  template <int kBytes>
  GK_INLINE void At(int64_t c) const {
    using V = typename Lanes<kBytes>::Type;
    V d[4][4], r[4][4];
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {
      d[i / 4][i % 4] = Load<kBytes>(t.pixels[i] + c);
    }
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      r[0][j] = d[0][j] - d[2][j];
      r[1][j] = d[1][j] + d[2][j];
      r[2][j] = d[2][j] - d[1][j];
      r[3][j] = d[1][j] - d[3][j];
    }
    float* to = t.points + c;
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      Store<kBytes>(to, r[i][0] - r[i][2]);
      Store<kBytes>(to + t.stride, r[i][1] + r[i][2]);
      Store<kBytes>(to + 2 * t.stride, r[i][2] - r[i][1]);
      Store<kBytes>(to + 3 * t.stride, r[i][1] - r[i][3]);
      to += 4 * t.stride;
    }
  }
};

template <int kBytes>
struct InBody {
  GK_INLINE static void Run(const TileIn& t) {
    int64_t c = 0;
    ForChannels<kBytes>(t.channels, c, TransformIn{t});
  }
};

}  // namespace gk::conv_internal

#endif  // GK_KERNELS_WINOGRAD_TILES_H_
