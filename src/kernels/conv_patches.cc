// Convolutions as gathered patches times a matrix, by own tiles: every type
// the tiles know, any stride, dilation, padding and grouping. Each pass
// gathers, so no two slices ever write the same element.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "kernels/conv_impl.h"
#include "kernels/gemm_block.h"
#include "kernels/scratch.h"

namespace gk::conv_internal {
namespace {

constexpr int64_t kPixels = 64;

class PatchConv : public Conv2D {
 public:
  explicit PatchConv(const Conv2DDesc& d)
      : Conv2D(d),
        size_(ElementSize(d.type)),
        block_(GemmBlockFor(d.type)),
        taps_(d.filter_h * d.filter_w),
        depth_(taps_ *
               (d.pass == ConvPass::kForward ? d.group_in() : d.group_out())),
        filter_(d.pass == ConvPass::kBackwardInput ? size_ * d.filter_size()
                                                   : 0),
        patches_(d.pass == ConvPass::kBackwardFilter
                     ? size_ * kPixels * d.group_in()
                     : size_ * kPixels * depth_) {}

 private:
  Status DoRun(const void* x, const void* y, void* result,
               Parallel parallel) override {
    switch (desc_.pass) {
      case ConvPass::kForward:
        return OverPixels(desc_.batch * desc_.out_h * desc_.out_w, x, y,
                          result, parallel);
      case ConvPass::kBackwardInput: {
        ScratchPool::Lease turned = filter_.Take();
        if (turned.data() == nullptr) return NoMemory();
        TurnFilter(static_cast<const char*>(y), turned.data());
        return OverPixels(desc_.batch * desc_.in_h * desc_.in_w, x,
                          turned.data(), result, parallel);
      }
      case ConvPass::kBackwardFilter:
        return OverTaps(x, y, result, parallel);
    }
    return OkStatus();
  }

  static Status NoMemory() {
    return ResourceExhausted("out of memory in a convolution");
  }

  // HWIO to, for each group, (H, W, O of the group) x (I of the group).
  void TurnFilter(const char* from, std::byte* to) const {
    const Conv2DDesc& d = desc_;
    const int64_t in = d.group_in(), out = d.group_out();
    for (int64_t g = 0; g < d.groups; ++g) {
      for (int64_t tap = 0; tap < taps_; ++tap) {
        for (int64_t o = 0; o < out; ++o) {
          for (int64_t i = 0; i < in; ++i, to += size_) {
            std::memcpy(to,
                        from + size_ * ((tap * in + i) * d.out_c + g * out + o),
                        size_);
          }
        }
      }
    }
  }

  // The element offset of what tap (fy, fx) reads for pixel `pixel` of the
  // result, or -1 for padding.
  int64_t Source(int64_t pixel, int64_t fy, int64_t fx) const {
    const Conv2DDesc& d = desc_;
    if (d.pass == ConvPass::kBackwardInput) {
      const int64_t w = pixel % d.in_w, h = pixel / d.in_w % d.in_h;
      const int64_t image = pixel / d.in_w / d.in_h;
      const int64_t y = h + d.pad_top - fy * d.dilation_h;
      const int64_t x = w + d.pad_left - fx * d.dilation_w;
      if (y < 0 || x < 0 || y % d.stride_h != 0 || x % d.stride_w != 0) {
        return -1;
      }
      if (y / d.stride_h >= d.out_h || x / d.stride_w >= d.out_w) return -1;
      return ((image * d.out_h + y / d.stride_h) * d.out_w + x / d.stride_w) *
             d.out_c;
    }
    const int64_t w = pixel % d.out_w, h = pixel / d.out_w % d.out_h;
    const int64_t image = pixel / d.out_w / d.out_h;
    const int64_t y = h * d.stride_h - d.pad_top + fy * d.dilation_h;
    const int64_t x = w * d.stride_w - d.pad_left + fx * d.dilation_w;
    if (y < 0 || x < 0 || y >= d.in_h || x >= d.in_w) return -1;
    return ((image * d.in_h + y) * d.in_w + x) * d.in_c;
  }

