// Convolutions of two or three dimensions by one op, and gradients of
// convolutions whose sizes are those of a tensor.
#include "ops/fn/nn_conv_any.h"

#include "framework/grad_context.h"
#include "ops/element_moves.h"
#include "ops/int32_attrs.h"
#include "ops/nn/delegated.h"
#include "ops/nn/window.h"
#include "ops/with_attrs/Conv2D.h"
#include "ops/with_attrs/Conv2DBackpropFilter.h"
#include "ops/with_attrs/Conv2DBackpropInput.h"

namespace gk {
namespace {

// What the op is for an input of a rank with so many batch dimensions.
struct AnyConv {
  std::string_view op;
  AttrMap attrs;
};

StatusOr<AnyConv> DescribeAnyConv(const AttrMap& given, int rank) {
  const auto read = [&](std::string_view name) {
    const auto* v = given.Get<int64_t>(name);
    return v == nullptr ? int64_t{1} : *v;
  };
  GK_RETURN_IF_ERROR(
      CheckInt32Attrs(given, {"groups", "batch_dims", "strides", "dilations"}));
  const int64_t batch_dims = read("batch_dims");
  if (batch_dims < 0) {
    return InvalidArgument("batch_dims must be non-negative, got {}",
                           batch_dims);
  }
  const int64_t spatial = rank - batch_dims - 1;
  if (spatial != 2 && spatial != 3) {
    return InvalidArgument(
        "The input must have 2 or 3 spatial dimensions but got {}", spatial);
  }
  const auto* format = given.Get<std::string>("data_format");
  const bool first = format != nullptr && *format == "CHANNELS_FIRST";
  if (const auto* strides = given.Get<std::vector<int64_t>>("strides")) {
    const size_t channel = first ? batch_dims : strides->size() - 1;
    if (strides->size() == static_cast<size_t>(spatial) + 2 &&
        ((*strides)[0] != 1 || (*strides)[channel] != 1)) {
      return InvalidArgument(
          "Current implementation does not support strides in the batch and "
          "depth dimensions.");
    }
  }
  AnyConv conv;
  conv.op = spatial == 2 ? "Conv2D" : "Conv3D";
  conv.attrs = SharedAttrs(given, {"strides", "padding"});
  conv.attrs.Set("data_format",
                 std::string(spatial == 2 ? (first ? "NCHW" : "NHWC")
                                          : (first ? "NCDHW" : "NDHWC")));
  const auto* dilations = given.Get<std::vector<int64_t>>("dilations");
  conv.attrs.Set("dilations", dilations == nullptr || dilations->empty()
                                  ? std::vector<int64_t>(spatial + 2, 1)
                                  : *dilations);
  if (spatial == 2) {
    if (const AttrValue* pads = given.Find("explicit_paddings")) {
      conv.attrs.Set("explicit_paddings", *pads);
    }
  }
  return conv;
}

Status ComputeAnyConv(KernelContext& c) {
  const Tensor &x = c.input(0), &filter = c.input(1);
  GK_ASSIGN_OR_RETURN(const AnyConv conv, DescribeAnyConv(c.attrs(), x.rank()));
  if (c.attr<int64_t>("groups") != 1) {
    return Unimplemented(
        "Grouped/Depthwise Convolutions are not supported yet.");
  }
  const int64_t batch_dims = c.attr<int64_t>("batch_dims");
  // Kernels know one batch dimension.
  const int inner = x.rank() - static_cast<int>(batch_dims);
  std::vector<int64_t> dims{1};
  for (int d = 0; d < x.rank(); ++d) {
    if (d < batch_dims)
      dims[0] *= x.dim(d);
    else
      dims.push_back(x.dim(d));
  }
  if (filter.rank() != inner + 1) {
    return InvalidArgument("The filter must be {}-dimensional, got shape {}",
                           inner + 1, filter.shape().DebugString());
  }
  const bool first = c.attr<std::string>("data_format") == "CHANNELS_FIRST";
  const int64_t depth = dims[first ? 1 : inner];
  if (depth != filter.dim(inner - 1)) {
    return InvalidArgument(
        "Input depth must be equal to filter depth: {} vs "
        "{}",
        depth, filter.dim(inner - 1));
  }
  GK_ASSIGN_OR_RETURN(const TensorShape flat, TensorShape::Make(dims));
  const Tensor pictures = x.WithShape(flat);
  const Tensor* in[] = {&pictures, &filter};
  GK_RETURN_IF_ERROR(RunAs(c, conv.op, conv.attrs, in));
  std::vector<int64_t> out;
  for (int d = 0; d < batch_dims; ++d) out.push_back(x.dim(d));
  for (int d = 1; d <= inner; ++d) out.push_back(c.output(0).dim(d));
  GK_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(out));
  c.set_output(0, c.output(0).WithShape(shape));
  return OkStatus();
}

Status CheckGroups(int64_t groups, bool first, const PartialTensorShape& x,
                   const PartialTensorShape& filter) {
  if (filter.unknown_rank() || filter.rank() < 2 ||
      filter.rank() > x.rank() + 1) {
    return OkStatus();
  }
  const int64_t in = x.dim(first ? x.rank() - filter.rank() + 1 : x.rank() - 1);
  const int64_t filter_in = filter.dim(filter.rank() - 2);
  const int64_t out = filter.dim(filter.rank() - 1);
  if (in >= 0 && filter_in > 0 && in / filter_in != groups) {
    return InvalidArgument(
        "Input depth divided by filter input depth does not match with groups "
        "parameter ({})",
        groups);
  }
  if (out < 0 || groups <= 0 || out % groups == 0) return OkStatus();
  return InvalidArgument("Number of groups should divide output depth");
}

Status AnyConvShape(InferenceContext& c) {
  const PartialTensorShape &x = c.input(0), &filter = c.input(1);
  if (x.unknown_rank()) return shape_fn::Unknown(c);
  GK_ASSIGN_OR_RETURN(const AnyConv conv, DescribeAnyConv(c.attrs(), x.rank()));
  const bool first = c.attr<std::string>("data_format") == "CHANNELS_FIRST";
  GK_RETURN_IF_ERROR(CheckGroups(c.attr<int64_t>("groups"), first, x, filter));
  const int64_t batch_dims = c.attr<int64_t>("batch_dims");
  std::vector<int64_t> dims{batch_dims == 1 ? x.dim(0) : kUnknownDim};
  for (int d = static_cast<int>(batch_dims); d < x.rank(); ++d) {
    dims.push_back(x.dim(d));
  }
  const PartialTensorShape in[] = {PartialTensorShape(dims), filter};
  GK_RETURN_IF_ERROR(ShapeAs(c, conv.op, conv.attrs, in));
  const PartialTensorShape made = c.output(0);
  if (made.unknown_rank()) return OkStatus();
  std::vector<int64_t> out;
  for (int d = 0; d < batch_dims; ++d) out.push_back(x.dim(d));
  for (int d = 1; d < made.rank(); ++d) out.push_back(made.dim(d));
  c.set_output(0, PartialTensorShape(out));
  return OkStatus();
}

StatusOr<Tensor> SizesAsTensor(const Tensor& like) {
  std::vector<int64_t> dims(like.shape().dims().begin(),
                            like.shape().dims().end());
  return IntegerTensor(DataType::kInt32, dims, TensorShape({like.rank()}));
}

Status ComputeInputLike(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Tensor sizes, SizesAsTensor(c.input(0)));
  const Tensor* in[] = {&sizes, &c.input(1), &c.input(2)};
  return RunAs(c, "Conv2DBackpropInput", c.attrs(), in);
}

