#include "ops/nn/pool_shape.h"

#include <algorithm>
#include <utility>

#include "ops/int32_attrs.h"
#include "ops/nn/window.h"

namespace gk {

StatusOr<PoolAttrs> ReadPoolAttrs(const AttrMap& attrs, int spatial) {
  PoolAttrs a;
  const int rank = spatial + 2;
  a.channels_first = IsChannelsFirst(attrs);
  const auto* format = attrs.Get<std::string>("data_format");
  if (format != nullptr && *format == "NCHW_VECT_C") {
    return InvalidArgument(
        "Default MaxPoolingOp only supports NHWC on device type CPU");
  }
  const auto* ksize = attrs.Get<std::vector<int64_t>>("ksize");
  const auto* strides = attrs.Get<std::vector<int64_t>>("strides");
  if (!ksize || static_cast<int>(ksize->size()) != rank) {
    return InvalidArgument(
        "Sliding window ksize field must specify {} "
        "dimensions",
        rank);
  }
  if (!strides || static_cast<int>(strides->size()) != rank) {
    return InvalidArgument(
        "Sliding window stride field must specify {} "
        "dimensions",
        rank);
  }
  GK_RETURN_IF_ERROR(CheckInt32Attrs(attrs, {"ksize", "strides"}));
  a.window = *ksize;
  a.stride = *strides;
  const auto* padding = attrs.Get<std::string>("padding");
  a.padding = padding ? *padding : "VALID";
  a.pads.assign(2 * rank, 0);
  if (const auto* pads = attrs.Get<std::vector<int64_t>>("explicit_paddings");
      pads && a.padding == "EXPLICIT") {
    if (static_cast<int>(pads->size()) != 2 * rank) {
      return InvalidArgument(
          "explicit_paddings attribute must contain {} "
          "values, but got: {}",
          2 * rank, pads->size());
    }
    a.pads = *pads;
  }
  return a;
}

Status CheckPoolStrides(const PoolAttrs& a) {
  for (const int64_t stride : a.stride) {
    if (stride <= 0) {
      return InvalidArgument("Stride must be > 0, but got {}", stride);
    }
  }
  return OkStatus();
}

bool IsPositiveWindow(const std::vector<int64_t>& window) {
  return std::all_of(window.begin(), window.end(),
                     [](int64_t size) { return size > 0; });
}

Status PoolOutputShape(InferenceContext& c, int spatial, bool over_depth) {
  PartialTensorShape x;
  const int rank = spatial + 2;
  GK_RETURN_IF_ERROR(c.WithRank(0, rank, &x));
  GK_ASSIGN_OR_RETURN(PoolAttrs a, ReadPoolAttrs(c.attrs(), spatial));
  GK_RETURN_IF_ERROR(CheckPoolStrides(a));
  for (const int64_t size : a.window) {
    if (size > 0 || c.num_outputs() == 1) continue;
    return InvalidArgument("ksize must be a positive int32 value, got:{}",
                           size);
  }
  if (!IsPositiveWindow(a.window)) {  // refused by the kernel
    c.set_output(0, PartialTensorShape::UnknownOfRank(rank));
    return OkStatus();
  }
  const int channel = a.channels_first ? 1 : rank - 1;
  for (int d = 1; d < rank; ++d) {
    if (x.dim(d) < 0 || (d == channel && !over_depth)) continue;
    if (a.padding == "VALID" && a.window[d] > x.dim(d) && x.dim(d) > 0) {
      return InvalidArgument(
          "Negative dimension size caused by subtracting {} "
          "from {}",
          a.window[d], x.dim(d));
    }
    GK_ASSIGN_OR_RETURN(
        WindowDim dim,
        SlideWindow(x.dim(d), a.window[d], a.stride[d], 1, a.padding,
                    a.pads[2 * d], a.pads[2 * d + 1]));
    if (dim.out == 0 && x.dim(d) > 0) {
      return InvalidArgument(
          "Negative dimension size caused by subtracting {} "
          "from {}",
          a.window[d], x.dim(d));
    }
    x.SetDim(d, dim.out);
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, x);
  return OkStatus();
}

Status CheckGradGradShapes(InferenceContext& c, int like_input,
                           int like_output) {
  GK_RETURN_IF_ERROR(c.input(0).MergeWith(c.input(like_input)).status());
  GK_ASSIGN_OR_RETURN(PartialTensorShape out,
                      c.input(like_output).MergeWith(c.output(0)));
  c.set_output(0, std::move(out));
  return OkStatus();
}

}  // namespace gk
