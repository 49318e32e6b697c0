// Depthwise convolutions: one input channel a group, vectorised over channels.
#include <algorithm>
#include <vector>

#include "kernels/conv_impl.h"
#include "kernels/isa.h"

namespace gk::conv_internal {
namespace {

// result[0, out_c) += x * y, channel c of x or result with the `many`
// consecutive channels of the other.
template <class T>
GK_INLINE void AddForward(const T* in, const T* filter, int64_t channels,
                          int64_t many, T* out) {
  if (many == 1) {
    for (int64_t c = 0; c < channels; ++c) out[c] += in[c] * filter[c];
    return;
  }
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t m = 0; m < many; ++m) {
      out[c * many + m] += in[c] * filter[c * many + m];
    }
  }
}
template <class T>
GK_INLINE void AddBackward(const T* gradient, const T* filter,
                           int64_t channels, int64_t many, T* in) {
  if (many == 1) {
    for (int64_t c = 0; c < channels; ++c) in[c] += gradient[c] * filter[c];
    return;
  }
  for (int64_t c = 0; c < channels; ++c) {
    T sum = in[c];
    for (int64_t m = 0; m < many; ++m) {
      sum += gradient[c * many + m] * filter[c * many + m];
    }
    in[c] = sum;
  }
}

// Where both rows are walked alike and channels belong to one another, a row
// of pixels is a row of numbers. The filter's channels are repeated for it, so
// that loops are long however few they are.
bool Repeats(const Conv2DDesc& d) {
  return d.pass != ConvPass::kBackwardFilter && d.group_out() == 1 &&
         d.stride_w == 1;
}
// Numbers of each tap.
GK_INLINE int64_t RepeatedWidth(const Conv2DDesc& d) {
  const int64_t pixels = std::min(128 / std::max<int64_t>(1, d.in_c), d.in_w);
  return d.in_c * std::max<int64_t>(1, pixels);
}
template <class T>
std::vector<T> Repeat(const Conv2DDesc& d, const T* filter) {
  std::vector<T> all;
  const int64_t wide = RepeatedWidth(d);
  all.reserve(d.filter_h * d.filter_w * wide);
  for (int64_t t = 0; t < d.filter_h * d.filter_w; ++t, filter += d.in_c) {
    for (int64_t i = 0; i < wide; i += d.in_c) {
      all.insert(all.end(), filter, filter + d.in_c);
    }
  }
  return all;
}
// out[i] += in[i] * filter[i % wide] for n numbers, which are whole pixels.
template <class T>
GK_INLINE void AddRow(const T* __restrict in, const T* __restrict filter,
                      int64_t wide, int64_t n, T* __restrict out) {
  int64_t i = 0;
  for (; i + wide <= n; i += wide) {
    for (int64_t k = 0; k < wide; ++k) out[i + k] += in[i + k] * filter[k];
  }
  for (int64_t k = 0; i + k < n; ++k) out[i + k] += in[i + k] * filter[k];
}
// Adds what tap fx makes of a row of `from` pixels to one of `to` pixels that
// lies `shift` behind it.
template <class T>
GK_INLINE void AddTap(const Conv2DDesc& d, const T* in, int64_t from,
                      const T* filter, int64_t shift, int64_t to, T* out) {
  const int64_t first = std::max<int64_t>(0, -shift);
  const int64_t last = std::min(to, from - shift);
  if (first >= last) return;
  AddRow(in + (first + shift) * d.in_c, filter, RepeatedWidth(d),
         (last - first) * d.in_c, out + first * d.in_c);
}

// One slice: a row of the output, a row of the input, or one filter tap.
template <class T>
struct Slice {
  GK_INLINE static void Run(const Conv2DDesc& d, const void* x, const void* y,
                            void* result, int64_t slice) {
    const T* a = static_cast<const T*>(x);
    const T* b = static_cast<const T*>(y);
    T* out = static_cast<T*>(result);
    if (d.pass == ConvPass::kForward) return Forward(d, a, b, out, slice);
    if (d.pass == ConvPass::kBackwardInput) return Input(d, a, b, out, slice);
    Filter(d, a, b, out, slice);
  }

  GK_INLINE static void Forward(const Conv2DDesc& d, const T* input,
                                const T* filter, T* output, int64_t row) {
    const int64_t many = d.group_out();
    const int64_t image = row / d.out_h, oy = row % d.out_h;
    T* out = output + row * d.out_w * d.out_c;
    std::fill(out, out + d.out_w * d.out_c, T(0));
    if (Repeats(d)) {
      for (int64_t fy = 0; fy < d.filter_h; ++fy) {
        const int64_t iy = oy * d.stride_h - d.pad_top + fy * d.dilation_h;
        if (iy < 0 || iy >= d.in_h) continue;
        const T* in = input + (image * d.in_h + iy) * d.in_w * d.in_c;
        for (int64_t fx = 0; fx < d.filter_w; ++fx) {
          AddTap(d, in, d.in_w,
                 filter + (fy * d.filter_w + fx) * RepeatedWidth(d),
                 fx * d.dilation_w - d.pad_left, d.out_w, out);
        }
      }
      return;
    }
    for (int64_t ox = 0; ox < d.out_w; ++ox, out += d.out_c) {
      for (int64_t fy = 0; fy < d.filter_h; ++fy) {
        const int64_t iy = oy * d.stride_h - d.pad_top + fy * d.dilation_h;
        if (iy < 0 || iy >= d.in_h) continue;
        for (int64_t fx = 0; fx < d.filter_w; ++fx) {
          const int64_t ix = ox * d.stride_w - d.pad_left + fx * d.dilation_w;
          if (ix < 0 || ix >= d.in_w) continue;
          AddForward(
              input + ((image * d.in_h + iy) * d.in_w + ix) * d.in_c,
              filter + (fy * d.filter_w + fx) * d.out_c, d.in_c, many, out);
        }
      }
    }
  }