Status ComputeFilterLike(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Tensor sizes, SizesAsTensor(c.input(1)));
  const Tensor* in[] = {&c.input(0), &sizes, &c.input(2)};
  return RunAs(c, "Conv2DBackpropFilter", c.attrs(), in);
}

template <int kLike>
Status LikeShape(InferenceContext& c) {
  PartialTensorShape shape;
  GK_RETURN_IF_ERROR(c.WithRank(kLike, 4, &shape));
  c.set_output(0, shape);
  return OkStatus();
}

OpAttrs BackpropAttrs(const GradContext& g) {
  return OpAttrs(
      SharedAttrs(g.attrs(), {"strides", "padding", "explicit_paddings",
                              "data_format", "dilations", "use_cudnn_on_gpu"}));
}

#define BACKPROP_ATTRS                                                     \
  "strides: list(int); use_cudnn_on_gpu: bool = True; padding: string in " \
  "[SAME, VALID, EXPLICIT]; explicit_paddings: list(int) = []; "           \
  "data_format: string in [NHWC, NCHW] = 'NHWC'; dilations: list(int) = "  \
  "[1, 1, 1, 1]"

#define BACKPROP_ARGS                                                       \
  "input: tensor(T); filter: tensor(T); out_backprop: tensor(T); strides: " \
  "ints; padding: string; use_cudnn_on_gpu: bool = True; "                  \
  "explicit_paddings: ints = []; data_format: string = 'NHWC'; dilations: " \
  "ints = [1, 1, 1, 1]"