  void Gather(const void* from, int64_t pixel, int64_t tap, int64_t channel,
              int64_t channels, std::byte* to) const {
    const int64_t at =
        Source(pixel, tap / desc_.filter_w, tap % desc_.filter_w);
    if (at < 0) {
      std::memset(to, 0, size_ * channels);
    } else {
      std::memcpy(to,
                  static_cast<const char*>(from) + size_ * (at + channel),
                  size_ * channels);
    }
  }

  Status OverPixels(int64_t pixels, const void* from, const void* filter,
                    void* result, Parallel parallel) {
    const Conv2DDesc& d = desc_;
    const bool forward = d.pass == ConvPass::kForward;
    const int64_t source = forward ? d.group_in() : d.group_out();
    const int64_t target = forward ? d.group_out() : d.group_in();
    const int64_t target_row = forward ? d.out_c : d.in_c;
    std::atomic<bool> failed = false;
    const int64_t slices = (pixels + kPixels - 1) / kPixels;
    parallel.For(slices, [&](int64_t slice) {
      ScratchPool::Lease patches = patches_.Take();
      if (patches.data() == nullptr) {
        failed.store(true, std::memory_order_relaxed);
        return;
      }
      const int64_t first = slice * kPixels;
      const int64_t count = std::min(kPixels, pixels - first);
      for (int64_t g = 0; g < d.groups; ++g) {
        for (int64_t i = 0; i < count; ++i) {
          for (int64_t tap = 0; tap < taps_; ++tap) {
            Gather(from, first + i, tap, g * source, source,
                   patches.data() + size_ * (i * depth_ + tap * source));
          }
        }
        const char* b = static_cast<const char*>(filter) +
                        size_ * g * (forward ? target : depth_ * target);
        char* c = static_cast<char*>(result) +
                  size_ * (first * target_row + g * target);
        block_({patches.data(), depth_, 1, b, forward ? d.out_c : target, c,
                target_row, count, target, depth_, false});
      }
    });
    return failed ? NoMemory() : OkStatus();
  }

  Status OverTaps(const void* input, const void* gradient, void* result,
                  Parallel parallel) {
    const Conv2DDesc& d = desc_;
    const int64_t in = d.group_in(), out = d.group_out();
    const int64_t pixels = d.batch * d.out_h * d.out_w;
    std::atomic<bool> failed = false;
    parallel.For(taps_ * d.groups, [&](int64_t slice) {
      ScratchPool::Lease patches = patches_.Take();
      if (patches.data() == nullptr) {
        failed.store(true, std::memory_order_relaxed);
        return;
      }
      const int64_t tap = slice / d.groups, g = slice % d.groups;
      char* c = static_cast<char*>(result) +
                size_ * (tap * in * d.out_c + g * out);
      for (int64_t first = 0; first < pixels; first += kPixels) {
        const int64_t count = std::min(kPixels, pixels - first);
        for (int64_t i = 0; i < count; ++i) {
          Gather(input, first + i, tap, g * in, in,
                 patches.data() + size_ * i * in);
        }
        const char* b = static_cast<const char*>(gradient) +
                        size_ * (first * d.out_c + g * out);
        block_({patches.data(), 1, in, b, d.out_c, c, d.out_c, in, out, count,
                first > 0});
      }
    });
    return failed ? NoMemory() : OkStatus();
  }

  const int64_t size_;
  const GemmBlockFn block_;
  const int64_t taps_, depth_;
  ScratchPool filter_, patches_;
};

}  // namespace

Created CreatePatches(const Conv2DDesc& desc) {
  return std::shared_ptr<Conv2D>(std::make_shared<PatchConv>(desc));
}

}  // namespace gk::conv_internal
