// 2-D convolutions, dense and depthwise, and their gradients.
#include "ops/fn/nn_conv.h"

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/element_moves.h"
#include "ops/nn/channels_first.h"
#include "ops/nn/conv_flops.h"
#include "ops/nn/conv_geometry.h"
#include "ops/nn/window.h"
#include "ops/with_attrs/Conv2D.h"
#include "ops/with_attrs/Conv2DBackpropFilter.h"
#include "ops/with_attrs/Conv2DBackpropInput.h"
#include "ops/with_attrs/DepthwiseConv2dNative.h"
#include "ops/with_attrs/DepthwiseConv2dNativeBackpropFilter.h"
#include "ops/with_attrs/DepthwiseConv2dNativeBackpropInput.h"

namespace gk {
namespace {

template <bool kDepthwise>
Status ComputeConv(KernelContext& c) {
  const Tensor &input = c.input(0), &filter = c.input(1);
  GK_ASSIGN_OR_RETURN(ConvAttrs attrs, ParseConvAttrs(c.attrs(), kDepthwise));
  GK_ASSIGN_OR_RETURN(
      Conv2DDesc d,
      DescribeConv(input.dtype(), ConvPass::kForward, input.shape(),
                   filter.shape(), attrs, kDepthwise));
  GK_ASSIGN_OR_RETURN(
      TensorShape shape,
      TensorShape::Make(std::array{d.batch, d.out_h, d.out_w, d.out_c}));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, input.dtype(), shape, &out));
  return RunConv(c, d, input, filter, out);
}

// The gradients call misplaced strides invalid, not unimplemented.
template <bool kDepthwise>
StatusOr<ConvAttrs> ParseGradAttrs(const KernelContext& c) {
  StatusOr<ConvAttrs> attrs = ParseConvAttrs(c.attrs(), kDepthwise);
  if (attrs.ok() || attrs.status().code() != Code::kUnimplemented) return attrs;
  return InvalidArgument("{}", attrs.status().message());
}

// A shape given as a vector of int32.
StatusOr<TensorShape> SizesOf(const Tensor& sizes) {
  if (sizes.rank() != 1) {
    return InvalidArgument("sizes must be 1-dimensional: {}",
                           sizes.shape().DebugString());
  }
  std::vector<int64_t> dims(sizes.flat<int32_t>().begin(),
                            sizes.flat<int32_t>().end());
  return TensorShape::Make(dims);
}

Status CheckOutBackprop(std::string_view op, const Conv2DDesc& d,
                        const TensorShape& dy) {
  if (dy.rank() != 4) {
    return InvalidArgument("{}: out_backprop must be 4-dimensional", op);
  }
  if (dy.dim(0) != d.batch) {
    return InvalidArgument(
        "{}: input and out_backprop must have the same "
        "batch size. Input batch: {}, outbackprop batch: "
        "{}",
        op, d.batch, dy.dim(0));
  }
  if (dy.dim(3) != d.out_c) {
    return InvalidArgument(
        "{}: filter and out_backprop must have the same out_depth", op);
  }
  const int64_t computed[] = {d.out_h, d.out_w};
  for (int i = 0; i < 2; ++i) {
    if (dy.dim(1 + i) != computed[i]) {
      return InvalidArgument(
          "{}: Size of out_backprop doesn't match computed: actual = {}, "
          "computed = {} spatial_dim: {}",
          op, dy.dim(1 + i), computed[i], 1 + i);
    }
  }
  return OkStatus();
}

template <bool kDepthwise>
Status ComputeBackpropInput(KernelContext& c) {
  const Tensor &sizes = c.input(0), &filter = c.input(1), &dy = c.input(2);
  GK_ASSIGN_OR_RETURN(ConvAttrs attrs, ParseGradAttrs<kDepthwise>(c));
  TensorShape shape;
  // Two sizes mean height and width.
  if (sizes.rank() == 1 && sizes.dim(0) == 2 && dy.rank() == 4 &&
      filter.rank() == 4) {
    const int32_t* s = sizes.data<int32_t>();
    GK_ASSIGN_OR_RETURN(shape, TensorShape::Make(std::array<int64_t, 4>{
                                   dy.dim(0), s[0], s[1], filter.dim(2)}));
  } else {
    GK_ASSIGN_OR_RETURN(shape, SizesOf(sizes));
  }
  GK_ASSIGN_OR_RETURN(Conv2DDesc d,
                      DescribeConv(dy.dtype(), ConvPass::kBackwardInput, shape,
                                   filter.shape(), attrs, kDepthwise));
  GK_RETURN_IF_ERROR(CheckOutBackprop(c.record().name, d, dy.shape()));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, dy.dtype(), shape, &out));
  return RunConv(c, d, dy, filter, out);
}

