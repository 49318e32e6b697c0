// Convolutions of as many dimensions as their arguments have, transposed ones
// and those with holes.
#include <algorithm>

#include "ops/composition.h"
#include "ops/composition/window_arguments.h"
#include "ops/element_moves.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/Squeeze.h"
#include "ops/subscript.h"
#include "ops/with_attrs/Conv2D.h"
#include "ops/with_attrs/Conv2DBackpropInput.h"
#include "ops/with_attrs/Conv3D.h"
#include "ops/with_attrs/Conv3DBackpropInputV2.h"
#include "ops/with_attrs/DepthwiseConv2dNativeBackpropFilter.h"
#include "ops/with_attrs/DepthwiseConv2dNativeBackpropInput.h"

namespace gk {
namespace {

using Ints = std::vector<int64_t>;

constexpr const char* kFormats[] = {"NWC", "NHWC", "NDHWC"};

// The spatial ones of n + 2 numbers.
Ints SpatialOf(const Ints& all, int n, const std::string& format) {
  const int first = format.starts_with("NC") ? 2 : 1;
  return Ints(all.begin() + first, all.begin() + first + n);
}

std::string PlainFormat(const CompositionCall& c, int i, int n) {
  const std::string format = FormatOf(c, i, kFormats[n - 1]);
  if (n != 1) return format;
  if (format == "NWC" || format == "NHWC") return "NWC";
  if (format == "NCW" || format == "NCHW") return "NCW";
  throw Error(
      ValueError("`data_format` must be 'NWC' or 'NCW'. Received: "
                 "data_format={}",
                 format));
}

// A convolution of n dimensions over pictures; strides and dilations of all
// dimensions.
Tensor Convolved(const Tensor& given, const Tensor& filter, int n,
                 const Ints& strides, const WindowPadding& padding,
                 const std::string& format, const Ints& dilations,
                 std::string_view name) {
  auto conv = [&](const Tensor& x) {
    AttrMap attrs = WindowAttrs(padding, format, n == 2);
    attrs.Set("strides", strides);
    attrs.Set("dilations", dilations);
    if (n == 3) return ops::Conv3D(OpAttrs(std::move(attrs), name), x, filter);
    if (n == 2) return ops::Conv2D(OpAttrs(std::move(attrs), name), x, filter);
    const bool channels_first = format == "NCW";
    const int64_t at = channels_first ? 2 : 1;
    const auto widen = [&](Ints v) {
      v.insert(v.begin() + at, 1);
      return v;
    };
    attrs = WindowAttrs(padding, channels_first ? "NCHW" : "NHWC");
    attrs.Set("strides", widen(strides));
    attrs.Set("dilations", widen(dilations));
    const Tensor wide = ops::ExpandDims(x, Int32Of(at));
    const Tensor wide_filter = ops::ExpandDims(filter, Int32Of(0));
    const Tensor y =
        ops::Conv2D(OpAttrs(std::move(attrs), name), wide, wide_filter);
    return ops::Squeeze(y, Ints{at});
  };
  return given.partial_shape().rank() > n + 2 ? OverBatches(given, n + 1, conv)
                                              : conv(given);
}

TensorVector Convolution(CompositionCall& c) {
  const Tensor &x = c.tensor(0), &filter = c.tensor(1);
  const int x_rank = x.partial_shape().rank(),
            filter_rank = filter.partial_shape().rank();
  const int n = filter_rank > 0 ? filter_rank - 2 : x_rank - 2;
  if (filter_rank < 0 && x_rank < 0) {
    throw Error(ValueError(
        "When `num_spatial_dims` is not set, one of `input.shape.rank` or "
        "`filters.shape.rank` must be known."));
  }
  if (n < 1 || n > 3) {
    throw Error(
        ValueError("`num_spatial_dims` must be 1, 2, or 3. Received: "
                   "num_spatial_dims={}.",
                   n));
  }
  const std::string format = PlainFormat(c, 4, n);
  const WindowPadding padding = PaddingOf(c, 3);
  const Ints strides =
      PerDimension(c.has(2) ? c.ints(2) : Ints{1}, n, format, "strides");
  const Ints dilations = Dilations(c, 5, n, format);
  const bool holes = std::any_of(dilations.begin(), dilations.end(),
                                 [](int64_t r) { return r != 1; });
  if (holes) {
    CheckWindowRates(SpatialOf(strides, n, format),
                     SpatialOf(dilations, n, format));
  } else if (padding.kind == "EXPLICIT") {
    throw Error(TypeError("Expected string for argument 'padding'"));
  }
  return {
      Convolved(x, filter, n, strides, padding, format, dilations, c.name())};
}

TensorVector AtrousConv2d(CompositionCall& c) {
  Ints rate = c.ints(2);
  if (rate.size() == 1) rate.push_back(rate[0]);
  if (rate.size() != 2) {
    throw Error(
        ValueError("`rate` should be of length 1 or 2. Received: rate of "
                   "length {}",
                   rate.size()));
  }
  CheckWindowRates({1, 1}, rate);
  return {Convolved(c.tensor(0), c.tensor(1), 2, Ints(4, 1), PaddingOf(c, 3),
                    "NHWC", {1, rate[0], rate[1], 1}, c.name())};
}

// The transpose of a convolution of n dimensions, from `sizes` on.
Tensor Transposed(const Tensor& x, const Tensor& filter, const Tensor& sizes,
                  int n, const Ints& strides, const WindowPadding& padding,
                  const std::string& format, const Ints& dilations,
                  std::string_view name) {
  AttrMap attrs = WindowAttrs(padding, format, n == 2);
  attrs.Set("strides", strides);
  attrs.Set("dilations", dilations);
  if (n == 3) {
    return ops::Conv3DBackpropInputV2(OpAttrs(std::move(attrs), name), sizes,
                                      filter, x);
  }
  if (n == 2) {
    return ops::Conv2DBackpropInput(OpAttrs(std::move(attrs), name), sizes,
                                    filter, x);
  }
  const bool channels_first = format == "NCW";
  const int64_t at = channels_first ? 2 : 1;
  const auto widen = [&](Ints v) {
    v.insert(v.begin() + at, 1);
    return v;
  };
  attrs = WindowAttrs(padding, channels_first ? "NCHW" : "NHWC");
  attrs.Set("strides", widen(strides));
  attrs.Set("dilations", widen(dilations));
  const Tensor wide = ops::ExpandDims(x, Int32Of(at));
  const Tensor wide_filter = ops::ExpandDims(filter, Int32Of(0));
  SubscriptEntry before, behind;
  before.end = at;
  behind.begin = at;
  const Tensor wide_sizes =
      ops::ConcatV2(TensorVector{Subscript(sizes, {before}),
                                 IntegerVector(Ints{1}, sizes.dtype()),
                                 Subscript(sizes, {behind})},
                    Int32Of(0));
  const Tensor y = ops::Conv2DBackpropInput(OpAttrs(std::move(attrs), name),
                                            wide_sizes, wide_filter, wide);
  return ops::Squeeze(y, Ints{at});
}

template <int kSpatial>
TensorVector ConvTranspose(CompositionCall& c) {
  int n = kSpatial;
  const Tensor& sizes = c.tensor(2);
  if (n == 0) {
    const PartialTensorShape shape = sizes.partial_shape();
    n = shape.rank() == 1 ? static_cast<int>(shape.dim(0)) - 2 : 0;
    if (n < 1 || n > 3) {
      throw Error(ValueError(
          "`output_shape` must be of length 3, 4 or 5. Received: output_shape "
          "of length {}.",
          n + 2));
    }
  }
  std::string format = FormatOf(c, 5, kFormats[n - 1]);
  if (n == 1 && format != "NWC" && format != "NCW") {
    throw Error(
        ValueError("`data_format` must be 'NWC' or 'NCW'. Received: "
                   "data_format={}",
                   format));
  }
  return {Transposed(c.tensor(0), c.tensor(1), sizes, n,
                     PerDimension(c.ints(3), n, format, "strides"),
                     PaddingOf(c, 4), format, Dilations(c, 6, n, format),
                     c.name())};
}

TensorVector AtrousConv2dTranspose(CompositionCall& c) {
  const Tensor &x = c.tensor(0), &filter = c.tensor(1), &sizes = c.tensor(2);
  const int64_t rate = c.integer(3);
  if (rate < 1) {
    throw Error(
        ValueError("`rate` cannot be less than one. Received: rate={}", rate));
  }
  const WindowPadding padding{c.text(4), {}};
  if (padding.kind != "SAME" && padding.kind != "VALID") {
    throw Error(
        ValueError("`padding` must be either 'VALID' or 'SAME'. Received: "
                   "padding={}",
                   padding.kind));
  }
  const PartialTensorShape xs = x.partial_shape(), fs = filter.partial_shape();
  if (xs.rank() == 4 && fs.rank() == 4 && xs.dim(3) >= 0 && fs.dim(3) >= 0 &&
      xs.dim(3) != fs.dim(3)) {
    throw Error(ValueError(
        "`value` channel count must be compatible with `filters` input channel "
        "count. Received: value.shape={} and filters.shape={}.",
        xs.PythonString(), fs.PythonString()));
  }
  if (!sizes.partial_shape().IsCompatibleWith(
          PartialTensorShape(Ints{int64_t{4}}))) {
    throw Error(
        ValueError("`output_shape` must have shape (4,). Received: "
                   "output_shape={}",
                   sizes.partial_shape().PythonString()));
  }
  return {Transposed(x, filter, sizes, 2, Ints(4, 1), padding, "NHWC",
                     {1, rate, rate, 1}, c.name())};
}

TensorVector SeparableConv2d(CompositionCall& c) {
  const Tensor &filter = c.tensor(1), &pointwise = c.tensor(2);
  const std::string format = FormatOf(c, 5, "NHWC");
  const PartialTensorShape ps = pointwise.partial_shape();
  if (!ps.unknown_rank() && ps.rank() != 4) {
    throw Error(ValueError("Shape {} must have rank 4", ps.PythonString()));
  }
  for (int i = 0; i < 2 && !ps.unknown_rank(); ++i) {
    if (ps.dim(i) >= 0 && ps.dim(i) != 1) {
      throw Error(
          ValueError("Dimensions {} and 1 are not compatible", ps.dim(i)));
    }
  }
  if (c.ints(3).size() != 4) {
    throw Error(InvalidArgument(
        "Sliding window strides field must specify 4 dimensions, got {}: "
        "[1, height, width, 1]",
        c.ints(3).size()));
  }
  const Tensor depthwise = DepthwiseConvolution(
      c.tensor(0), filter, c.ints(3), PaddingOf(c, 4), format,
      Dilations(c, 6, 2, format), c.name("depthwise"));
  return {Convolved(depthwise, pointwise, 2, Ints(4, 1), {"VALID", {}}, format,
                    Ints(4, 1), c.name())};
}

AttrMap DepthwiseAttrs(const CompositionCall& c) {
  AttrMap attrs = WindowAttrs(PaddingOf(c, 4), FormatOf(c, 5, "NHWC"));
  attrs.Set("strides", c.ints(3));
  attrs.Set("dilations", c.ints(6));
  return attrs;
}

TensorVector DepthwiseBackpropInput(CompositionCall& c) {
  return {ops::DepthwiseConv2dNativeBackpropInput(
      OpAttrs(DepthwiseAttrs(c), c.name()), c.tensor(0), c.tensor(1),
      c.tensor(2))};
}

TensorVector DepthwiseBackpropFilter(CompositionCall& c) {
  return {ops::DepthwiseConv2dNativeBackpropFilter(
      OpAttrs(DepthwiseAttrs(c), c.name()), c.tensor(0), c.tensor(1),
      c.tensor(2))};
}

#define TRANSPOSED_ARGS(format)                                                \
  "input: tensor(T); filters: tensor(T); output_shape: shape; strides: ints; " \
  "padding: native = 'SAME'; data_format: string = " format                    \
  "; dilations: ints = None"
#define TRANSPOSED_DOC                                                        \
  "\n\nArgs:\n  strides: an int, one for each spatial dimension, or one for " \
  "each dimension.\n  padding: \"SAME\" or \"VALID\".\n  data_format: where " \
  "the channels are."

const CompositionRecord kRecords[] = {
    {.names = "nn.convolution",
     .args = "input: tensor(T); filters: tensor(T); strides: ints = None; "
             "padding: native = 'VALID'; data_format: string = None; "
             "dilations: ints = None",
     .scope = "convolution",
     .build = Convolution,
     .doc = "Convolution of as many dimensions, 1 to 3, as the filters "
            "[...window, in, out] have.\n\nArgs:\n  dilations: distances "
            "between the places of the window; more than 1 needs strides of "
            "1.\n\nRaises ValueError for another rank.",
     .example = ">>> tf.nn.convolution(tf.ones([1, 3, 1]), tf.ones([2, 1, 1]))"
                ".numpy().tolist()\n[[[2.0], [2.0]]]"},
    {.names = "nn.atrous_conv2d",
     .args = "value: tensor(T); filters: tensor(T); rate: ints; padding: "
             "native",
     .scope = "convolution",
     .build = AtrousConv2d,
     .doc = "Convolution of pictures with filters that have `rate - 1` holes "
            "between their places.",
     .example = ">>> tf.nn.atrous_conv2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, "
                "1, 1]), 2, \"VALID\").numpy().item()\n4.0"},
    {.names = "nn.atrous_conv2d_transpose",
     .args = "value: tensor(T); filters: tensor(T); output_shape: shape; rate: "
             "int; padding: string",
     .scope = "atrous_conv2d_transpose",
     .build = AtrousConv2dTranspose,
     .doc = "The transpose (gradient) of atrous_conv2d; filters are [height, "
            "width, out, in].",
     .example = ">>> tf.nn.atrous_conv2d_transpose(tf.ones([1, 1, 1, 1]), "
                "tf.ones([2, 2, 1, 1]), [1, 3, 3, 1], 2, \"VALID\").numpy()"
                ".sum().item()\n4.0"},
    {.names = "nn.conv1d_transpose",
     .args = TRANSPOSED_ARGS("'NWC'"),
     .scope = "conv1d_transpose",
     .build = ConvTranspose<1>,
     .doc = "The transpose (gradient) of conv1d; filters are [width, out, "
            "in]." TRANSPOSED_DOC,
     .example = ">>> tf.nn.conv1d_transpose(tf.ones([1, 2, 1]), tf.ones([2, 1, "
                "1]), [1, 4, 1], 2).numpy().sum().item()\n4.0"},
    {.names = "nn.conv3d_transpose",
     .args = TRANSPOSED_ARGS("'NDHWC'"),
     .scope = "conv3d_transpose",
     .build = ConvTranspose<3>,
     .doc = "The transpose (gradient) of conv3d; filters are [depth, height, "
            "width, out, in]." TRANSPOSED_DOC,
     .example = ">>> tf.nn.conv3d_transpose(tf.ones([1, 1, 1, 1, 1]), tf.ones("
                "[2, 2, 2, 1, 1]), [1, 2, 2, 2, 1], 2).numpy().sum().item()\n"
                "8.0"},
    {.names = "nn.conv_transpose",
     .args = TRANSPOSED_ARGS("None"),
     .scope = "conv_transpose",
     .build = ConvTranspose<0>,
     .doc = "The transpose of a convolution of as many dimensions as "
            "`output_shape` has, 1 to 3 without batch and "
            "channels." TRANSPOSED_DOC,
     .example = ">>> tf.nn.conv_transpose(tf.ones([1, 2, 1]), tf.ones([2, 1, "
                "1]), [1, 4, 1], 2).shape\nTensorShape([1, 4, 1])"},
    {.names = "nn.separable_conv2d",
     .args = "input: tensor(T); depthwise_filter: tensor(T); pointwise_filter: "
             "tensor(T); strides: ints; padding: native; data_format: string = "
             "None; dilations: ints = None",
     .scope = "separable_conv2d",
     .build = SeparableConv2d,
     .doc = "A convolution of each channel by itself and one of 1 by 1 that "
            "mixes them.\n\nArgs:\n  depthwise_filter: [height, width, in, "
            "multiplier].\n  pointwise_filter: [1, 1, in * multiplier, out].\n "
            " strides: [1, stride, stride, 1].\n  padding: \"SAME\", \"VALID\" "
            "or a list of [before, after] for each dimension.",
     .example = ">>> tf.nn.separable_conv2d(tf.ones([1, 2, 2, 1]), tf.ones([2, "
                "2, 1, 1]), tf.ones([1, 1, 1, 3]), [1, 1, 1, 1], \"VALID\")"
                ".shape\nTensorShape([1, 1, 1, 3])"},
    {.names = "nn.depthwise_conv2d_backprop_input",
     .args = "input_sizes: tensor(int32); filter: tensor(T); out_backprop: "
             "tensor(T); strides: ints; padding: native; data_format: string "
             "= 'NHWC'; dilations: ints = [1, 1, 1, 1]",
     .scope = "DepthwiseConv2dNativeBackpropInput",
     .build = DepthwiseBackpropInput,
     .doc = "The gradient of depthwise_conv2d with respect to its input.",
     .example = ">>> tf.nn.depthwise_conv2d_backprop_input([1, 2, 2, 1], "
                "tf.ones([2, 2, 1, 1]), tf.ones([1, 1, 1, 1]), [1, 1, 1, 1], "
                "\"VALID\").numpy().sum().item()\n4.0"},
    {.names = "nn.depthwise_conv2d_backprop_filter",
     .args = "input: tensor(T); filter_sizes: tensor(int32); out_backprop: "
             "tensor(T); strides: ints; padding: native; data_format: string "
             "= 'NHWC'; dilations: ints = [1, 1, 1, 1]",
     .scope = "DepthwiseConv2dNativeBackpropFilter",
     .build = DepthwiseBackpropFilter,
     .doc = "The gradient of depthwise_conv2d with respect to its filter.",
     .example = ">>> tf.nn.depthwise_conv2d_backprop_filter(tf.ones([1, 2, 2, "
                "1]), [2, 2, 1, 1], tf.ones([1, 1, 1, 1]), [1, 1, 1, 1], "
                "\"VALID\").numpy().sum().item()\n4.0"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_convolution)

}  // namespace gk
