// Float 3x3 convolutions with step 1, and their gradients with respect to the
// images, by minimal filtering: a 2x2 tile of the result takes 16 products a
// channel pair instead of 36, as 16 matrix products of transformed tiles and
// filters. The transforms add, subtract and halve only, so small integers
// stay exact; other results differ from a direct sum in the last bits.
//
// A value that is not finite would spread over its tile: results are checked
// for that, and such a convolution is done again by the direct way.
#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/conv_impl.h"
#include "kernels/gemm_block.h"
#include "kernels/isa.h"
#include "kernels/scratch.h"
#include "kernels/winograd_tiles.h"

namespace gk::conv_internal {
namespace {

struct TileOut {
  const float* points;
  int64_t stride, channels;
  float* pixels[4];  // row-major 2x2
  float* not_finite;  // 16 floats, NaN once any result is infinite or NaN
};
// The filter of one source channel: tap t, result channel k at
// taps[t * tap_step + k * channel_step].
struct FilterRow {
  const float* taps;
  int64_t tap_step, channel_step, channels;
  float* points;
  int64_t stride;
};

struct TransformOut {
  const TileOut& t;
  template <int kBytes>
  GK_INLINE void At(int64_t c) const {
    using V = typename Lanes<kBytes>::Type;
    V r[2][4];
    const float* from = t.points + c;
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j, from += t.stride) {
      const V m0 = Load<kBytes>(from), m1 = Load<kBytes>(from + 4 * t.stride);
      const V m2 = Load<kBytes>(from + 8 * t.stride);
      const V m3 = Load<kBytes>(from + 12 * t.stride);
      r[0][j] = m0 + m1 + m2;
      r[1][j] = m1 - m2 - m3;
    }
    V seen = Load<kBytes>(t.not_finite);
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      const V left = r[i][0] + r[i][1] + r[i][2];
      const V right = r[i][1] - r[i][2] - r[i][3];
      Store<kBytes>(t.pixels[2 * i] + c, left);
      Store<kBytes>(t.pixels[2 * i + 1] + c, right);
      seen += left * 0.0f + right * 0.0f;
    }
    Store<kBytes>(t.not_finite, seen);
  }
};

template <int kBytes>
struct OutBody {
  GK_INLINE static void Run(const TileOut& t) {
    int64_t c = 0;
    ForChannels<kBytes>(t.channels, c, TransformOut{t});
  }
};

struct FilterBody {
  GK_INLINE static void Run(const FilterRow& f) {
    for (int64_t k = 0; k < f.channels; ++k) {
      const float* g = f.taps + k * f.channel_step;
      float r[4][3];
      for (int j = 0; j < 3; ++j) {
        const float g0 = g[j * f.tap_step], g1 = g[(3 + j) * f.tap_step];
        const float g2 = g[(6 + j) * f.tap_step];
        r[0][j] = g0;
        r[1][j] = (g0 + g2 + g1) * 0.5f;
        r[2][j] = (g0 + g2 - g1) * 0.5f;
        r[3][j] = g2;
      }
      float* to = f.points + k;
      for (int i = 0; i < 4; ++i, to += 4 * f.stride) {
        to[0] = r[i][0];
        to[f.stride] = (r[i][0] + r[i][2] + r[i][1]) * 0.5f;
        to[2 * f.stride] = (r[i][0] + r[i][2] - r[i][1]) * 0.5f;
        to[3 * f.stride] = r[i][2];
      }
    }
  }
};

class WinogradConv : public Conv2D {
 public:
  explicit WinogradConv(const Conv2DDesc& d)
      : Conv2D(d),
        backward_(d.pass == ConvPass::kBackwardInput),
        grid_(d),
        block_(grid_.BlockSize()),
        in_stride_(PointStride(block_ * grid_.from_c)),
        out_stride_(PointStride(block_ * grid_.to_c)),
        filter_stride_(PointStride(grid_.from_c * grid_.to_c)),
        zeros_(grid_.from_c, 0.0f),
        in_(WidestBody<InBody, void(const TileIn&)>()),
        out_(WidestBody<OutBody, void(const TileOut&)>()),
        filter_(Stamp<FilterBody, void(const FilterRow&)>::Best()),
        gemm_(GemmBlockFor(ElementType::kFloat)),
        filters_(4 * kPoints * filter_stride_),
        blocks_(4 * (kPoints * (in_stride_ + out_stride_) + grid_.to_c)) {}

 private:
  Status DoRun(const void* x, const void* y, void* result,
               Parallel parallel) override {
    ScratchPool::Lease filters = filters_.Take();
    if (filters.data() == nullptr) return NoMemory();
    float* transformed = reinterpret_cast<float*>(filters.data());
    TransformFilter(static_cast<const float*>(y), transformed, parallel);
    const int64_t blocks = (grid_.tiles + block_ - 1) / block_;
    std::atomic<bool> failed = false, not_finite = false;
    parallel.For(blocks, [&](int64_t i) {
      ScratchPool::Lease lease = blocks_.Take();
      if (lease.data() == nullptr) {
        failed.store(true, std::memory_order_relaxed);
      } else if (!Block(static_cast<const float*>(x), transformed, i * block_,
                        std::min(block_, grid_.tiles - i * block_),
                        reinterpret_cast<float*>(lease.data()),
                        static_cast<float*>(result))) {
        not_finite.store(true, std::memory_order_relaxed);
      }
    });
    if (failed) return NoMemory();
    if (!not_finite) return OkStatus();
    return direct_.Run(desc_, x, y, result, parallel);
  }