const OpRecord kRecords[] = {
    {.name = "Conv",
     .inputs = "input: T; filter: T",
     .outputs = "output: T",
     .attrs = "T: type in [half, bfloat16, float, double, int32]; strides: "
              "list(int); padding: string in [SAME, VALID, EXPLICIT]; "
              "explicit_paddings: list(int) = []; data_format: string in "
              "[CHANNELS_FIRST, CHANNELS_LAST] = 'CHANNELS_LAST'; dilations: "
              "list(int) = []; batch_dims: int = 1; groups: int = 1",
     .traits = kExpensive,
     .shape = AnyConvShape,
     .kernel = {.compute = ComputeAnyConv},
     .python = {.names = "conv",
                .args = "input: tensor(T); filter: tensor(T); strides: ints; "
                        "padding: string; explicit_paddings: ints = []; "
                        "data_format: string = 'CHANNELS_LAST'; dilations: "
                        "ints = []; batch_dims: int = 1; groups: int = 1"},
     .doc = "The convolution of images or volumes, of `batch_dims` batch "
            "dimensions, with a filter [...window, in, out].",
     .example = ">>> tf.conv(tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1]), [1, "
                "1, 1, 1], \"VALID\").numpy().item()\n4.0"},

    {.name = "Conv2DBackpropInputV2",
     .inputs = "input: T; filter: T; out_backprop: T",
     .outputs = "output: T",
     .attrs =
         "T: type in [half, bfloat16, float, double, int32]; " BACKPROP_ATTRS,
     .traits = kExpensive,
     .shape = LikeShape<0>,
     .kernel = {.compute = ComputeInputLike},
     .gradient =
         [](GradContext& g) {
           if (g.wants(1)) {
             g.Set(1, ops::Conv2DBackpropFilter(BackpropAttrs(g), g.dy(0),
                                                ShapeTensor(g.x(1)), g.x(2)));
           }
           if (g.wants(2)) {
             g.Set(2, ops::Conv2D(BackpropAttrs(g), g.dy(0), g.x(1)));
           }
         },
     .python = {.names = "conv2d_backprop_input_v2", .args = BACKPROP_ARGS},
     .doc = "The gradient of a convolution with respect to its images, of the "
            "shape of `input`.",
     .example = ">>> tf.conv2d_backprop_input_v2(tf.ones([1, 2, 2, 1]), "
                "tf.ones([2, 2, 1, 1]), tf.ones([1, 1, 1, 1]), [1, 1, 1, 1], "
                "\"VALID\").numpy().sum().item()\n4.0"},

    {.name = "Conv2DBackpropFilterV2",
     .inputs = "input: T; filter: T; out_backprop: T",
     .outputs = "output: T",
     .attrs = "T: type in [half, bfloat16, float, double]; " BACKPROP_ATTRS,
     .traits = kExpensive,
     .shape = LikeShape<1>,
     .kernel = {.compute = ComputeFilterLike},
     .gradient =
         [](GradContext& g) {
           if (g.wants(0)) {
             g.Set(0,
                   ops::Conv2DBackpropInput(
                       BackpropAttrs(g), ShapeTensor(g.x(0)), g.dy(0), g.x(2)));
           }
           if (g.wants(2)) {
             g.Set(2, ops::Conv2D(BackpropAttrs(g), g.x(0), g.dy(0)));
           }
         },
     .python = {.names = "conv2d_backprop_filter_v2", .args = BACKPROP_ARGS},
     .doc = "The gradient of a convolution with respect to its filter, of the "
            "shape of `filter`.",
     .example = ">>> tf.conv2d_backprop_filter_v2(tf.ones([1, 2, 2, 1]), "
                "tf.ones([2, 2, 1, 1]), tf.ones([1, 1, 1, 1]), [1, 1, 1, 1], "
                "\"VALID\").numpy().sum().item()\n4.0"},
};

}  // namespace

GK_REGISTER_OPS(nn_conv_any)

}  // namespace gk
