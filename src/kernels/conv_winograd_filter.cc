// The gradient of a 3x3 convolution with respect to its filter by minimal
// filtering: the transposed steps of conv_winograd.cc. Tiles of the images and
// of the gradients meet in 16 matrix products summed over all tiles; what
// comes out is the gradient of the transformed filter. A few parts of the
// tiles, which depend on the description alone, are summed apart.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <vector>

#include "kernels/gemm_block.h"
#include "kernels/scratch.h"
#include "kernels/winograd_tiles.h"

namespace gk::conv_internal {
namespace {

// Parts are few, and fewer where the filter is large: their sums take memory.
int64_t PartsOf(const TileGrid& grid, int64_t blocks) {
  const int64_t bytes = 4 * kPoints * grid.from_c * grid.to_c;
  return std::min(blocks, std::clamp<int64_t>((16 << 20) / bytes, 1, 4));
}

// A tile of gradients, 2x2 pixels, to 16 points.
struct TileSpread {
  const float* pixels[4];
  float* points;
  int64_t stride, channels;
};

struct TransformSpread {
  const TileSpread& t;
  template <int kBytes>
  GK_INLINE void At(int64_t c) const {
    using V = typename Lanes<kBytes>::Type;
    V r[4][2];
#pragma GCC unroll 2
    for (int j = 0; j < 2; ++j) {
      const V top = Load<kBytes>(t.pixels[j] + c);
      const V bottom = Load<kBytes>(t.pixels[2 + j] + c);
      r[0][j] = top;
      r[1][j] = top + bottom;
      r[2][j] = top - bottom;
      r[3][j] = V{} - bottom;
    }
    float* to = t.points + c;
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      Store<kBytes>(to, r[i][0]);
      Store<kBytes>(to + t.stride, r[i][0] + r[i][1]);
      Store<kBytes>(to + 2 * t.stride, r[i][0] - r[i][1]);
      Store<kBytes>(to + 3 * t.stride, V{} - r[i][1]);
      to += 4 * t.stride;
    }
  }
};

template <int kBytes>
struct SpreadBody {
  GK_INLINE static void Run(const TileSpread& t) {
    int64_t c = 0;
    ForChannels<kBytes>(t.channels, c, TransformSpread{t});
  }
};

// Sums the parts and takes elements [first, last) back to nine taps.
struct Collect {
  float* points;  // the first part, which receives the sum
  int64_t stride, parts, part_step;
  int64_t first, last;
  float* taps;
  int64_t tap_step;
};

struct CollectBody {
  GK_INLINE static void Run(const Collect& g) {
    for (int64_t p = 0; p < kPoints; ++p) {
      float* sum = g.points + p * g.stride;
      for (int64_t part = 1; part < g.parts; ++part) {
        const float* more = sum + part * g.part_step;
        for (int64_t e = g.first; e < g.last; ++e) sum[e] += more[e];
      }
    }
    for (int64_t e = g.first; e < g.last; ++e) {
      const float* u = g.points + e;
      float r[3][4];
      for (int j = 0; j < 4; ++j) {
        const float u0 = u[j * g.stride], u1 = u[(4 + j) * g.stride];
        const float u2 = u[(8 + j) * g.stride], u3 = u[(12 + j) * g.stride];
        r[0][j] = u0 + (u1 + u2) * 0.5f;
        r[1][j] = (u1 - u2) * 0.5f;
        r[2][j] = (u1 + u2) * 0.5f + u3;
      }
      float* to = g.taps + e;
      for (int i = 0; i < 3; ++i, to += 3 * g.tap_step) {
        to[0] = r[i][0] + (r[i][1] + r[i][2]) * 0.5f;
        to[g.tap_step] = (r[i][1] - r[i][2]) * 0.5f;
        to[2 * g.tap_step] = (r[i][1] + r[i][2]) * 0.5f + r[i][3];
      }
    }
  }
};

class WinogradFilter : public Conv2D {
 public:
  explicit WinogradFilter(const Conv2DDesc& d)
      : Conv2D(d),
        grid_(d),
        block_(grid_.BlockSize()),
        blocks_((grid_.tiles + block_ - 1) / block_),
        parts_(PartsOf(grid_, blocks_)),
        in_stride_(PointStride(block_ * grid_.from_c)),
        to_stride_(PointStride(block_ * grid_.to_c)),
        sum_stride_(PointStride(grid_.from_c * grid_.to_c)),
        zeros_(std::max(grid_.from_c, grid_.to_c), 0.0f),
        in_(WidestBody<InBody, void(const TileIn&)>()),
        spread_(WidestBody<SpreadBody, void(const TileSpread&)>()),
        collect_(Stamp<CollectBody, void(const Collect&)>::Best()),
        gemm_(GemmBlockFor(ElementType::kFloat)),
        scratch_(4 * kPoints * (in_stride_ + to_stride_)),
        sums_(4 * kPoints * sum_stride_ * parts_) {}