  static Status NoMemory() {
    return ResourceExhausted("out of memory in a convolution");
  }

  void TransformFilter(const float* filter, float* to, Parallel parallel) {
    // Backwards, taps are walked from the last and channels change places.
    const int64_t from_c = grid_.from_c, to_c = grid_.to_c;
    const int64_t tap = from_c * to_c;
    const int64_t step = std::max<int64_t>(1, 8192 / to_c);
    parallel.For((from_c + step - 1) / step, [&](int64_t slice) {
      const int64_t end = std::min(from_c, (slice + 1) * step);
      for (int64_t c = slice * step; c < end; ++c) {
        filter_({backward_ ? filter + 8 * tap + c : filter + c * to_c,
                 backward_ ? -tap : tap, backward_ ? from_c : 1, to_c,
                 to + c * to_c, filter_stride_});
      }
    });
  }

  // Whether all results are finite.
  bool Block(const float* from, const float* filter, int64_t first,
             int64_t count, float* scratch, float* to) const {
    float* in = scratch;
    float* out = in + kPoints * in_stride_;
    float* nowhere = out + kPoints * out_stride_;
    const int64_t from_c = grid_.from_c, to_c = grid_.to_c;
    for (int64_t t = 0; t < count; ++t) {
      TileIn tile{{}, in + t * from_c, in_stride_, from_c};
      grid_.PixelsFrom(from, first + t, zeros_.data(), tile.pixels);
      in_(tile);
    }
    for (int64_t p = 0; p < kPoints; ++p) {
      gemm_({in + p * in_stride_, from_c, 1, filter + p * filter_stride_, to_c,
             out + p * out_stride_, to_c, count, to_c, from_c, false});
    }
    float not_finite[16] = {};
    for (int64_t t = 0; t < count; ++t) {
      TileOut tile{out + t * to_c, out_stride_, to_c, {}, not_finite};
      grid_.PixelsTo(to, first + t, nowhere, tile.pixels);
      out_(tile);
    }
    return std::all_of(not_finite, not_finite + 16,
                       [](float v) { return v == 0.0f; });
  }

  const bool backward_;
  const TileGrid grid_;
  const int64_t block_, in_stride_, out_stride_, filter_stride_;
  const std::vector<float> zeros_;
  void (*const in_)(const TileIn&);
  void (*const out_)(const TileOut&);
  void (*const filter_)(const FilterRow&);
  const GemmBlockFn gemm_;
  ScratchPool filters_, blocks_;
  DirectConv direct_;
};

// Fewer products by far, and enough of each kind to fill the tiles.
bool Pays(const Conv2DDesc& d) {
  // Channel pairs; a transformed filter of these takes 32 MB.
  constexpr int64_t kMaxFilter = 512 << 10;
  if (CurrentIsa() < Isa::kV3 || d.type != ElementType::kFloat ||
      d.groups != 1 || d.filter_h != 3 || d.filter_w != 3 ||
      d.stride_h != 1 || d.stride_w != 1 || d.dilation_h != 1 ||
      d.dilation_w != 1 || d.pad_top > 2 || d.pad_left > 2 || d.in_c < 16 ||
      d.out_c < 16 || d.in_c * d.out_c > kMaxFilter) {
    return false;
  }
  const TileGrid grid(d);
  const double direct = 9.0 * static_cast<double>(d.batch) * grid.to_h *
                        static_cast<double>(grid.to_w);
  return grid.tiles >= 64 &&
         direct >= 1.4 * kPoints * static_cast<double>(grid.tiles);
}

}  // namespace

Status DirectConv::Run(const Conv2DDesc& desc, const void* x, const void* y,
                       void* result, Parallel parallel) {
  std::shared_ptr<Conv2D> conv;
  {
    std::lock_guard lock(mutex_);
    conv = conv_;
  }
  if (conv == nullptr) {
    Created made = CreateDnnl(desc);
    if (!made.ok()) made = CreatePatches(desc);
    GK_ASSIGN_OR_RETURN(conv, std::move(made));
    std::lock_guard lock(mutex_);
    if (conv_ == nullptr) conv_ = conv;
  }
  return conv->Run(x, y, result, parallel);
}

Created CreateWinograd(const Conv2DDesc& desc) {
  if (!Pays(desc)) {
    return Unimplemented("not a convolution for minimal filtering");
  }
  if (desc.pass == ConvPass::kBackwardFilter) {
    return CreateWinogradFilter(desc);
  }
  return std::shared_ptr<Conv2D>(std::make_shared<WinogradConv>(desc));
}

}  // namespace gk::conv_internal
