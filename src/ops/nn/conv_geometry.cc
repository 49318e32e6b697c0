#include "ops/nn/conv_geometry.h"

#include <algorithm>
#include <cstring>

#include "base/thread_pool.h"
#include "framework/part_listener.h"
#include "ops/element_type_of.h"
#include "ops/int32_attrs.h"
#include "ops/nn/window.h"

namespace gk {
namespace {

struct ConvState final : KernelState {
  std::shared_ptr<Conv2D> conv;
};

}  // namespace

StatusOr<ConvAttrs> ParseConvAttrs(const AttrMap& attrs, bool depthwise) {
  ConvAttrs a;
  a.channels_first = IsChannelsFirst(attrs);
  const int h = a.channels_first ? 2 : 1, w = h + 1;
  const int channel = a.channels_first ? 1 : 3;
  const auto* strides = attrs.Get<std::vector<int64_t>>("strides");
  if (!strides || strides->size() != 4) {
    return InvalidArgument(
        "Sliding window strides field must specify 4 "
        "dimensions");
  }
  GK_RETURN_IF_ERROR(CheckInt32Attrs(attrs, {"strides"}));
  if ((*strides)[0] != 1 || (*strides)[channel] != 1) {
    return Unimplemented(
        "Current implementation does not yet support strides in the batch and "
        "depth dimensions.");
  }
  a.stride_h = (*strides)[h];
  a.stride_w = (*strides)[w];
  if (a.stride_h <= 0 || a.stride_w <= 0) {
    return InvalidArgument("Stride must be > 0, but got {}",
                           std::min(a.stride_h, a.stride_w));
  }
  if (depthwise && a.stride_h != a.stride_w) {
    return InvalidArgument(
        "Current implementation only supports equal length strides in the row "
        "and column dimensions.");
  }
  if (const auto* d = attrs.Get<std::vector<int64_t>>("dilations")) {
    if (d->size() != 4) {
      return InvalidArgument(
          "Sliding window dilations field must specify 4 "
          "dimensions");
    }
    if ((*d)[0] != 1 || (*d)[channel] != 1) {
      return InvalidArgument(
          "Current implementation does not yet support dilations in the batch "
          "and depth dimensions.");
    }
    a.dilation_h = (*d)[h];
    a.dilation_w = (*d)[w];
    if (a.dilation_h <= 0 || a.dilation_w <= 0) {
      return InvalidArgument("Dilated rates should be larger than 0.");
    }
  }
  const auto* padding = attrs.Get<std::string>("padding");
  a.padding = padding ? *padding : "VALID";
  const auto* pads = attrs.Get<std::vector<int64_t>>("explicit_paddings");
  if (a.padding == "EXPLICIT") {
    if (!pads || pads->size() != 8) {
      return InvalidArgument(
          "explicit_paddings attribute must contain 8 "
          "values, but got: {}",
          pads ? pads->size() : 0);
    }
    for (const int64_t p : *pads) {
      if (p < 0) {
        return InvalidArgument(
            "All elements of explicit_paddings must be "
            "nonnegative");
      }
    }
    if ((*pads)[0] || (*pads)[1] || (*pads)[2 * channel] ||
        (*pads)[2 * channel + 1]) {
      return InvalidArgument(
          "Explicit padding in the batch or depth "
          "dimension is not supported");
    }
    for (int i = 0; i < 4; ++i) a.pads[i] = (*pads)[2 * h + i];
  } else if (pads && !pads->empty()) {
    return InvalidArgument(
        "explicit_paddings attribute must be empty if the "
        "padding attribute is not EXPLICIT");
  }
  return a;
}

StatusOr<Conv2DDesc> DescribeConv(DataType type, ConvPass pass,
                                  const TensorShape& input,
                                  const TensorShape& filter,
                                  const ConvAttrs& attrs, bool depthwise) {
  if (input.rank() != 4) {
    return InvalidArgument("input must be 4-dimensional: {}",
                           input.DebugString());
  }
  if (filter.rank() != 4) {
    return InvalidArgument("filter must be 4-dimensional: {}",
                           filter.DebugString());
  }
  if (pass == ConvPass::kForward && filter.num_elements() == 0) {
    return InvalidArgument(
        "filter must not have zero elements (i.e. all dimensions must be "
        "non-zero), but its shape is {}",
        filter.DebugString());
  }
  const auto element = ElementTypeFor(type);
  if (!element) return Unimplemented("Convolution of {}", DataTypeString(type));
  Conv2DDesc d{.type = *element, .pass = pass};
  d.batch = input.dim(0);
  d.in_h = input.dim(1);
  d.in_w = input.dim(2);
  d.in_c = input.dim(3);
  d.filter_h = filter.dim(0);
  d.filter_w = filter.dim(1);
  if (depthwise) {
    if (filter.dim(2) != d.in_c) {
      return InvalidArgument(
          "input and filter must have the same depth: {} vs "
          "{}",
          d.in_c, filter.dim(2));
    }
    d.groups = d.in_c;
    d.out_c = MultiplyWithoutOverflow(d.in_c, filter.dim(3));
    if (d.out_c < 0) return InvalidArgument("Too many output channels");
  } else {
    d.out_c = filter.dim(3);
    if (filter.dim(2) == 0 || d.in_c % filter.dim(2) != 0) {
      if (filter.dim(2) != d.in_c) {
        return InvalidArgument(
            "input depth must be evenly divisible by filter depth: {} vs {}",
            d.in_c, filter.dim(2));
      }
      d.groups = 1;
    } else {
      d.groups = d.in_c / filter.dim(2);
      if (d.groups == 0) d.groups = 1;
      if (d.out_c % d.groups != 0) {
        return InvalidArgument(
            "output depth must be evenly divisible by "
            "number of groups: {} vs {}",
            d.out_c, d.groups);
      }
    }
  }
  d.stride_h = attrs.stride_h;
  d.stride_w = attrs.stride_w;
  d.dilation_h = attrs.dilation_h;
  d.dilation_w = attrs.dilation_w;
  GK_ASSIGN_OR_RETURN(WindowDim rows,
                      SlideWindow(d.in_h, d.filter_h, d.stride_h, d.dilation_h,
                                  attrs.padding, attrs.pads[0], attrs.pads[1]));
  GK_ASSIGN_OR_RETURN(WindowDim cols,
                      SlideWindow(d.in_w, d.filter_w, d.stride_w, d.dilation_w,
                                  attrs.padding, attrs.pads[2], attrs.pads[3]));
  d.out_h = rows.out;
  d.out_w = cols.out;
  d.pad_top = rows.pad;
  d.pad_left = cols.pad;
  // Distances that nobody goes, as small as gives the same places.
  if (d.filter_h <= 1) d.dilation_h = 1;
  if (d.filter_w <= 1) d.dilation_w = 1;
  const auto shorten = [](int64_t out, int64_t all, int64_t* stride) {
    if (out <= 1 && all >= 0) *stride = std::min(*stride, all + 1);
  };
  shorten(d.out_h, d.in_h + 2 * d.pad_top + d.filter_h * d.dilation_h,
          &d.stride_h);
  shorten(d.out_w, d.in_w + 2 * d.pad_left + d.filter_w * d.dilation_w,
          &d.stride_w);
  return d;
}

Status RunConv(KernelContext& c, const Conv2DDesc& desc, const Tensor& x,
               const Tensor& y, Tensor* result) {
  if (result->num_elements() == 0) return OkStatus();
  if (x.num_elements() == 0 || y.num_elements() == 0) {
    std::memset(result->raw_data(), 0, result->byte_size());
    return OkStatus();
  }
  auto& state =
      c.state<ConvState>([] { return std::make_unique<ConvState>(); });
  if (!state.conv || !(state.conv->desc() == desc)) {
    GK_ASSIGN_OR_RETURN(state.conv, GetConv2D(desc));
  }
  return state.conv->Run(
      x.raw_data(), y.raw_data(), result->raw_data(),
      Parallel(&ThreadPool::Global()),
      PartListener::Of(result->raw_data(), result->byte_size()));
}

Status CheckConvGroups(int64_t in, int64_t filter_in, int64_t out) {
  if (in <= 0 || filter_in <= 0 || out < 0) return OkStatus();
  const int64_t groups = in / filter_in;
  if (groups == 0 || out % groups == 0) return OkStatus();
  return InvalidArgument(
      "Depth of output ({}) is not a multiple of the number of groups ({})",
      out, groups);
}

StatusOr<PartialTensorShape> ConvOutputShape(const PartialTensorShape& input,
                                             const PartialTensorShape& filter,
                                             const ConvAttrs& attrs,
                                             bool depthwise) {
  const int h = attrs.channels_first ? 2 : 1;
  const int channel = attrs.channels_first ? 1 : 3;
  const int64_t in_c = input.dim(channel), filter_in = filter.dim(2);
  PartialTensorShape out = input;
  if (depthwise) {
    int64_t depth;
    GK_RETURN_IF_ERROR(InferenceContext::MergeDims(in_c, filter_in, &depth));
    out.SetDim(channel, depth < 0 || filter.dim(3) < 0
                            ? kUnknownDim
                            : MultiplyWithoutOverflow(depth, filter.dim(3)));
  } else {
    if (in_c >= 0 && filter_in >= 0 &&
        (filter_in == 0 ? in_c != 0 : in_c % filter_in != 0)) {
      return InvalidArgument(
          "Depth of input ({}) is not a multiple of input "
          "depth of filter ({})",
          in_c, filter_in);
    }
    GK_RETURN_IF_ERROR(CheckConvGroups(in_c, filter_in, filter.dim(3)));
    out.SetDim(channel, filter.dim(3));
  }
  const int64_t strides[] = {attrs.stride_h, attrs.stride_w};
  const int64_t dilations[] = {attrs.dilation_h, attrs.dilation_w};
  for (int i = 0; i < 2; ++i) {
    const int64_t size = input.dim(h + i), window = filter.dim(i);
    if (size < 0 || (window < 0 && attrs.padding != "SAME")) {
      out.SetDim(h + i, kUnknownDim);
      continue;
    }
    const int64_t reach = window < 1 ? 0 : (window - 1) * dilations[i] + 1;
    if (attrs.padding == "VALID" && reach > size && size > 0) {
      return InvalidArgument(
          "Negative dimension size caused by subtracting {} from {}", reach,
          size);
    }
    GK_ASSIGN_OR_RETURN(
        WindowDim dim,
        SlideWindow(size, window < 0 ? 1 : window, strides[i], dilations[i],
                    attrs.padding, attrs.pads[2 * i], attrs.pads[2 * i + 1]));
    if (dim.out == 0 && size > 0) {
      return InvalidArgument(
          "Negative dimension size caused by subtracting {} "
          "from {}",
          (window - 1) * dilations[i] + 1, size);
    }
    out.SetDim(h + i, dim.out);
  }
  return out;
}

}  // namespace gk
