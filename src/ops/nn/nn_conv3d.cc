// Convolutions of volumes and their gradients, as convolutions of pictures:
// the slices that the filter's depth reaches become channels.
#include "ops/fn/nn_conv3d.h"

#include <utility>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/elementwise.h"
#include "ops/element_moves.h"
#include "ops/element_type_of.h"
#include "ops/int32_attrs.h"
#include "ops/nn/channels_first.h"
#include "ops/nn/conv_flops.h"
#include "ops/nn/conv_geometry.h"
#include "ops/nn/window.h"
#include "ops/with_attrs/Conv3D.h"
#include "ops/with_attrs/Conv3DBackpropFilterV2.h"
#include "ops/with_attrs/Conv3DBackpropInputV2.h"

namespace gk {
namespace {

struct Volumes {
  int64_t batch = 0;
  int64_t in[3] = {}, filter[3] = {}, out[3] = {};  // depth, height, width
  int64_t stride[3] = {}, dilation[3] = {}, pad[3] = {};
  int64_t in_c = 0, filter_in = 0, out_c = 0;

  int64_t groups() const { return in_c / filter_in; }
  // The slice of the input at place `tap` of the filter; -1: padding.
  int64_t SliceAt(int64_t od, int64_t tap) const {
    const int64_t at = od * stride[0] - pad[0] + tap * dilation[0];
    return at >= 0 && at < in[0] ? at : -1;
  }
};

// The attrs of a dimension of a window, given for all dimensions.
Status ReadAttr(const AttrMap& attrs, std::string_view name, bool zero_is_bad,
                int64_t* values) {
  const auto* all = attrs.Get<std::vector<int64_t>>(name);
  if (all == nullptr || all->size() != 5) {
    return InvalidArgument("Sliding window {} field must specify 5 dimensions",
                           name);
  }
  if ((*all)[0] != 1 || (*all)[4] != 1) {
    return InvalidArgument(
        "Current implementation does not yet support {} in "
        "the batch and depth dimensions.",
        name);
  }
  for (int i = 0; i < 3; ++i) {
    values[i] = (*all)[i + 1];
    if (zero_is_bad && values[i] <= 0) {
      return InvalidArgument("Spatial {} should be larger than 0.", name);
    }
  }
  return OkStatus();
}

StatusOr<Volumes> Describe(const AttrMap& attrs, const TensorShape& input,
                           const TensorShape& filter) {
  if (input.rank() != 5) {
    return InvalidArgument("input must be 5-dimensional: {}",
                           input.DebugString());
  }
  if (filter.rank() != 5) {
    return InvalidArgument("filter must be 5-dimensional: {}",
                           filter.DebugString());
  }
  Volumes v;
  GK_RETURN_IF_ERROR(ReadAttr(attrs, "strides", true, v.stride));
  GK_RETURN_IF_ERROR(ReadAttr(attrs, "dilations", true, v.dilation));
  const auto* padding = attrs.Get<std::string>("padding");
  v.batch = input.dim(0);
  v.in_c = input.dim(4);
  v.filter_in = filter.dim(3);
  v.out_c = filter.dim(4);
  if (v.filter_in <= 0 || v.in_c <= 0 || v.in_c % v.filter_in != 0 ||
      v.out_c % (v.in_c / v.filter_in) != 0) {
    return InvalidArgument(
        "input depth must be evenly divisible by filter "
        "depth: {} vs {}",
        v.in_c, v.filter_in);
  }
  for (int i = 0; i < 3; ++i) {
    v.in[i] = input.dim(i + 1);
    v.filter[i] = filter.dim(i);
    GK_ASSIGN_OR_RETURN(
        const WindowDim d,
        SlideWindow(v.in[i], v.filter[i], v.stride[i], v.dilation[i],
                    padding ? *padding : "VALID"));
    v.out[i] = d.out;
    v.pad[i] = d.pad;
  }
  return v;
}

// The convolution of pictures [batch * out depth, height, width, channels
// below every tap], channels by groups.
StatusOr<Conv2DDesc> Flat(const Volumes& v, DataType type, ConvPass pass) {
  const auto element = ElementTypeFor(type);
  if (!element) return Unimplemented("Convolution of {}", DataTypeString(type));
  Conv2DDesc d{.type = *element, .pass = pass};
  d.batch = v.batch * v.out[0];
  d.in_h = v.in[1];
  d.in_w = v.in[2];
  d.in_c = v.in_c * v.filter[0];
  d.filter_h = v.filter[1];
  d.filter_w = v.filter[2];
  d.out_h = v.out[1];
  d.out_w = v.out[2];
  d.out_c = v.out_c;
  d.stride_h = v.stride[1];
  d.stride_w = v.stride[2];
  d.dilation_h = v.dilation[1];
  d.dilation_w = v.dilation[2];
  d.pad_top = v.pad[1];
  d.pad_left = v.pad[2];
  d.groups = v.groups();
  return d;
}

// The same volumes as they are.
StatusOr<Conv2DDesc> Whole(const Volumes& v, DataType type, ConvPass pass) {
  GK_ASSIGN_OR_RETURN(Conv2DDesc d, Flat(v, type, pass));
  d.batch = v.batch;
  d.in_c = v.in_c;
  d.in_d = v.in[0];
  d.filter_d = v.filter[0];
  d.out_d = v.out[0];
  d.stride_d = v.stride[0];
  d.dilation_d = v.dilation[0];
  d.pad_front = v.pad[0];
  return d;
}

// Is there a kernel for the volumes as they are? Then it has run.
StatusOr<bool> RunWhole(KernelContext& c, const Volumes& v, ConvPass pass,
                        const Tensor& x, const Tensor& y, Tensor* result) {
  GK_ASSIGN_OR_RETURN(const Conv2DDesc d, Whole(v, result->dtype(), pass));
  if (!GetConv2D(d).ok()) return false;
  GK_RETURN_IF_ERROR(RunConv(c, d, x, y, result));
  return true;
}

StatusOr<Tensor> PicturesLike(const Volumes& v, DataType type) {
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(std::array{
                                             v.batch * v.out[0], v.in[1],
                                             v.in[2], v.in_c * v.filter[0]}));
  return Tensor::Allocate(type, shape);
}

// Where slice and picture have the channels of one tap.
struct Place {
  int64_t slice, picture;
};

// Calls fn(place) for each slice that some picture shows.
template <class Fn>
Status ForEachPlace(const Volumes& v, Fn&& fn) {
  const int64_t area = v.in[1] * v.in[2];
  for (int64_t n = 0; n < v.batch; ++n) {
    for (int64_t od = 0; od < v.out[0]; ++od) {
      for (int64_t tap = 0; tap < v.filter[0]; ++tap) {
        const int64_t at = v.SliceAt(od, tap);
        if (at < 0) continue;
        GK_RETURN_IF_ERROR(
            fn(Place{(n * v.in[0] + at) * area * v.in_c,
                     (n * v.out[0] + od) * area * v.in_c * v.filter[0] +
                         tap * v.filter_in}));
      }
    }
  }
  return OkStatus();
}

// A slice [height * width, groups, channels] and its part of a picture.
StridedBox SliceBox(const Volumes& v, bool to_picture) {
  const int64_t wide = v.in_c * v.filter[0];
  const int64_t group = v.filter_in * v.filter[0];
  StridedBox box;
  const auto axis = [&](int64_t extent, int64_t slice, int64_t picture) {
    if (to_picture)
      box.AddAxis(extent, slice, picture);
    else
      box.AddAxis(extent, picture, slice);
  };
  axis(v.in[1] * v.in[2], v.in_c, wide);
  axis(v.groups(), v.filter_in, group);
  axis(v.filter_in, 1, 1);
  return box;
}

StatusOr<Tensor> PicturesOf(const Volumes& v, const Tensor& input) {
  GK_ASSIGN_OR_RETURN(Tensor pictures, PicturesLike(v, input.dtype()));
  ZeroElements(&pictures);
  const StridedBox box = SliceBox(v, true);
  GK_RETURN_IF_ERROR(ForEachPlace(v, [&](const Place& p) {
    return CopyBox(box, input, p.slice, &pictures, p.picture);
  }));
  return pictures;
}

// [depth, height * width, in, out] and [height * width, depth, in, out].
Status SwapFilterAxes(const Volumes& v, bool to_flat, const Tensor& from,
                      Tensor* to) {
  const int64_t area = v.filter[1] * v.filter[2];
  const int64_t inner = v.filter_in * v.out_c;
  StridedBox box;
  if (to_flat) {
    box.AddAxis(area, inner, v.filter[0] * inner);
    box.AddAxis(v.filter[0], area * inner, inner);
  } else {
    box.AddAxis(v.filter[0], inner, area * inner);
    box.AddAxis(area, v.filter[0] * inner, inner);
  }
  box.AddAxis(inner, 1, 1);
  if (to->num_elements() == 0) return OkStatus();
  return CopyBox(box, from, 0, to, 0);
}

StatusOr<Tensor> FlatFilter(const Volumes& v, const Tensor& filter) {
  GK_ASSIGN_OR_RETURN(
      Tensor flat,
      Tensor::Allocate(filter.dtype(),
                       TensorShape({v.filter[1], v.filter[2],
                                    v.filter[0] * v.filter_in, v.out_c})));
  GK_RETURN_IF_ERROR(SwapFilterAxes(v, true, filter, &flat));
  return flat;
}

StatusOr<TensorShape> OutputShapeOf(const Volumes& v) {
  return TensorShape::Make(
      std::array{v.batch, v.out[0], v.out[1], v.out[2], v.out_c});
}

Status ComputeConv3D(KernelContext& c) {
  const Tensor &input = c.input(0), &filter = c.input(1);
  GK_ASSIGN_OR_RETURN(Volumes v,
                      Describe(c.attrs(), input.shape(), filter.shape()));
  if (filter.num_elements() == 0) {
    return InvalidArgument(
        "filter must not have zero elements (i.e. all "
        "dimensions must be non-zero), but its shape is {}",
        filter.shape().DebugString());
  }
  GK_ASSIGN_OR_RETURN(TensorShape shape, OutputShapeOf(v));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, input.dtype(), shape, &out));
  if (out->num_elements() == 0) return OkStatus();
  GK_ASSIGN_OR_RETURN(const bool done,
                      RunWhole(c, v, ConvPass::kForward, input, filter, out));
  if (done) return OkStatus();
  GK_ASSIGN_OR_RETURN(Tensor pictures, PicturesOf(v, input));
  GK_ASSIGN_OR_RETURN(Tensor flat, FlatFilter(v, filter));
  GK_ASSIGN_OR_RETURN(Conv2DDesc d, Flat(v, input.dtype(), ConvPass::kForward));
  return RunConv(c, d, pictures, flat, out);
}