template <bool kDepthwise>
Status ComputeBackpropFilter(KernelContext& c) {
  const Tensor &input = c.input(0), &dy = c.input(2);
  GK_ASSIGN_OR_RETURN(ConvAttrs attrs, ParseGradAttrs<kDepthwise>(c));
  GK_ASSIGN_OR_RETURN(TensorShape shape, SizesOf(c.input(1)));
  GK_ASSIGN_OR_RETURN(Conv2DDesc d,
                      DescribeConv(dy.dtype(), ConvPass::kBackwardFilter,
                                   input.shape(), shape, attrs, kDepthwise));
  GK_RETURN_IF_ERROR(CheckOutBackprop(c.record().name, d, dy.shape()));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, dy.dtype(), shape, &out));
  return RunConv(c, d, input, dy, out);
}

template <bool kDepthwise>
Status ConvShape(InferenceContext& c) {
  PartialTensorShape input, filter;
  GK_RETURN_IF_ERROR(c.WithRank(0, 4, &input));
  GK_RETURN_IF_ERROR(c.WithRank(1, 4, &filter));
  for (const int64_t stride : c.attr<std::vector<int64_t>>("strides")) {
    if (stride <= 0) {
      return InvalidArgument("Stride must be > 0, but got {}", stride);
    }
  }
  for (const int64_t rate : c.attr<std::vector<int64_t>>("dilations")) {
    if (rate <= 0) {
      return InvalidArgument("Dilation rate must be >= 1, but got {}", rate);
    }
  }
  GK_ASSIGN_OR_RETURN(ConvAttrs attrs, ParseConvAttrs(c.attrs(), kDepthwise));
  GK_ASSIGN_OR_RETURN(PartialTensorShape out,
                      ConvOutputShape(input, filter, attrs, kDepthwise));
  c.set_output(0, out);
  return OkStatus();
}

// The output is as large as the value of one input says.
template <int kSizes>
Status BackpropShape(InferenceContext& c) {
  PartialTensorShape out = c.ValueAsShape(kSizes);
  if (out.rank() == 2) {
    out.InsertDim(0, kUnknownDim);
    out.AddDim(kUnknownDim);
    if (c.input(2).rank() == 4) out.SetDim(0, c.input(2).dim(0));
    if (c.input(1).rank() == 4) out.SetDim(3, c.input(1).dim(2));
  }
  if (out.unknown_rank()) out = PartialTensorShape::UnknownOfRank(4);
  if (out.rank() != 4) {
    return InvalidArgument("Shape must be rank 4 but is rank {}", out.rank());
  }
  c.set_output(0, out);
  return OkStatus();
}

// The gradient has the channels that the filter makes.
Status DenseInputShape(InferenceContext& c) {
  PartialTensorShape filter, dy;
  GK_RETURN_IF_ERROR(c.WithRank(1, 4, &filter));
  GK_RETURN_IF_ERROR(c.WithRank(2, 4, &dy));
  int64_t depth;
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(
      dy.dim(IsChannelsFirst(c.attrs()) ? 1 : 3), filter.dim(3), &depth));
  return BackpropShape<0>(c);
}

// The attrs that all ops of a family share.
OpAttrs AttrsOfConv(const GradContext& g) {
  return OpAttrs(
      SharedAttrs(g.attrs(), {"strides", "padding", "explicit_paddings",
                              "data_format", "dilations", "use_cudnn_on_gpu"}));
}

// The ops of a family: the product, and what its gradients are.
template <
    Tensor (*kForwardOp)(OpAttrs, const Tensor&, const Tensor&),
    Tensor (*kInputOp)(OpAttrs, const Tensor&, const Tensor&, const Tensor&),
    Tensor (*kFilterOp)(OpAttrs, const Tensor&, const Tensor&, const Tensor&)>
