#include "ops/nn/window.h"

#include <algorithm>

namespace gk {

StatusOr<WindowDim> SlideWindow(int64_t input, int64_t window, int64_t stride,
                                int64_t dilation, const std::string& padding,
                                int64_t explicit_before,
                                int64_t explicit_after) {
  if (stride <= 0) {
    return InvalidArgument("Stride must be > 0, but got {}", stride);
  }
  if (dilation <= 0) {
    return InvalidArgument("Dilation rate must be >= 1, but got {}", dilation);
  }
  if (window < 0 || input < 0) {
    return InvalidArgument("Window of {} over an input of {}", window, input);
  }
  int64_t reach = 0;  // of the dilated window
  if (window > 0) {
    if (__builtin_mul_overflow(window - 1, dilation, &reach) ||
        __builtin_add_overflow(reach, 1, &reach)) {
      return InvalidArgument("A window of {} with dilation {} is too large",
                             window, dilation);
    }
  }
  WindowDim dim;
  if (padding == "SAME") {
    dim.out = input / stride + (input % stride != 0);
    // The last window begins before the input ends, so this cannot overflow
    // unless reach is near the limit.
    int64_t needed;
    if (__builtin_add_overflow(std::max<int64_t>(dim.out - 1, 0) * stride,
                               reach, &needed)) {
      return InvalidArgument("A window of {} with dilation {} is too large",
                             window, dilation);
    }
    dim.pad = std::max<int64_t>(needed - input, 0) / 2;
    return dim;
  }
  int64_t padded = input;
  if (padding == "EXPLICIT") {
    if (explicit_before < 0 || explicit_after < 0) {
      return InvalidArgument("All elements of explicit_paddings must be "
                             "nonnegative");
    }
    if (__builtin_add_overflow(padded, explicit_before, &padded) ||
        __builtin_add_overflow(padded, explicit_after, &padded)) {
      return InvalidArgument("explicit_paddings are too large");
    }
    dim.pad = explicit_before;
  }
  // As integers divide: a window a little too large has no place, one too
  // large by a stride or more is an error.
  int64_t steps;
  if (__builtin_sub_overflow(padded, reach, &steps) ||
      __builtin_add_overflow(steps, stride, &steps)) {
    return InvalidArgument("A window of {} with stride {} is too large", window,
                           stride);
  }
  dim.out = steps / stride;
  if (dim.out < 0) {
    return InvalidArgument(
        "Computed output size would be negative: {} [input_size: {}, "
        "effective_filter_size: {}, stride: {}]",
        dim.out, input, reach, stride);
  }
  return dim;
}

AttrMap SharedAttrs(const AttrMap& attrs,
                    std::initializer_list<std::string_view> names) {
  AttrMap shared;
  for (const std::string_view name : names) {
    if (const AttrValue* v = attrs.Find(name)) shared.Set(name, *v);
  }
  return shared;
}

bool IsChannelsFirst(const AttrMap& attrs) {
  const auto* format = attrs.Get<std::string>("data_format");
  return format && (*format == "NCHW" || *format == "NCDHW");
}

}  // namespace gk