StatusOr<TensorShape> ShapeFrom(const Tensor& sizes) {
  if (sizes.rank() != 1) {
    return InvalidArgument("sizes must be 1-dimensional: {}",
                           sizes.shape().DebugString());
  }
  std::vector<int64_t> dims;
  GK_RETURN_IF_ERROR(IntegerValues(sizes, &dims));
  return TensorShape::Make(dims);
}

Status CheckGradient(const Volumes& v, const Tensor& dy) {
  GK_ASSIGN_OR_RETURN(TensorShape shape, OutputShapeOf(v));
  if (dy.shape() == shape) return OkStatus();
  return InvalidArgument("out_backprop has shape {}, expected {}",
                         dy.shape().DebugString(), shape.DebugString());
}

Status ComputeInputGradient(KernelContext& c) {
  const Tensor &filter = c.input(1), &dy = c.input(2);
  GK_ASSIGN_OR_RETURN(TensorShape shape, ShapeFrom(c.input(0)));
  GK_ASSIGN_OR_RETURN(Volumes v, Describe(c.attrs(), shape, filter.shape()));
  GK_RETURN_IF_ERROR(CheckGradient(v, dy));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, dy.dtype(), shape, &out));
  if (out->num_elements() > 0 && dy.num_elements() > 0 &&
      filter.num_elements() > 0) {
    GK_ASSIGN_OR_RETURN(
        const bool done,
        RunWhole(c, v, ConvPass::kBackwardInput, dy, filter, out));
    if (done) return OkStatus();
  }
  ZeroElements(out);
  if (out->num_elements() == 0 || dy.num_elements() == 0) return OkStatus();
  GK_ASSIGN_OR_RETURN(Tensor flat, FlatFilter(v, filter));
  GK_ASSIGN_OR_RETURN(Tensor pictures, PicturesLike(v, dy.dtype()));
  GK_ASSIGN_OR_RETURN(Conv2DDesc d,
                      Flat(v, dy.dtype(), ConvPass::kBackwardInput));
  GK_RETURN_IF_ERROR(RunConv(c, d, dy, flat, &pictures));
  // What several pictures show of a slice is added up.
  GK_ASSIGN_OR_RETURN(
      Tensor part,
      Tensor::Allocate(dy.dtype(), TensorShape({v.in[1] * v.in[2] * v.in_c})));
  const StridedBox box = SliceBox(v, false);
  return ForEachPlace(v, [&](const Place& p) -> Status {
    GK_RETURN_IF_ERROR(CopyBox(box, pictures, p.picture, &part, 0));
    VisitType<float, double, half, bfloat16>(dy.dtype(), [&](auto tag) {
      using T = decltype(tag);
      using C = ComputeType<T>;
      T* sums = out->data<T>() + p.slice;
      const T* parts = part.data<T>();
      for (int64_t i = 0; i < part.num_elements(); ++i) {
        sums[i] = Convert<T>(C(Convert<C>(sums[i]) + Convert<C>(parts[i])));
      }
    });
    return OkStatus();
  });
}