struct ConvOps {
  static Tensor Forward(GradContext& g, const Tensor& x, const Tensor& filter) {
    return kForwardOp(AttrsOfConv(g), x, filter);
  }
  static Tensor Input(GradContext& g, const Tensor& x, const Tensor& filter,
                      const Tensor& dy) {
    return kInputOp(AttrsOfConv(g), ShapeTensor(x), filter, dy);
  }
  static Tensor Filter(GradContext& g, const Tensor& x, const Tensor& filter,
                       const Tensor& dy) {
    return kFilterOp(AttrsOfConv(g), x, ShapeTensor(filter), dy);
  }
};
using Dense =
    ConvOps<ops::Conv2D, ops::Conv2DBackpropInput, ops::Conv2DBackpropFilter>;
using Depthwise =
    ConvOps<ops::DepthwiseConv2dNative, ops::DepthwiseConv2dNativeBackpropInput,
            ops::DepthwiseConv2dNativeBackpropFilter>;

template <class Ops>
void ConvGradient(GradContext& g) {
  const Tensor &x = g.x(0), &filter = g.x(1), dy = g.dy(0);
  if (g.wants(0)) g.Set(0, Ops::Input(g, x, filter, dy));
  if (g.wants(1)) g.Set(1, Ops::Filter(g, x, filter, dy));
}

// All three ops are linear in each argument.
template <class Ops>
void BackpropInputGradient(GradContext& g) {
  const Tensor &filter = g.x(1), &dy = g.x(2), d = g.dy(0);
  if (g.wants(1)) g.Set(1, Ops::Filter(g, d, filter, dy));
  if (g.wants(2)) g.Set(2, Ops::Forward(g, d, filter));
}

template <class Ops>
void BackpropFilterGradient(GradContext& g) {
  const Tensor &x = g.x(0), &dy = g.x(2), d = g.dy(0);
  if (g.wants(0)) g.Set(0, Ops::Input(g, x, d, dy));
  if (g.wants(2)) g.Set(2, Ops::Forward(g, x, d));
}

template <ComputeFn kCompute>
constexpr ComputeFn OfImages =
    EitherOrder<kCompute, ImagePart::kImages, ImagePart::kImages,
                ImagePart::kOther>;
template <ComputeFn kCompute>
constexpr ComputeFn ToImages =
    EitherOrder<kCompute, ImagePart::kImages, ImagePart::kSizes,
                ImagePart::kOther, ImagePart::kImages>;
template <ComputeFn kCompute>
constexpr ComputeFn ToFilter =
    EitherOrder<kCompute, ImagePart::kOther, ImagePart::kImages,
                ImagePart::kOther, ImagePart::kImages>;

// A filter [height, width, in, multiplier]: each result sees one channel.
double PerChannelFlops(const TensorShape& filter, const TensorShape& result) {
  if (filter.rank() != 4) return 0;
  return 2 * ElementsOf(result) * filter.dim(0) * filter.dim(1);
}
double DepthwiseFlops(const AttrMap&, FlopsShapes in, FlopsShapes out) {
  return PerChannelFlops(in[1], out[0]);
}
double DepthwiseInputFlops(const AttrMap&, FlopsShapes in, FlopsShapes) {
  return PerChannelFlops(in[1], in[2]);
}
double DepthwiseFilterFlops(const AttrMap&, FlopsShapes in, FlopsShapes out) {
  return PerChannelFlops(out[0], in[2]);
}

