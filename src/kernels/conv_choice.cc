#include "kernels/conv.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "kernels/conv_impl.h"
#include "kernels/narrow.h"
#include "kernels/recent_cache.h"
#include "kernels/scratch.h"

namespace gk {
namespace {

using conv_internal::Created;

bool Fits(std::initializer_list<int64_t> factors) {
  int64_t product = 64;
  for (int64_t factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product)) return false;
  }
  return true;
}

Status Check(const Conv2DDesc& d) {
  // Window arithmetic stays far from overflow below this.
  constexpr int64_t kLimit = int64_t{1} << 31;
  for (int64_t size : {d.batch, d.in_h, d.in_w, d.in_c, d.filter_h,
                       d.filter_w, d.out_h, d.out_w, d.out_c, d.pad_top,
                       d.pad_left, d.in_d, d.filter_d, d.out_d,
                       d.pad_front}) {
    if (size < 0 || size >= kLimit) {
      return InvalidArgument("convolution size {} is out of range", size);
    }
  }
  for (int64_t step :
       {d.stride_h, d.stride_w, d.stride_d, d.dilation_h, d.dilation_w,
        d.dilation_d, d.groups}) {
    if (step < 1 || step >= kLimit) {
      return InvalidArgument(
          "convolution stride, dilation or group count {} is out of range",
          step);
    }
  }
  if (d.in_c % d.groups != 0 || d.out_c % d.groups != 0) {
    return InvalidArgument(
        "channels {} and {} are not divisible into {} groups", d.in_c,
        d.out_c, d.groups);
  }
  if (!Fits({d.batch, d.in_d, d.in_h, d.in_w, d.in_c}) ||
      !Fits({d.filter_d, d.filter_h, d.filter_w, d.in_c, d.out_c}) ||
      !Fits({d.batch, d.out_d, d.out_h, d.out_w, d.out_c})) {
    return InvalidArgument("convolution size overflows");
  }
  // Generated code holds distances between elements in 32 bits.
  constexpr int64_t kReach = int64_t{1} << 28;  // elements
  for (const auto& [step, size] :
       {std::pair{d.stride_d, d.in_h * d.in_w},
        std::pair{d.dilation_d, d.in_h * d.in_w},
        std::pair{d.stride_h, d.in_w}, std::pair{d.dilation_h, d.in_w},
        std::pair{d.stride_w, int64_t{1}},
        std::pair{d.dilation_w, int64_t{1}}}) {
    if (!Fits({step, size, d.in_c}) || step * size * d.in_c > kReach) {
      return InvalidArgument(
          "convolution stride or dilation {} is out of range for an input of "
          "width {} and depth {}",
          step, d.in_w, d.in_c);
    }
  }
  for (int64_t pad : {d.pad_front, d.pad_top, d.pad_left}) {
    if (pad > kReach) {
      return InvalidArgument("convolution padding {} is out of range", pad);
    }
  }
  if (d.type >= ElementType::kComplex64) {
    return InvalidArgument("convolution of complex numbers");
  }
  return OkStatus();
}

int64_t ResultSize(const Conv2DDesc& d) {
  switch (d.pass) {
    case ConvPass::kForward:
      return d.output_size();
    case ConvPass::kBackwardInput:
      return d.input_size();
    case ConvPass::kBackwardFilter:
      return d.filter_size();
  }
  return 0;
}

// A sum over nothing, or no result at all.
bool IsEmpty(const Conv2DDesc& d) {
  return d.input_size() == 0 || d.filter_size() == 0 || d.output_size() == 0;
}

class EmptyConv : public Conv2D {
 public:
  explicit EmptyConv(const Conv2DDesc& d) : Conv2D(d) {}

 private:
  Status DoRun(const void*, const void*, void* result, Parallel) override {
    const int64_t bytes = ResultSize(desc_) * ElementSize(desc_.type);
    if (bytes > 0) std::memset(result, 0, bytes);
    return OkStatus();
  }
};

// Half and bfloat16 by way of float.
class NarrowConv : public Conv2D {
 public:
  NarrowConv(const Conv2DDesc& d, std::shared_ptr<Conv2D> inner)
      : Conv2D(d),
        inner_(std::move(inner)),
        count_x_(d.pass == ConvPass::kBackwardInput ? d.output_size()
                                                    : d.input_size()),
        count_y_(d.pass == ConvPass::kBackwardFilter ? d.output_size()
                                                     : d.filter_size()),
        count_result_(ResultSize(d)),
        scratch_(4 * (Aligned(count_x_) + Aligned(count_y_) +
                      count_result_)) {}