Status ComputeFilterGradient(KernelContext& c) {
  const Tensor &input = c.input(0), &dy = c.input(2);
  GK_ASSIGN_OR_RETURN(TensorShape shape, ShapeFrom(c.input(1)));
  GK_ASSIGN_OR_RETURN(Volumes v, Describe(c.attrs(), input.shape(), shape));
  GK_RETURN_IF_ERROR(CheckGradient(v, dy));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, dy.dtype(), shape, &out));
  if (out->num_elements() > 0 && dy.num_elements() > 0 &&
      input.num_elements() > 0) {
    GK_ASSIGN_OR_RETURN(
        const bool done,
        RunWhole(c, v, ConvPass::kBackwardFilter, input, dy, out));
    if (done) return OkStatus();
  }
  ZeroElements(out);
  if (out->num_elements() == 0 || dy.num_elements() == 0) return OkStatus();
  GK_ASSIGN_OR_RETURN(Tensor pictures, PicturesOf(v, input));
  GK_ASSIGN_OR_RETURN(
      Tensor flat,
      Tensor::Allocate(dy.dtype(),
                       TensorShape({v.filter[1], v.filter[2],
                                    v.filter[0] * v.filter_in, v.out_c})));
  GK_ASSIGN_OR_RETURN(Conv2DDesc d,
                      Flat(v, dy.dtype(), ConvPass::kBackwardFilter));
  GK_RETURN_IF_ERROR(RunConv(c, d, pictures, dy, &flat));
  return SwapFilterAxes(v, false, flat, out);
}