const OpRecord kRecords[] = {
    {.name = "Conv2D",
     .inputs = "input: T; filter: T",
     .outputs = "output: T",
     .attrs = "T: type in [half, bfloat16, float, double, int32]; strides: "
              "list(int); use_cudnn_on_gpu: bool = True; padding: string in "
              "[SAME, VALID, EXPLICIT]; explicit_paddings: list(int) = []; "
              "data_format: string in [NHWC, NCHW] = 'NHWC'; dilations: "
              "list(int) = [1, 1, 1, 1]",
     .traits = kExpensive,
     .shape = ConvShape<false>,
     .kernel = {.compute = OfImages<ComputeConv<false>>},
     .gradient = ConvGradient<Dense>,
     .flops = ConvFlops,
     .doc = "The convolution of images with a filter of height, width, input "
            "and output channels."},

    {.name = "Conv2DBackpropInput",
     .inputs = "input_sizes: int32; filter: T; out_backprop: T",
     .outputs = "output: T",
     .attrs = "T: type in [half, bfloat16, float, double, int32]; strides: "
              "list(int); use_cudnn_on_gpu: bool = True; padding: string in "
              "[SAME, VALID, EXPLICIT]; explicit_paddings: list(int) = []; "
              "data_format: string in [NHWC, NCHW] = 'NHWC'; dilations: "
              "list(int) = [1, 1, 1, 1]",
     .traits = kExpensive,
     .shape = DenseInputShape,
     .kernel = {.compute = ToImages<ComputeBackpropInput<false>>},
     .gradient = BackpropInputGradient<Dense>,
     .flops = ConvInputFlops,
     .doc = "The gradient of a convolution with respect to its images."},

    {.name = "Conv2DBackpropFilter",
     .inputs = "input: T; filter_sizes: int32; out_backprop: T",
     .outputs = "output: T",
     .attrs = "T: type in [half, bfloat16, float, double]; strides: "
              "list(int); use_cudnn_on_gpu: bool = True; padding: string in "
              "[SAME, VALID, EXPLICIT]; explicit_paddings: list(int) = []; "
              "data_format: string in [NHWC, NCHW] = 'NHWC'; dilations: "
              "list(int) = [1, 1, 1, 1]",
     .traits = kExpensive,
     .shape = BackpropShape<1>,
     .kernel = {.compute = ToFilter<ComputeBackpropFilter<false>>},
     .gradient = BackpropFilterGradient<Dense>,
     .flops = ConvFilterFlops,
     .doc = "The gradient of a convolution with respect to its filter."},

    {.name = "DepthwiseConv2dNative",
     .inputs = "input: T; filter: T",
     .outputs = "output: T",
     .attrs = "T: type in [half, bfloat16, float, double]; strides: "
              "list(int); padding: string in [SAME, VALID, EXPLICIT]; "
              "explicit_paddings: list(int) = []; data_format: string in "
              "[NHWC, NCHW] = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]",
     .traits = kExpensive,
     .shape = ConvShape<true>,
     .kernel = {.compute = OfImages<ComputeConv<true>>},
     .gradient = ConvGradient<Depthwise>,
     .flops = DepthwiseFlops,
     .doc = "A convolution of each channel with filters of its own."},

    {.name = "DepthwiseConv2dNativeBackpropInput",
     .inputs = "input_sizes: int32; filter: T; out_backprop: T",
     .outputs = "output: T",
     .attrs = "T: type in [half, bfloat16, float, double]; strides: "
              "list(int); padding: string in [SAME, VALID, EXPLICIT]; "
              "explicit_paddings: list(int) = []; data_format: string in "
              "[NHWC, NCHW] = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]",
     .traits = kExpensive,
     .shape = BackpropShape<0>,
     .kernel = {.compute = ToImages<ComputeBackpropInput<true>>},
     .gradient = BackpropInputGradient<Depthwise>,
     .flops = DepthwiseInputFlops,
     .doc = "The gradient of a depthwise convolution with respect to its "
            "images."},

    {.name = "DepthwiseConv2dNativeBackpropFilter",
     .inputs = "input: T; filter_sizes: int32; out_backprop: T",
     .outputs = "output: T",
     .attrs = "T: type in [half, bfloat16, float, double]; strides: "
              "list(int); padding: string in [SAME, VALID, EXPLICIT]; "
              "explicit_paddings: list(int) = []; data_format: string in "
              "[NHWC, NCHW] = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]",
     .traits = kExpensive,
     .shape = BackpropShape<1>,
     .kernel = {.compute = ToFilter<ComputeBackpropFilter<true>>},
     .gradient = BackpropFilterGradient<Depthwise>,
     .flops = DepthwiseFilterFlops,
     .doc = "The gradient of a depthwise convolution with respect to its "
            "filter."},
};

}  // namespace

GK_REGISTER_OPS(nn_conv)

}  // namespace gk
