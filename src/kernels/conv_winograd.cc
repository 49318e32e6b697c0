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
#include <mutex>
#include <utility>
#include <vector>

#include "kernels/conv_impl.h"
#include "kernels/gemm_block.h"
#include "kernels/isa.h"
#include "kernels/scratch.h"

namespace gk::conv_internal {
namespace {

constexpr int64_t kPoints = 16;  // of a transformed tile

template <int kBytes>
struct Lanes {
  typedef float Type
      __attribute__((vector_size(kBytes), aligned(4), may_alias));
};

// Points of a transformed operand are `stride` floats apart.
struct TileIn {
  const float* pixels[kPoints];  // row-major 4x4
  float* points;
  int64_t stride, channels;
};
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

// Calls body.At<bytes of a vector>(channel) over all channels, widest vectors first.
template <int kBytes, class Body>
GK_INLINE void ForChannels(int64_t channels, int64_t& c, const Body& body) {
  constexpr int64_t kCount = kBytes / 4;
  for (; c + kCount <= channels; c += kCount) {
    body.template At<kBytes>(c);
  }
  if constexpr (kBytes > 4) ForChannels<kBytes / 2>(channels, c, body);
}

// A type loses its alignment as a template argument, hence sizes.
template <int kBytes>
GK_INLINE typename Lanes<kBytes>::Type Load(const float* p) {
  return *reinterpret_cast<const typename Lanes<kBytes>::Type*>(p);
}
template <int kBytes>
GK_INLINE void Store(float* p, typename Lanes<kBytes>::Type v) {
  *reinterpret_cast<typename Lanes<kBytes>::Type*>(p) = v;
}

struct TransformIn {
  const TileIn& t;
  template <int kBytes>
  GK_INLINE void At(int64_t c) const {
    using V = typename Lanes<kBytes>::Type;
    V d[4][4], r[4][4];
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) d[i / 4][i % 4] = Load<kBytes>(t.pixels[i] + c);
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
struct InBody {
  GK_INLINE static void Run(const TileIn& t) {
    int64_t c = 0;
    ForChannels<kBytes>(t.channels, c, TransformIn{t});
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

template <template <int> class Body, class Fn>
Fn* WidestBody() {
  const Isa isa = CurrentIsa();
  if (isa >= Isa::kV4) return Stamp<Body<64>, Fn>::For(isa);
  if (isa >= Isa::kV3) return Stamp<Body<32>, Fn>::For(isa);
  return Stamp<Body<16>, Fn>::For(isa);
}

int64_t RoundUp(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

class WinogradConv : public Conv2D {
 public:
  explicit WinogradConv(const Conv2DDesc& d)
      : Conv2D(d),
        backward_(d.pass == ConvPass::kBackwardInput),
        from_h_(backward_ ? d.out_h : d.in_h),
        from_w_(backward_ ? d.out_w : d.in_w),
        from_c_(backward_ ? d.out_c : d.in_c),
        to_h_(backward_ ? d.in_h : d.out_h),
        to_w_(backward_ ? d.in_w : d.out_w),
        to_c_(backward_ ? d.in_c : d.out_c),
        pad_top_(backward_ ? 2 - d.pad_top : d.pad_top),
        pad_left_(backward_ ? 2 - d.pad_left : d.pad_left),
        tiles_h_((to_h_ + 1) / 2),
        tiles_w_((to_w_ + 1) / 2),
        tiles_(d.batch * tiles_h_ * tiles_w_),
        // Both operands of a block stay in the second-level cache.
        block_(std::clamp<int64_t>(
            (kCacheBytes / (4 * kPoints)) / (from_c_ + to_c_) / 8 * 8, 16,
            64)),
        // An odd number of cache lines keeps the points out of each other's
        // cache sets.
        in_stride_(RoundUp(block_ * from_c_, 32) + 16),
        out_stride_(RoundUp(block_ * to_c_, 32) + 16),
        filter_stride_(RoundUp(from_c_ * to_c_, 32) + 16),
        zeros_(from_c_, 0.0f),
        in_(WidestBody<InBody, void(const TileIn&)>()),
        out_(WidestBody<OutBody, void(const TileOut&)>()),
        filter_(Stamp<FilterBody, void(const FilterRow&)>::Best()),
        gemm_(GemmBlockFor(ElementType::kFloat)),
        filters_(4 * kPoints * filter_stride_),
        blocks_(4 * (kPoints * (in_stride_ + out_stride_) +
                     RoundUp(to_c_, 16))) {}

  // Fewer products by far, and enough of each kind to fill the tiles.
  static bool Pays(const Conv2DDesc& d) {
    if (CurrentIsa() < Isa::kV3 || d.type != ElementType::kFloat ||
        d.pass == ConvPass::kBackwardFilter || d.groups != 1 ||
        d.filter_h != 3 || d.filter_w != 3 || d.stride_h != 1 ||
        d.stride_w != 1 || d.dilation_h != 1 || d.dilation_w != 1 ||
        d.pad_top > 2 || d.pad_left > 2 || d.in_c < 16 || d.out_c < 16 ||
        d.in_c * d.out_c > kMaxFilter) {
      return false;
    }
    const WinogradConv conv(d);
    const double direct =
        9.0 * static_cast<double>(d.batch) * conv.to_h_ * conv.to_w_;
    return conv.tiles_ >= 64 &&
           direct >= 1.4 * kPoints * static_cast<double>(conv.tiles_);
  }

 private:
  static constexpr int64_t kCacheBytes = 512 << 10;
  // Channel pairs; a transformed filter of these takes 32 MB.
  static constexpr int64_t kMaxFilter = 512 << 10;

  Status DoRun(const void* x, const void* y, void* result,
               Parallel parallel) override {
    ScratchPool::Lease filters = filters_.Take();
    if (filters.data() == nullptr) return NoMemory();
    float* transformed = reinterpret_cast<float*>(filters.data());
    TransformFilter(static_cast<const float*>(y), transformed, parallel);
    const int64_t blocks = (tiles_ + block_ - 1) / block_;
    std::atomic<bool> failed = false, not_finite = false;
    parallel.For(blocks, [&](int64_t i) {
      ScratchPool::Lease lease = blocks_.Take();
      if (lease.data() == nullptr) {
        failed.store(true, std::memory_order_relaxed);
      } else if (!Block(static_cast<const float*>(x), transformed,
                        i * block_, std::min(block_, tiles_ - i * block_),
                        reinterpret_cast<float*>(lease.data()),
                        static_cast<float*>(result))) {
        not_finite.store(true, std::memory_order_relaxed);
      }
    });
    if (failed) return NoMemory();
    if (!not_finite) return OkStatus();
    GK_ASSIGN_OR_RETURN(Conv2D * direct, Direct());
    return direct->Run(x, y, result, parallel);
  }

  static Status NoMemory() {
    return ResourceExhausted("out of memory in a convolution");
  }

  StatusOr<Conv2D*> Direct() {
    std::lock_guard lock(mutex_);
    if (direct_ == nullptr) {
      Created made = CreateDnnl(desc_);
      if (!made.ok()) made = CreatePatches(desc_);
      GK_ASSIGN_OR_RETURN(direct_, std::move(made));
    }
    return direct_.get();
  }

  void TransformFilter(const float* filter, float* to, Parallel parallel) {
    // Backwards, taps are walked from the last and channels change places.
    const int64_t tap = desc_.in_c * desc_.out_c;
    const int64_t step = std::max<int64_t>(1, 8192 / to_c_);
    parallel.For((from_c_ + step - 1) / step, [&](int64_t slice) {
      const int64_t end = std::min(from_c_, (slice + 1) * step);
      for (int64_t c = slice * step; c < end; ++c) {
        filter_({backward_ ? filter + 8 * tap + c : filter + c * to_c_,
                 backward_ ? -tap : tap, backward_ ? from_c_ : 1, to_c_,
                 to + c * to_c_, filter_stride_});
      }
    });
  }

  // Whether all results are finite.
  bool Block(const float* from, const float* filter, int64_t first,
             int64_t count, float* scratch, float* to) const {
    float* in = scratch;
    float* out = in + kPoints * in_stride_;
    float* nowhere = out + kPoints * out_stride_;
    for (int64_t t = 0; t < count; ++t) {
      Gather(from, first + t, in + t * from_c_);
    }
    for (int64_t p = 0; p < kPoints; ++p) {
      gemm_({in + p * in_stride_, from_c_, 1, filter + p * filter_stride_,
             to_c_, out + p * out_stride_, to_c_, count, to_c_, from_c_,
             false});
    }
    float not_finite[16] = {};
    for (int64_t t = 0; t < count; ++t) {
      Scatter(out + t * to_c_, first + t, nowhere, not_finite, to);
    }
    return std::all_of(not_finite, not_finite + 16,
                       [](float v) { return v == 0.0f; });
  }

  struct Place {
    int64_t image, y, x;  // of the tile's first result
  };
  Place At(int64_t tile) const {
    return {tile / (tiles_h_ * tiles_w_), tile / tiles_w_ % tiles_h_ * 2,
            tile % tiles_w_ * 2};
  }

  void Gather(const float* from, int64_t tile, float* points) const {
    const Place at = At(tile);
    TileIn t;
    for (int64_t i = 0; i < 4; ++i) {
      const int64_t y = at.y - pad_top_ + i;
      for (int64_t j = 0; j < 4; ++j) {
        const int64_t x = at.x - pad_left_ + j;
        const bool inside = y >= 0 && y < from_h_ && x >= 0 && x < from_w_;
        t.pixels[i * 4 + j] =
            inside ? from + ((at.image * from_h_ + y) * from_w_ + x) * from_c_
                   : zeros_.data();
      }
    }
    t.points = points;
    t.stride = in_stride_;
    t.channels = from_c_;
    in_(t);
  }

  void Scatter(const float* points, int64_t tile, float* nowhere,
               float* not_finite, float* to) const {
    const Place at = At(tile);
    TileOut t;
    t.points = points;
    t.stride = out_stride_;
    t.channels = to_c_;
    t.not_finite = not_finite;
    for (int64_t i = 0; i < 4; ++i) {
      const int64_t y = at.y + i / 2, x = at.x + i % 2;
      const bool inside = y < to_h_ && x < to_w_;
      t.pixels[i] =
          inside ? to + ((at.image * to_h_ + y) * to_w_ + x) * to_c_ : nowhere;
    }
    out_(t);
  }

  const bool backward_;
  const int64_t from_h_, from_w_, from_c_;
  const int64_t to_h_, to_w_, to_c_;
  const int64_t pad_top_, pad_left_;
  const int64_t tiles_h_, tiles_w_, tiles_;
  const int64_t block_;
  const int64_t in_stride_, out_stride_, filter_stride_;
  const std::vector<float> zeros_;
  void (*const in_)(const TileIn&);
  void (*const out_)(const TileOut&);
  void (*const filter_)(const FilterRow&);
  const GemmBlockFn gemm_;
  ScratchPool filters_, blocks_;
  std::mutex mutex_;
  std::shared_ptr<Conv2D> direct_;  // made when a result is not finite
};

}  // namespace

Created CreateWinograd(const Conv2DDesc& desc) {
  if (!WinogradConv::Pays(desc)) {
    return Unimplemented("not a convolution for minimal filtering");
  }
  return std::shared_ptr<Conv2D>(std::make_shared<WinogradConv>(desc));
}

}  // namespace gk::conv_internal