  GK_INLINE static void Input(const Conv2DDesc& d, const T* gradient,
                              const T* filter, T* input, int64_t row) {
    const int64_t many = d.group_out();
    const int64_t image = row / d.in_h, iy = row % d.in_h;
    T* in = input + row * d.in_w * d.in_c;
    std::fill(in, in + d.in_w * d.in_c, T(0));
    if (Repeats(d)) {
      for (int64_t fy = 0; fy < d.filter_h; ++fy) {
        const int64_t y = iy + d.pad_top - fy * d.dilation_h;
        if (y < 0 || y % d.stride_h != 0 || y / d.stride_h >= d.out_h) {
          continue;
        }
        const T* from = gradient + (image * d.out_h + y / d.stride_h) *
                                       d.out_w * d.in_c;
        for (int64_t fx = 0; fx < d.filter_w; ++fx) {
          AddTap(d, from, d.out_w,
                 filter + (fy * d.filter_w + fx) * RepeatedWidth(d),
                 d.pad_left - fx * d.dilation_w, d.in_w, in);
        }
      }
      return;
    }
    for (int64_t ix = 0; ix < d.in_w; ++ix, in += d.in_c) {
      for (int64_t fy = 0; fy < d.filter_h; ++fy) {
        const int64_t y = iy + d.pad_top - fy * d.dilation_h;
        if (y < 0 || y % d.stride_h != 0 || y / d.stride_h >= d.out_h) {
          continue;
        }
        for (int64_t fx = 0; fx < d.filter_w; ++fx) {
          const int64_t x = ix + d.pad_left - fx * d.dilation_w;
          if (x < 0 || x % d.stride_w != 0 || x / d.stride_w >= d.out_w) {
            continue;
          }
          AddBackward(gradient + ((image * d.out_h + y / d.stride_h) *
                                      d.out_w + x / d.stride_w) * d.out_c,
                      filter + (fy * d.filter_w + fx) * d.out_c, d.in_c, many,
                      in);
        }
      }
    }
  }

  GK_INLINE static void Filter(const Conv2DDesc& d, const T* input,
                               const T* gradient, T* filter, int64_t tap) {
    const int64_t many = d.group_out();
    const int64_t fy = tap / d.filter_w, fx = tap % d.filter_w;
    T* out = filter + tap * d.out_c;
    std::fill(out, out + d.out_c, T(0));
    for (int64_t row = 0; row < d.batch * d.out_h; ++row) {
      const int64_t image = row / d.out_h, oy = row % d.out_h;
      const int64_t iy = oy * d.stride_h - d.pad_top + fy * d.dilation_h;
      if (iy < 0 || iy >= d.in_h) continue;
      for (int64_t ox = 0; ox < d.out_w; ++ox) {
        const int64_t ix = ox * d.stride_w - d.pad_left + fx * d.dilation_w;
        if (ix < 0 || ix >= d.in_w) continue;
        AddForward(input + ((image * d.in_h + iy) * d.in_w + ix) * d.in_c,
                   gradient + (row * d.out_w + ox) * d.out_c, d.in_c, many,
                   out);
      }
    }
  }
};

using SliceFn = void(const Conv2DDesc&, const void*, const void*, void*,
                     int64_t);

class DepthwiseConv : public Conv2D {
 public:
  explicit DepthwiseConv(const Conv2DDesc& d)
      : Conv2D(d),
        slice_(d.type == ElementType::kFloat
                   ? Stamp<Slice<float>, SliceFn>::Best()
                   : Stamp<Slice<double>, SliceFn>::Best()),
        slices_(d.pass == ConvPass::kForward       ? d.batch * d.out_h
                : d.pass == ConvPass::kBackwardInput ? d.batch * d.in_h
                                                     : d.filter_h *
                                                           d.filter_w) {}

 private:
  Status DoRun(const void* x, const void* y, void* result,
               Parallel parallel) override {
    std::vector<float> floats;
    std::vector<double> doubles;
    if (Repeats(desc_) && desc_.type == ElementType::kFloat) {
      floats = Repeat(desc_, static_cast<const float*>(y));
      y = floats.data();
    } else if (Repeats(desc_)) {
      doubles = Repeat(desc_, static_cast<const double*>(y));
      y = doubles.data();
    }
    parallel.For(slices_,
                 [&](int64_t i) { slice_(desc_, x, y, result, i); });
    return OkStatus();
  }

  SliceFn* const slice_;
  const int64_t slices_;
};

}  // namespace

Created CreateDepthwise(const Conv2DDesc& desc) {
  return std::shared_ptr<Conv2D>(std::make_shared<DepthwiseConv>(desc));
}

}  // namespace gk::conv_internal