 private:
  Status DoRun(const void* x, const void* y, void* result,
               Parallel parallel) override {
    ScratchPool::Lease sums = sums_.Take();
    if (sums.data() == nullptr) return NoMemory();
    float* sum = reinterpret_cast<float*>(sums.data());
    std::atomic<bool> failed = false;
    parallel.For(parts_, [&](int64_t part) {
      ScratchPool::Lease lease = scratch_.Take();
      if (lease.data() == nullptr) {
        failed.store(true, std::memory_order_relaxed);
        return;
      }
      const int64_t first = blocks_ * part / parts_;
      const int64_t last = blocks_ * (part + 1) / parts_;
      for (int64_t b = first; b < last; ++b) {
        AddBlock(static_cast<const float*>(x), static_cast<const float*>(y),
                 b * block_, b == first,
                 reinterpret_cast<float*>(lease.data()),
                 sum + part * kPoints * sum_stride_);
      }
    });
    if (failed) return NoMemory();
    const int64_t pairs = grid_.from_c * grid_.to_c;
    constexpr int64_t kStep = 4096;
    std::atomic<bool> not_finite = false;
    float* taps = static_cast<float*>(result);
    parallel.For((pairs + kStep - 1) / kStep, [&](int64_t i) {
      const int64_t last = std::min(pairs, (i + 1) * kStep);
      collect_({sum, sum_stride_, parts_, kPoints * sum_stride_, i * kStep,
                last, taps, pairs});
      for (int64_t tap = 0; tap < 9; ++tap) {
        for (int64_t e = i * kStep; e < last; ++e) {
          if (!std::isfinite(taps[tap * pairs + e])) {
            not_finite.store(true, std::memory_order_relaxed);
          }
        }
      }
    });
    if (!not_finite) return OkStatus();
    return direct_.Run(desc_, x, y, result, parallel);
  }

  static Status NoMemory() {
    return ResourceExhausted("out of memory in a convolution");
  }

  void AddBlock(const float* from, const float* to, int64_t first,
                bool is_first, float* scratch, float* sum) const {
    float* in = scratch;
    float* spread = scratch + kPoints * in_stride_;
    const int64_t from_c = grid_.from_c, to_c = grid_.to_c;
    const int64_t count = std::min(block_, grid_.tiles - first);
    for (int64_t t = 0; t < count; ++t) {
      TileIn tile{{}, in + t * from_c, in_stride_, from_c};
      grid_.PixelsFrom(from, first + t, zeros_.data(), tile.pixels);
      in_(tile);
      TileSpread gradient{{}, spread + t * to_c, to_stride_, to_c};
      grid_.PixelsTo(to, first + t, zeros_.data(), gradient.pixels);
      spread_(gradient);
    }
    for (int64_t p = 0; p < kPoints; ++p) {
      gemm_({in + p * in_stride_, 1, from_c, spread + p * to_stride_, to_c,
             sum + p * sum_stride_, to_c, from_c, to_c, count, !is_first});
    }
  }

  const TileGrid grid_;
  const int64_t block_, blocks_, parts_;
  const int64_t in_stride_, to_stride_, sum_stride_;
  const std::vector<float> zeros_;
  void (*const in_)(const TileIn&);
  void (*const spread_)(const TileSpread&);
  void (*const collect_)(const Collect&);
  const GemmBlockFn gemm_;
  ScratchPool scratch_, sums_;
  DirectConv direct_;
};

}  // namespace

Created CreateWinogradFilter(const Conv2DDesc& desc) {
  return std::shared_ptr<Conv2D>(std::make_shared<WinogradFilter>(desc));
}

}  // namespace gk::conv_internal