Status Conv3DShape(InferenceContext& c) {
  PartialTensorShape input, filter;
  GK_RETURN_IF_ERROR(c.WithRank(0, 5, &input));
  GK_RETURN_IF_ERROR(c.WithRank(1, 5, &filter));
  const bool channels_first = IsChannelsFirst(c.attrs());
  const int first = channels_first ? 2 : 1;
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"strides", "dilations"}));
  const auto strides = c.attr<std::vector<int64_t>>("strides");
  const auto dilations = c.attr<std::vector<int64_t>>("dilations");
  if (strides.size() != 5 || dilations.size() != 5) {
    return InvalidArgument(
        "Sliding window strides and dilations must specify "
        "5 dimensions");
  }
  for (int i = 0; i < 3; ++i) {
    if (strides[first + i] <= 0) {
      return InvalidArgument("Stride must be > 0, but got {}",
                             strides[first + i]);
    }
    if (dilations[first + i] < 1) {
      return InvalidArgument("Dilation rate must be >= 1, but got {}",
                             dilations[first + i]);
    }
  }
  const int64_t in_c = input.dim(channels_first ? 1 : 4);
  const int64_t filter_in = filter.dim(3);
  if (in_c >= 0 && filter_in > 0 && in_c % filter_in != 0) {
    return InvalidArgument(
        "Depth of input ({}) is not a multiple of input depth of filter ({})",
        in_c, filter_in);
  }
  GK_RETURN_IF_ERROR(CheckConvGroups(in_c, filter_in, filter.dim(4)));
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(5);
  out.SetDim(0, input.dim(0));
  out.SetDim(channels_first ? 1 : 4, filter.dim(4));
  for (int i = 0; i < 3; ++i) {
    const int at = first + i;
    if (input.dim(at) < 0 || filter.dim(i) < 0) continue;
    GK_ASSIGN_OR_RETURN(
        const WindowDim d,
        SlideWindow(input.dim(at), filter.dim(i), strides[at], dilations[at],
                    c.attr<std::string>("padding")));
    out.SetDim(at, d.out);
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

template <int kSizes>
Status GradientShape(InferenceContext& c) {
  PartialTensorShape out = c.ValueAsShape(kSizes);
  if (out.unknown_rank()) out = PartialTensorShape::UnknownOfRank(5);
  if (out.rank() != 5) {
    return InvalidArgument("Shape must be rank 5 but is rank {}", out.rank());
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

OpAttrs AttrsOfConv3D(const GradContext& g) {
  return OpAttrs(SharedAttrs(
      g.attrs(), {"strides", "padding", "data_format", "dilations"}));
}

Tensor Forward(GradContext& g, const Tensor& x, const Tensor& filter) {
  return ops::Conv3D(AttrsOfConv3D(g), x, filter);
}
Tensor OfInput(GradContext& g, const Tensor& x, const Tensor& filter,
               const Tensor& dy) {
  return ops::Conv3DBackpropInputV2(AttrsOfConv3D(g), ShapeTensor(x), filter,
                                    dy);
}
Tensor OfFilter(GradContext& g, const Tensor& x, const Tensor& filter,
                const Tensor& dy) {
  return ops::Conv3DBackpropFilterV2(AttrsOfConv3D(g), x, ShapeTensor(filter),
                                     dy);
}

constexpr ComputeFn OfVolumes =
    EitherOrder<ComputeConv3D, ImagePart::kImages, ImagePart::kImages,
                ImagePart::kOther>;
constexpr ComputeFn ToVolumes =
    EitherOrder<ComputeInputGradient, ImagePart::kImages, ImagePart::kSizes,
                ImagePart::kOther, ImagePart::kImages>;
constexpr ComputeFn ToFilterOfVolumes =
    EitherOrder<ComputeFilterGradient, ImagePart::kOther, ImagePart::kImages,
                ImagePart::kOther, ImagePart::kImages>;

#define CONV3D_ATTRS                                                      \
  "T: type in [half, bfloat16, float, double]; strides: list(int) >= 5; " \
  "padding: string in [SAME, VALID]; data_format: string in [NDHWC, "     \
  "NCDHW] = 'NDHWC'; dilations: list(int) = [1, 1, 1, 1, 1]"

const OpRecord kRecords[] = {
    {.name = "Conv3D",
     .inputs = "input: T; filter: T",
     .outputs = "output: T",
     .attrs = CONV3D_ATTRS,
     .traits = kExpensive,
     .shape = Conv3DShape,
     .kernel = {.compute = OfVolumes},
     .gradient =
         [](GradContext& g) {
           const Tensor &x = g.x(0), &filter = g.x(1), dy = g.dy(0);
           if (g.wants(0)) g.Set(0, OfInput(g, x, filter, dy));
           if (g.wants(1)) g.Set(1, OfFilter(g, x, filter, dy));
         },
     .flops = ConvFlops,
     .doc = "The convolution of volumes with a filter of depth, height, width, "
            "input and output channels."},

    {.name = "Conv3DBackpropInputV2",
     .inputs = "input_sizes: Tshape; filter: T; out_backprop: T",
     .outputs = "output: T",
     .attrs = CONV3D_ATTRS "; Tshape: type in [int32, int64] = int32",
     .traits = kExpensive,
     .shape = GradientShape<0>,
     .kernel = {.compute = ToVolumes},
     // All three ops are linear in each argument.
     .gradient =
         [](GradContext& g) {
           const Tensor &filter = g.x(1), &dy = g.x(2), d = g.dy(0);
           if (g.wants(1)) g.Set(1, OfFilter(g, d, filter, dy));
           if (g.wants(2)) g.Set(2, Forward(g, d, filter));
         },
     .flops = ConvInputFlops,
     .doc = "The gradient of a convolution with respect to its volumes."},

    {.name = "Conv3DBackpropFilterV2",
     .inputs = "input: T; filter_sizes: int32; out_backprop: T",
     .outputs = "output: T",
     .attrs = CONV3D_ATTRS,
     .traits = kExpensive,
     .shape = GradientShape<1>,
     .kernel = {.compute = ToFilterOfVolumes},
     .gradient =
         [](GradContext& g) {
           const Tensor &x = g.x(0), &dy = g.x(2), d = g.dy(0);
           if (g.wants(0)) g.Set(0, OfInput(g, x, d, dy));
           if (g.wants(2)) g.Set(2, Forward(g, x, d));
         },
     .flops = ConvFilterFlops,
     .doc = "The gradient of a convolution of volumes with respect to its "
            "filter."},
};

}  // namespace

GK_REGISTER_OPS(nn_conv3d)

}  // namespace gk