 private:
  static int64_t Aligned(int64_t count) { return (count + 15) / 16 * 16; }
  template <class F>
  static void ForChunks(int64_t total, Parallel parallel, F body) {
    constexpr int64_t kChunk = 1 << 16;
    parallel.For((total + kChunk - 1) / kChunk, [&](int64_t i) {
      body(i * kChunk, std::min(kChunk, total - i * kChunk));
    });
  }
  void Widen(const void* from, int64_t count, float* to, Parallel parallel) {
    ForChunks(count, parallel, [&](int64_t first, int64_t part) {
      WidenToFloat(desc_.type, static_cast<const uint16_t*>(from) + first,
                   part, to + first);
    });
  }
  Status DoRun(const void* x, const void* y, void* result,
               Parallel parallel) override {
    ScratchPool::Lease lease = scratch_.Take();
    if (lease.data() == nullptr) {
      return ResourceExhausted("out of memory in a convolution");
    }
    float* wide_x = reinterpret_cast<float*>(lease.data());
    float* wide_y = wide_x + Aligned(count_x_);
    float* wide_result = wide_y + Aligned(count_y_);
    Widen(x, count_x_, wide_x, parallel);
    Widen(y, count_y_, wide_y, parallel);
    GK_RETURN_IF_ERROR(inner_->Run(wide_x, wide_y, wide_result, parallel));
    ForChunks(count_result_, parallel, [&](int64_t first, int64_t part) {
      NarrowFromFloat(desc_.type, wide_result + first, part,
                      static_cast<uint16_t*>(result) + first);
    });
    return OkStatus();
  }

  const std::shared_ptr<Conv2D> inner_;
  const int64_t count_x_, count_y_, count_result_;
  ScratchPool scratch_;
};

// So small that preparing the filter for the fast loops takes longer than the
// plain ones take for everything.
bool IsTiny(const Conv2DDesc& d) {
  constexpr int64_t kProducts = 4096;
  return d.input_size() <= kProducts && d.output_size() <= kProducts &&
         d.output_size() * d.filter_d * d.filter_h * d.filter_w *
                 d.group_in() <=
             kProducts;
}

Created Make(const Conv2DDesc& desc, bool direct) {
  GK_RETURN_IF_ERROR(Check(desc));
  if (IsEmpty(desc)) {
    return std::shared_ptr<Conv2D>(std::make_shared<EmptyConv>(desc));
  }
  if (desc.type == ElementType::kHalf ||
      desc.type == ElementType::kBFloat16) {
    Conv2DDesc wide = desc;
    wide.type = ElementType::kFloat;
    GK_ASSIGN_OR_RETURN(std::shared_ptr<Conv2D> inner, Make(wide, direct));
    return std::shared_ptr<Conv2D>(
        std::make_shared<NarrowConv>(desc, std::move(inner)));
  }
  if (desc.is_volume()) {
    if (direct || desc.type != ElementType::kFloat || IsTiny(desc)) {
      return Unimplemented("convolution of volumes");
    }
    return conv_internal::CreateDnnl(desc);
  }
  const bool floating =
      desc.type == ElementType::kFloat || desc.type == ElementType::kDouble;
  if (!direct && floating && desc.groups > 1 && desc.group_in() == 1) {
    return conv_internal::CreateDepthwise(desc);
  }
  if (!direct && desc.type == ElementType::kFloat && !IsTiny(desc)) {
    Created made = conv_internal::CreateWinograd(desc);
    if (made.ok() || made.status().code() != Code::kUnimplemented) return made;
    made = conv_internal::CreateDnnl(desc);
    if (made.ok() || made.status().code() != Code::kUnimplemented) return made;
  }
  return conv_internal::CreatePatches(desc);
}

struct DescHash {
  size_t operator()(const Conv2DDesc& d) const {
    uint64_t h = static_cast<uint64_t>(d.type) * 4 +
                 static_cast<uint64_t>(d.pass);
    for (int64_t v : {d.batch, d.in_h, d.in_w, d.in_c, d.filter_h, d.filter_w,
                      d.out_h, d.out_w, d.out_c, d.stride_h, d.stride_w,
                      d.dilation_h, d.dilation_w, d.pad_top, d.pad_left,
                      d.groups, d.in_d, d.filter_d, d.out_d, d.stride_d,
                      d.dilation_d, d.pad_front}) {
      h = (h ^ static_cast<uint64_t>(v)) * 0x9e3779b97f4a7c15u;
      h ^= h >> 29;
    }
    return h;
  }
};

}  // namespace

StatusOr<std::shared_ptr<Conv2D>> Conv2D::Create(const Conv2DDesc& desc) {
  return Make(desc, false);
}

StatusOr<std::shared_ptr<Conv2D>> Conv2D::CreateDirect(
    const Conv2DDesc& desc) {
  return Make(desc, true);
}

StatusOr<std::shared_ptr<Conv2D>> GetConv2D(const Conv2DDesc& desc) {
  static auto* cache = new RecentCache<Conv2D, Conv2DDesc, DescHash>;
  return cache->Get(desc, Conv2D::Create);
}

}  // namespace gk
