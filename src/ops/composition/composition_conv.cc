// Convolutions and pooling: ksize, strides and dilations as an int or a list,
// padding as a name or as explicit amounts.
#include "ops/composition.h"
#include "ops/composition/window_arguments.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/Squeeze.h"
#include "ops/with_attrs/AvgPool.h"
#include "ops/with_attrs/AvgPool3D.h"
#include "ops/with_attrs/Conv2D.h"
#include "ops/with_attrs/Conv2DBackpropInput.h"
#include "ops/with_attrs/Conv3D.h"
#include "ops/with_attrs/MaxPool.h"
#include "ops/with_attrs/MaxPool3D.h"

namespace gk {
namespace {

TensorVector Conv2d(CompositionCall& c) {
  const std::string format = FormatOf(c, 4, "NHWC");
  AttrMap attrs = WindowAttrs(PaddingOf(c, 3), format);
  attrs.Set("strides", PerDimension(c.ints(2), 2, format, "strides"));
  attrs.Set("dilations", Dilations(c, 5, 2, format));
  auto conv = [&](const Tensor& x) {
    return ops::Conv2D(OpAttrs(attrs, c.name()), x, c.tensor(1));
  };
  const Tensor& x = c.tensor(0);
  return {x.partial_shape().rank() > 4 ? OverBatches(x, 3, conv) : conv(x)};
}

// Where a window with holes moves by more than one place, every residue of the
// places is a picture of its own.
TensorVector DepthwiseConv2d(CompositionCall& c) {
  const std::string format = FormatOf(c, 4, "NHWC");
  if (c.ints(2).size() != 4) {
    throw Error(InvalidArgument(
        "Sliding window strides field must specify 4 dimensions, got {}: "
        "[1, height, width, 1]",
        c.ints(2).size()));
  }
  return {DepthwiseConvolution(
      c.tensor(0), c.tensor(1), c.ints(2), PaddingOf(c, 3), format,
      Dilations(c, 5, 2, format), c.name("depthwise"))};
}

TensorVector Conv2dTranspose(CompositionCall& c) {
  const std::string format = FormatOf(c, 5, "NHWC");
  AttrMap attrs = WindowAttrs(PaddingOf(c, 4), format);
  attrs.Set("strides", PerDimension(c.ints(3), 2, format, "strides"));
  attrs.Set("dilations", Dilations(c, 6, 2, format));
  return {ops::Conv2DBackpropInput(OpAttrs(std::move(attrs), c.name()),
                                   c.tensor(2), c.tensor(1), c.tensor(0))};
}

TensorVector Conv3d(CompositionCall& c) {
  const std::string format = FormatOf(c, 4, "NDHWC");
  AttrMap attrs = WindowAttrs(PaddingOf(c, 3), format, false);
  attrs.Set("strides", PerDimension(c.ints(2), 3, format, "strides"));
  attrs.Set("dilations", Dilations(c, 5, 3, format));
  auto conv = [&](const Tensor& x) {
    return ops::Conv3D(OpAttrs(attrs, c.name()), x, c.tensor(1));
  };
  const Tensor& x = c.tensor(0);
  return {x.partial_shape().rank() > 5 ? OverBatches(x, 4, conv) : conv(x)};
}

// One dimension: a picture of height 1.
TensorVector Conv1d(CompositionCall& c) {
  const std::string format = FormatOf(c, 4, "NWC");
  if (format != "NWC" && format != "NCW") {
    throw Error(
        ValueError("`data_format` must be \"NWC\" or \"NCW\". "
                   "Received: {}",
                   format));
  }
  const bool channels_first = format == "NCW";
  const std::string format2d = channels_first ? "NCHW" : "NHWC";
  const int64_t at = channels_first ? 2 : 1;
  const auto widen = [&](std::vector<int64_t> v, const char* what) {
    if (v.size() == 3) v = {v[at]};
    if (v.size() != 1) {
      throw Error(ValueError("{} should be of length 1 or 3", what));
    }
    return PerDimension({1, v[0]}, 2, format2d, what);
  };
  AttrMap attrs = WindowAttrs(PaddingOf(c, 3), format2d);
  attrs.Set("strides", widen(c.ints(2), "stride"));
  attrs.Set("dilations", c.has(5) ? widen(c.ints(5), "dilations")
                                  : std::vector<int64_t>(4, 1));
  const Tensor f =
      ops::ExpandDims(OpName(c.name("ExpandDims_1")), c.tensor(1), Int32Of(0));
  auto conv = [&](const Tensor& flat) {
    const Tensor x =
        ops::ExpandDims(OpName(c.name("ExpandDims")), flat, Int32Of(at));
    const std::string name = c.name("Conv2D");
    const Tensor y = ops::Conv2D(OpAttrs(attrs, name), x, f);
    return ops::Squeeze(OpName(c.name("Squeeze")), y, std::vector<int64_t>{at});
  };
  const Tensor& x = c.tensor(0);
  return {x.partial_shape().rank() > 3 ? OverBatches(x, 2, conv) : conv(x)};
}

using PoolOp = Tensor (*)(OpAttrs, const Tensor&);

template <PoolOp kOp>
TensorVector Pool2d(CompositionCall& c) {
  const std::string format = FormatOf(c, 4, "NHWC");
  const bool is_max = kOp == PoolOp(ops::MaxPool);
  const WindowPadding padding = PaddingOf(c, 3);
  if (!is_max && padding.kind == "EXPLICIT") {
    throw Error(ValueError("avg_pool takes no explicit paddings"));
  }
  AttrMap attrs = WindowAttrs(padding, format, is_max);
  attrs.Set("ksize", PerDimension(c.ints(1), 2, format, "ksize"));
  attrs.Set("strides", PerDimension(c.ints(2), 2, format, "strides"));
  return {kOp(OpAttrs(std::move(attrs), c.name()), c.tensor(0))};
}

template <PoolOp kOp>
TensorVector Pool3d(CompositionCall& c) {
  const std::string format = FormatOf(c, 4, "NDHWC");
  AttrMap attrs = WindowAttrs(PaddingOf(c, 3), format, false);
  attrs.Set("ksize", PerDimension(c.ints(1), 3, format, "ksize"));
  attrs.Set("strides", PerDimension(c.ints(2), 3, format, "strides"));
  return {kOp(OpAttrs(std::move(attrs), c.name()), c.tensor(0))};
}

template <PoolOp kOp>
TensorVector Pool1d(CompositionCall& c) {
  const std::string format = FormatOf(c, 4, "NWC");
  const bool channels_first = format == "NCW";
  const std::string format2d = channels_first ? "NCHW" : "NHWC";
  const int64_t at = channels_first ? 2 : 1;
  const auto widen = [&](std::vector<int64_t> v, const char* what) {
    if (v.size() == 3) v = {v[at]};
    if (v.size() != 1) {
      throw Error(ValueError("{} should be of length 1 or 3", what));
    }
    return PerDimension({1, v[0]}, 2, format2d, what);
  };
  AttrMap attrs =
      WindowAttrs(PaddingOf(c, 3), format2d, kOp == PoolOp(ops::MaxPool));
  attrs.Set("ksize", widen(c.ints(1), "ksize"));
  attrs.Set("strides", widen(c.ints(2), "strides"));
  const Tensor x = ops::ExpandDims(c.tensor(0), Int32Of(at));
  const Tensor y = kOp(OpAttrs(std::move(attrs)), x);
  return {ops::Squeeze(OpName(c.name()), y, std::vector<int64_t>{at})};
}

// Max and average pooling of as many dimensions as the input has.
template <PoolOp kOp2, PoolOp kOp3>
TensorVector PoolNd(CompositionCall& c) {
  const int rank = c.tensor(0).partial_shape().rank();
  switch (rank) {
    case 3:
      return Pool1d<kOp2>(c);
    case 5:
      return Pool3d<kOp3>(c);
    case 4:
      return Pool2d<kOp2>(c);
  }
  throw Error(
      ValueError("Input tensor must be of rank 3, 4 or 5 but was {}.", rank));
}

#define POOL_ARGS \
  "input: tensor; ksize: ints; strides: ints; padding: native; data_format: "
#define WINDOW_DOC                                                          \
  "\n\nArgs:\n  input: [batch, ...spatial, channels].\n  strides: an int, " \
  "one "                                                                    \
  "for each spatial dimension, or one for each dimension.\n  padding: "     \
  "\"SAME\","                                                               \
  " \"VALID\" or a list of [before, after] for each dimension.\n  "         \
  "data_format:"                                                            \
  " where the channels are."

const CompositionRecord kRecords[] = {
    {.names = "nn.conv2d",
     .args = "input: tensor(T); filters: tensor(T) as filter; strides: ints; "
             "padding: native; data_format: string = 'NHWC'; dilations: ints = "
             "None",
     .scope = "Conv2D",
     .build = Conv2d,
     .doc = "Convolution of pictures with filters [height, width, in, "
            "out]." WINDOW_DOC,
     .example = ">>> tf.nn.conv2d(tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1])"
                ", 1, \"VALID\").numpy().item()\n4.0"},
    {.names = "nn.conv2d_transpose",
     .args = "input: tensor(T); filters: tensor(T); output_shape: shape; "
             "strides: ints; padding: native = 'SAME'; data_format: string = "
             "'NHWC'; dilations: ints = None",
     .scope = "conv2d_transpose",
     .build = Conv2dTranspose,
     .doc = "The transpose (gradient) of conv2d; filters are [height, width, "
            "out, in]." WINDOW_DOC,
     .example = ">>> tf.nn.conv2d_transpose(tf.ones([1, 1, 1, 1]), tf.ones([2, "
                "2, 1, 1]), [1, 2, 2, 1], 2).numpy().sum().item()\n4.0"},
    {.names = "nn.depthwise_conv2d",
     .args = "input: tensor(T); filter: tensor(T); strides: ints; padding: "
             "native; data_format: string = None; dilations: ints = None",
     .scope = "depthwise",
     .build = DepthwiseConv2d,
     .doc = "Convolution of each channel with filters of its own [height, "
            "width, in, multiplier]." WINDOW_DOC,
     .example = ">>> tf.nn.depthwise_conv2d(tf.ones([1, 1, 1, 2]), tf.ones([1,"
                " 1, 2, 1]), [1, 1, 1, 1], \"VALID\").shape\n"
                "TensorShape([1, 1, 1, 2])"},
    {.names = "nn.conv1d",
     .args = "input: tensor(T); filters: tensor(T); stride: ints; padding: "
             "native; data_format: string = 'NWC'; dilations: ints = None",
     .scope = "conv1d",
     .build = Conv1d,
     .doc =
         "Convolution of sequences with filters [width, in, out]." WINDOW_DOC,
     .example = ">>> tf.nn.conv1d(tf.ones([1, 3, 1]), tf.ones([2, 1, 1]), 1, "
                "\"VALID\").shape\nTensorShape([1, 2, 1])"},
    {.names = "nn.conv3d",
     .args = "input: tensor(T); filters: tensor(T) as filter; strides: ints; "
             "padding: native; data_format: string = 'NDHWC'; dilations: ints "
             "= None",
     .scope = "Conv3D",
     .build = Conv3d,
     .doc = "Convolution of volumes with filters [depth, height, width, in, "
            "out]." WINDOW_DOC,
     .example = ">>> tf.nn.conv3d(tf.ones([1, 2, 2, 2, 1]), tf.ones([2, 2, 2, "
                "1, 1]), 1, \"VALID\").numpy().item()\n8.0"},
    {.names = "nn.max_pool2d",
     .args = POOL_ARGS "string = 'NHWC'",
     .scope = "MaxPool2d",
     .build = Pool2d<ops::MaxPool>,
     .doc = "Largest element of each window." WINDOW_DOC,
     .example = ">>> tf.nn.max_pool2d(tf.ones([1, 2, 2, 1]), 2, 2, \"SAME\")."
                "shape\nTensorShape([1, 1, 1, 1])"},
    {.names = "nn.avg_pool2d",
     .args = POOL_ARGS "string = 'NHWC'",
     .scope = "AvgPool2D",
     .build = Pool2d<ops::AvgPool>,
     .doc = "Mean of each window, without padding." WINDOW_DOC,
     .example = ">>> tf.nn.avg_pool2d(tf.ones([1, 2, 2, 1]), 2, 2, \"SAME\")."
                "numpy().item()\n1.0"},
    {.names = "nn.max_pool1d",
     .args = POOL_ARGS "string = 'NWC'",
     .scope = "MaxPool1d",
     .build = Pool1d<ops::MaxPool>,
     .doc = "Largest element of each window of a sequence." WINDOW_DOC,
     .example = ">>> tf.nn.max_pool1d([[[1.0], [3.0], [2.0]]], 3, 1, \"VALID\")"
                ".numpy().item()\n3.0"},
    {.names = "nn.avg_pool1d",
     .args = POOL_ARGS "string = 'NWC'",
     .scope = "AvgPool1D",
     .build = Pool1d<ops::AvgPool>,
     .doc = "Mean of each window of a sequence." WINDOW_DOC,
     .example = ">>> tf.nn.avg_pool1d([[[1.0], [3.0], [2.0]]], 3, 1, \"VALID\")"
                ".numpy().item()\n2.0"},
    {.names = "nn.max_pool3d",
     .args = POOL_ARGS "string = 'NDHWC'",
     .scope = "MaxPool3D",
     .build = Pool3d<ops::MaxPool3D>,
     .doc = "Largest element of each window of a volume." WINDOW_DOC,
     .example = ">>> tf.nn.max_pool3d(tf.ones([1, 2, 2, 2, 1]), 2, 2, "
                "\"VALID\").shape\nTensorShape([1, 1, 1, 1, 1])"},
    {.names = "nn.avg_pool3d",
     .args = POOL_ARGS "string = 'NDHWC'",
     .scope = "AvgPool3D",
     .build = Pool3d<ops::AvgPool3D>,
     .doc = "Mean of each window of a volume." WINDOW_DOC,
     .example = ">>> tf.nn.avg_pool3d(tf.ones([1, 2, 2, 2, 1]), 2, 2, "
                "\"VALID\").numpy().item()\n1.0"},
    {.names = "nn.max_pool",
     .args = POOL_ARGS "string = None",
     .scope = "MaxPool2d",
     .build = PoolNd<ops::MaxPool, ops::MaxPool3D>,
     .doc = "Largest element of each window, in 1 to 3 spatial "
            "dimensions." WINDOW_DOC,
     .example = ">>> tf.nn.max_pool(tf.ones([1, 4, 4, 1]), 2, 2, \"VALID\")"
                ".shape\nTensorShape([1, 2, 2, 1])"},
    {.names = "nn.avg_pool",
     .args = POOL_ARGS "string = None",
     .scope = "AvgPool2D",
     .build = PoolNd<ops::AvgPool, ops::AvgPool3D>,
     .doc = "Mean of each window, in 1 to 3 spatial dimensions." WINDOW_DOC,
     .example = ">>> tf.nn.avg_pool(tf.ones([1, 4, 4, 1]), 2, 2, \"VALID\")"
                ".shape\nTensorShape([1, 2, 2, 1])"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_conv)

}  // namespace gk
