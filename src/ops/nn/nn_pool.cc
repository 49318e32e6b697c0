// Max and average pooling of images and volumes with their gradients.
#include "ops/fn/nn_pool.h"

#include <algorithm>

#include "base/thread_pool.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "framework/part_listener.h"
#include "kernels/pool.h"
#include "ops/element_moves.h"
#include "ops/element_type_of.h"
#include "ops/fn/Shape.h"
#include "ops/fn/ZerosLike.h"
#include "ops/nn/channels_first.h"
#include "ops/nn/pool_shape.h"
#include "ops/nn/window.h"
#include "ops/op_cost.h"
#include "ops/with_attrs/AvgPool.h"
#include "ops/with_attrs/AvgPool3D.h"
#include "ops/with_attrs/AvgPool3DGrad.h"
#include "ops/with_attrs/AvgPoolGrad.h"
#include "ops/with_attrs/MaxPool3DGrad.h"
#include "ops/with_attrs/MaxPool3DGradGrad.h"
#include "ops/with_attrs/MaxPoolGrad.h"
#include "ops/with_attrs/MaxPoolGradGrad.h"
#include "ops/with_attrs/MaxPoolGradWithArgmax.h"

namespace gk {
namespace {

Parallel AllThreads() { return Parallel(&ThreadPool::Global()); }

// What a kernel can run. Gradients of maxima look at the batch first.
Status CheckWindow(const PoolAttrs& a, bool gradient) {
  const auto misfit = [&] {
    return InvalidArgument(
        "Sliding window ksize must be positive. The specified or "
        "inferred ksize is: {}",
        JoinText(a.window, ","));
  };
  if (!gradient && !IsPositiveWindow(a.window)) return misfit();
  if (a.window[0] != 1 || a.stride[0] != 1) {
    return Unimplemented(
        "Pooling is not yet supported on the batch "
        "dimension.");
  }
  if (!IsPositiveWindow(a.window)) return misfit();
  return CheckPoolStrides(a);
}

enum class PoolKind { kMax, kAverage, kArgmax, kMaxGradient, kAverageGradient };

struct Pool {
  PoolDesc desc;
  TensorShape output;
};

// Pooling over channels, where asked for, sees them as the last spatial dim
// of single-channel images.
StatusOr<Pool> Describe(const KernelContext& c, PoolKind kind, DataType type,
                        const TensorShape& input, int spatial) {
  GK_ASSIGN_OR_RETURN(PoolAttrs a, ReadPoolAttrs(c.attrs(), spatial));
  GK_RETURN_IF_ERROR(CheckWindow(a, kind == PoolKind::kMaxGradient));
  const int rank = spatial + 2;
  if (input.rank() != rank) {
    if (kind == PoolKind::kMax || kind == PoolKind::kAverage) {
      return InvalidArgument("Input must be 4 or 5-dimensional");
    }
    return InvalidArgument("tensor_in must be {}-dimensional", rank);
  }
  const auto element = ElementTypeFor(type);
  if (!element) {
    return c.NoKernel();
  }
  Pool p;
  p.desc.type = *element;
  p.desc.batch = input.dim(0);
  p.desc.channels = input.dim(rank - 1);
  const bool over_depth = a.window[rank - 1] != 1 || a.stride[rank - 1] != 1;
  std::vector<int64_t> out{input.dim(0)};
  for (int i = 0; i < spatial; ++i) {
    const int d = i + 1, at = 3 - spatial + i;
    if (over_depth && (a.window[d] != 1 || a.stride[d] != 1)) {
      return Unimplemented(
          "MaxPooling supports exactly one of pooling across "
          "depth or pooling across width/height.");
    }
    if (a.padding == "EXPLICIT" &&
        (a.pads[2 * d] >= a.window[d] || a.pads[2 * d + 1] >= a.window[d])) {
      return InvalidArgument(
          "Padding of {} and {} must be smaller than the "
          "window of {}",
          a.pads[2 * d], a.pads[2 * d + 1], a.window[d]);
    }
    GK_ASSIGN_OR_RETURN(
        WindowDim dim,
        SlideWindow(input.dim(d), a.window[d], a.stride[d], 1, a.padding,
                    a.pads[2 * d], a.pads[2 * d + 1]));
    p.desc.in[at] = input.dim(d);
    p.desc.out[at] = dim.out;
    p.desc.window[at] = a.window[d];
    p.desc.stride[at] = a.stride[d];
    p.desc.pad[at] = dim.pad;
    out.push_back(dim.out);
  }
  out.push_back(p.desc.channels);
  if (over_depth) {
    const int64_t window = a.window[rank - 1], depth = p.desc.channels;
    if (depth % window != 0) {
      return Unimplemented(
          "Depthwise max pooling requires the depth window to "
          "evenly divide the input depth");
    }
    if (a.stride[rank - 1] != window) {
      return Unimplemented(
          "Depthwise max pooling requires the depth window to "
          "equal the depth stride");
    }
    PoolDesc flat{
        .type = *element, .batch = input.num_elements(), .channels = 1};
    if (depth > 0) flat.batch /= depth;
    flat.in[2] = depth;
    flat.out[2] = depth / window;
    flat.window[2] = flat.stride[2] = window;
    p.desc = flat;
    out.back() = depth / window;
  }
  GK_ASSIGN_OR_RETURN(p.output, TensorShape::Make(out));
  return p;
}

template <int kSpatial, bool kMax>
Status ComputePool(KernelContext& c) {
  constexpr PoolKind kKind = kMax ? PoolKind::kMax : PoolKind::kAverage;
  const Tensor& x = c.input(0);
  GK_ASSIGN_OR_RETURN(Pool p,
                      Describe(c, kKind, x.dtype(), x.shape(), kSpatial));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), p.output, &out));
  if (p.output.num_elements() == 0) return OkStatus();
  return kMax ? MaxPool(p.desc, x.raw_data(), out->raw_data(), AllThreads())
              : AvgPool(p.desc, x.raw_data(), out->raw_data(), AllThreads());
}

Status CheckSameShape(const char* what, const char* argument,
                      const TensorShape& expected, const TensorShape& got) {
  if (expected == got) return OkStatus();
  if (got.rank() != expected.rank()) {
    return InvalidArgument("{} must be {}-dimensional", argument,
                           expected.rank());
  }
  return InvalidArgument("Expected {} shape to be {}, but got {}", what,
                         expected.DebugString(), got.DebugString());
}

// Of images, the first of equal maxima counts; of volumes, all do, as in
// TensorFlow, which compares those with the maxima given.
template <int kSpatial>
Status ComputeMaxGrad(KernelContext& c) {
  const Tensor &x = c.input(0), &y = c.input(1), &dy = c.input(2);
  GK_ASSIGN_OR_RETURN(Pool p, Describe(c, PoolKind::kMaxGradient, x.dtype(),
                                       x.shape(), kSpatial));
  GK_RETURN_IF_ERROR(
      CheckSameShape("orig_output", "tensor_out", p.output, y.shape()));
  GK_RETURN_IF_ERROR(
      CheckSameShape("grad", "out_backprop", p.output, dy.shape()));
  if (x.dtype() != dy.dtype()) {
    return c.NoKernel();
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), x.shape(), &out));
  if (x.num_elements() == 0) return OkStatus();
  if (kSpatial == 3) {
    return MaxPoolGradOfEqual(p.desc, x.raw_data(), y.raw_data(), dy.raw_data(),
                              out->raw_data(), AllThreads());
  }
  return MaxPoolGrad(p.desc, x.raw_data(), dy.raw_data(), out->raw_data(),
                     AllThreads(),
                     PartListener::Of(out->raw_data(), out->byte_size()));
}

template <int kSpatial>
Status ComputeMaxGradGrad(KernelContext& c) {
  const Tensor &x = c.input(0), &y = c.input(1), &d = c.input(2);
  GK_ASSIGN_OR_RETURN(Pool p, Describe(c, PoolKind::kMaxGradient, x.dtype(),
                                       x.shape(), kSpatial));
  if (kSpatial == 3 && x.num_elements() == 0) {  // as TensorFlow
    return InvalidArgument("received empty tensor tensor_in: {}",
                           x.shape().DebugString());
  }
  GK_RETURN_IF_ERROR(
      CheckSameShape("orig_output", "tensor_out", p.output, y.shape()));
  GK_RETURN_IF_ERROR(
      CheckSameShape("grad", "out_grad_backprop", x.shape(), d.shape()));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), p.output, &out));
  if (p.output.num_elements() == 0) return OkStatus();
  return MaxPoolGradGrad(p.desc, x.raw_data(), y.raw_data(), d.raw_data(),
                         out->raw_data(), AllThreads());
}

Status ComputeArgmax(KernelContext& c) {
  const Tensor& x = c.input(0);
  GK_ASSIGN_OR_RETURN(Pool p,
                      Describe(c, PoolKind::kArgmax, x.dtype(), x.shape(), 2));
  if (x.num_elements() == 0) {
    return InvalidArgument("tensor_in must not be empty (2)");
  }
  Tensor *values, *positions;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), p.output, &values));
  GK_RETURN_IF_ERROR(
      c.Allocate(1, c.attr<DataType>("Targmax"), p.output, &positions));
  const int64_t n = p.output.num_elements();
  if (n == 0) return OkStatus();
  std::vector<int64_t> places(n);
  GK_RETURN_IF_ERROR(
      MaxPoolArgmax(p.desc, x.raw_data(), true, places.data(), AllThreads()));
  // Of windows without a maximum, of infinities or no numbers, too.
  GK_RETURN_IF_ERROR(VisitMoved(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = static_cast<const T*>(x.raw_data());
    T* to = static_cast<T*>(values->raw_data());
    for (int64_t i = 0; i < n; ++i) to[i] = from[places[i]];
  }));
  if (!c.attr<bool>("include_batch_in_index")) {
    const int64_t image = x.num_elements() / x.dim(0);
    for (int64_t& place : places) place %= image;
  }
  if (positions->dtype() == DataType::kInt64) {
    std::copy(places.begin(), places.end(), positions->data<int64_t>());
  } else {
    std::copy(places.begin(), places.end(), positions->data<int32_t>());
  }
  return OkStatus();
}

template <int kSpatial>
Status ComputeAvgGrad(KernelContext& c) {
  const Tensor &sizes = c.input(0), &dy = c.input(1);
  if (sizes.rank() != 1 || sizes.dim(0) != kSpatial + 2) {
    return InvalidArgument(
        "out_backprop must be a 1-dimensional tensor of {} elements but got {}",
        kSpatial + 2, sizes.shape().DebugString());
  }
  std::vector<int64_t> dims(sizes.flat<int32_t>().begin(),
                            sizes.flat<int32_t>().end());
  for (const int64_t size : dims) {
    if (size >= 0) continue;
    return InvalidArgument("Expected a non-negative size, got {}", size);
  }
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  GK_ASSIGN_OR_RETURN(Pool p, Describe(c, PoolKind::kAverageGradient,
                                       dy.dtype(), shape, kSpatial));
  GK_RETURN_IF_ERROR(
      CheckSameShape("grad", "out_backprop", p.output, dy.shape()));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, dy.dtype(), shape, &out));
  if (shape.num_elements() == 0) return OkStatus();
  return AvgPoolGrad(p.desc, dy.raw_data(), out->raw_data(), AllThreads());
}

template <int kSpatial>
Status AvgGradShape(InferenceContext& c) {
  PartialTensorShape shape = c.ValueAsShape(0);
  if (shape.unknown_rank()) {
    shape = PartialTensorShape::UnknownOfRank(kSpatial + 2);
  }
  if (shape.rank() != kSpatial + 2) {
    return InvalidArgument("Shape must be rank {} but is rank {}", kSpatial + 2,
                           shape.rank());
  }
  c.set_output(0, shape);
  return OkStatus();
}

OpAttrs AttrsOfPool(const GradContext& g) {
  return OpAttrs(SharedAttrs(g.attrs(), {"ksize", "strides", "padding",
                                         "explicit_paddings", "data_format"}));
}

using PoolGradOp = Tensor (*)(OpAttrs, const Tensor&, const Tensor&,
                              const Tensor&);

template <PoolGradOp kGrad>
void MaxPoolGradient(GradContext& g) {
  g.Set(0, kGrad(AttrsOfPool(g), g.x(0), g.y(0), g.dy(0)));
}

// The shape of the input, of that rank.
template <int kRank>
Status LikeInput(InferenceContext& c) {
  PartialTensorShape x;
  GK_RETURN_IF_ERROR(c.WithRank(0, kRank, &x));
  c.set_output(0, std::move(x));
  return OkStatus();
}

// Linear in the gradient alone, and the gradient's is so in turn.
template <PoolGradOp kOther>
void MaxPoolGradGradient(GradContext& g) {
  // The places of the maxima are given: nothing depends on the others.
  for (int i = 0; i < 2; ++i) {
    if (g.wants(i)) g.Set(i, ops::ZerosLike(g.x(i)));
  }
  if (!g.wants(2)) return;
  OpAttrs attrs = AttrsOfPool(g);
  attrs.attrs.Remove("explicit_paddings");  // only the gradient itself has it
  g.Set(2, kOther(std::move(attrs), g.x(0), g.x(1), g.dy(0)));
}

template <Tensor (*kGrad)(OpAttrs, const Tensor&, const Tensor&)>
void AvgPoolGradient(GradContext& g) {
  const Tensor shape = ops::Shape(g.x(0), DataType::kInt32);
  g.Set(0, kGrad(AttrsOfPool(g), shape, g.dy(0)));
}

template <Tensor (*kForward)(OpAttrs, const Tensor&)>
void AvgPoolGradGradient(GradContext& g) {
  g.Set(1, kForward(AttrsOfPool(g), g.dy(0)));
}

template <ComputeFn kCompute>
constexpr ComputeFn Pooling =
    EitherOrder<kCompute, ImagePart::kImages, ImagePart::kImages>;
// With channels first, windows move over places alone; TensorFlow refuses all.
template <ComputeFn kCompute>
Status OfThree(KernelContext& c) {
  const auto& window = c.attr<std::vector<int64_t>>("ksize");
  const auto& stride = c.attr<std::vector<int64_t>>("strides");
  if (IsChannelsFirst(c.attrs()) && window.size() > 1 && stride.size() > 1 &&
      (window[1] != 1 || stride[1] != 1)) {
    return InvalidArgument(
        "Default MaxPoolingGradOp only supports NHWC on device type CPU");
  }
  return EitherOrder<kCompute, ImagePart::kImages, ImagePart::kImages,
                     ImagePart::kImages, ImagePart::kImages>(c);
}
template <ComputeFn kCompute>
constexpr ComputeFn OfSizes =
    EitherOrder<kCompute, ImagePart::kImages, ImagePart::kSizes,
                ImagePart::kImages>;

double PoolFlops(const AttrMap& attrs, FlopsShapes, FlopsShapes out) {
  double window = 1;
  if (const auto* sizes = attrs.Get<std::vector<int64_t>>("ksize")) {
    for (const int64_t size : *sizes) window *= static_cast<double>(size);
  }
  return window * ElementsOf(out[0]);
}

const OpRecord kRecords[] = {
    {.name = "MaxPool",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type in [half, bfloat16, float, double, int32, int64, uint8, "
              "int16, int8, uint16, qint8] = float; ksize: list(int) >= 4; "
              "strides: list(int) >= 4; padding: string in [SAME, VALID, "
              "EXPLICIT]; explicit_paddings: list(int) = []; data_format: "
              "string in [NHWC, NCHW, NCHW_VECT_C] = 'NHWC'",
     .traits = kExpensive,
     .shape = PoolShape<2, true>,
     .kernel = {.compute = Pooling<ComputePool<2, true>>},
     .gradient = MaxPoolGradient<ops::MaxPoolGrad>,
     .flops = PoolFlops,
     .doc = "The maxima of windows sliding over images."},

    {.name = "MaxPoolGrad",
     .inputs = "orig_input: T; orig_output: T; grad: T",
     .outputs = "output: T",
     .attrs = "ksize: list(int) >= 4; strides: list(int) >= 4; padding: string "
              "in [SAME, VALID, EXPLICIT]; explicit_paddings: list(int) = []; "
              "data_format: string in [NHWC, NCHW] = 'NHWC'; T: type in "
              "[float, double, int32, uint8, int16, int8, int64, bfloat16, "
              "uint16, half, uint32, uint64] = float",
     .traits = kExpensive,
     .shape = LikeInput<4>,
     .kernel = {.compute = OfThree<ComputeMaxGrad<2>>},
     .gradient = MaxPoolGradGradient<ops::MaxPoolGradGrad>,
     .doc = "The gradient of max pooling."},

    {.name = "MaxPoolGradGrad",
     .inputs = "orig_input: T; orig_output: T; grad: T",
     .outputs = "output: T",
     .attrs = "ksize: list(int) >= 4; strides: list(int) >= 4; padding: string "
              "in [SAME, VALID]; data_format: string in [NHWC, NCHW] = 'NHWC'; "
              "T: type in [float, double, int32, uint8, int16, int8, int64, "
              "bfloat16, uint16, half, uint32, uint64]",
     .traits = kExpensive,
     .shape = LikeOutputShape<2, true>,
     .kernel = {.compute = OfThree<ComputeMaxGradGrad<2>>},
     .gradient = MaxPoolGradGradient<ops::MaxPoolGrad>,
     .doc = "The gradient of the gradient of max pooling."},

    {.name = "MaxPoolWithArgmax",
     .inputs = "input: T",
     .outputs = "output: T; argmax: Targmax",
     .attrs = "ksize: list(int) >= 4; strides: list(int) >= 4; Targmax: type "
              "in [int32, int64] = int64; padding: string in [SAME, VALID]; "
              "include_batch_in_index: bool = False; T: type in [float, "
              "double, int32, uint8, int16, int8, int64, bfloat16, uint16, "
              "half, uint32, uint64]",
     .traits = kExpensive,
     .shape = PoolShape<2, true>,
     .kernel = {.compute = ComputeArgmax},
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::MaxPoolGradWithArgmax(
                        OpAttrs(SharedAttrs(g.attrs(),
                                            {"ksize", "strides", "padding",
                                             "include_batch_in_index"})),
                        g.x(0), g.dy(0), g.y(1)));
         },
     .doc = "The maxima of windows sliding over images and where they are."},

    {.name = "AvgPool",
     .inputs = "value: T",
     .outputs = "output: T",
     .attrs = "ksize: list(int) >= 4; strides: list(int) >= 4; padding: string "
              "in [SAME, VALID]; data_format: string in [NHWC, NCHW] = 'NHWC'; "
              "T: type in [half, bfloat16, float, double]",
     .traits = kExpensive,
     .shape = PoolShape<2, false>,
     .kernel = {.compute = Pooling<ComputePool<2, false>>},
     .gradient = AvgPoolGradient<ops::AvgPoolGrad>,
     .flops = PoolFlops,
     .doc = "The averages of windows sliding over images."},

    {.name = "AvgPoolGrad",
     .inputs = "orig_input_shape: int32; grad: T",
     .outputs = "output: T",
     .attrs = "ksize: list(int) >= 4; strides: list(int) >= 4; padding: string "
              "in [SAME, VALID]; data_format: string in [NHWC, NCHW] = 'NHWC'; "
              "T: type in [half, bfloat16, float, double]",
     .traits = kExpensive,
     .shape = AvgGradShape<2>,
     .kernel = {.compute = OfSizes<ComputeAvgGrad<2>>},
     .gradient = AvgPoolGradGradient<ops::AvgPool>,
     .doc = "The gradient of average pooling."},

    {.name = "MaxPool3D",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "ksize: list(int) >= 5; strides: list(int) >= 5; padding: string "
              "in [SAME, VALID]; data_format: string in [NDHWC, NCDHW] = "
              "'NDHWC'; T: type in [half, bfloat16, float]",
     .traits = kExpensive,
     .shape = PoolShape<3, false>,
     .kernel = {.compute = Pooling<ComputePool<3, true>>},
     .gradient = MaxPoolGradient<ops::MaxPool3DGrad>,
     .flops = PoolFlops,
     .doc = "The maxima of windows sliding over volumes.",
     .example = ">>> tf.nn.max_pool3d(tf.ones([1, 2, 2, 2, 1]), 2, 2, "
                "'VALID').numpy().tolist()\n[[[[[1.0]]]]]"},

    {.name = "MaxPool3DGrad",
     .inputs = "orig_input: TInput; orig_output: TInput; grad: T",
     .outputs = "output: T",
     .attrs = "ksize: list(int) >= 5; strides: list(int) >= 5; padding: string "
              "in [SAME, VALID]; data_format: string in [NDHWC, NCDHW] = "
              "'NDHWC'; T: type in [half, bfloat16, float] = float; TInput: "
              "type in [half, bfloat16, float] = float",
     .traits = kExpensive,
     .shape = LikeInput<5>,
     .kernel = {.compute = OfThree<ComputeMaxGrad<3>>},
     .gradient = MaxPoolGradGradient<ops::MaxPool3DGradGrad>,
     .doc = "The gradient of max pooling of volumes."},

    {.name = "MaxPool3DGradGrad",
     .inputs = "orig_input: T; orig_output: T; grad: T",
     .outputs = "output: T",
     .attrs = "ksize: list(int) >= 5; strides: list(int) >= 5; padding: string "
              "in [SAME, VALID]; data_format: string in [NDHWC, NCDHW] = "
              "'NDHWC'; T: type in [float, double, int32, uint8, int16, int8, "
              "int64, bfloat16, uint16, half, uint32, uint64]",
     .traits = kExpensive,
     .shape = LikeOutputShape<3, false>,
     .kernel = {.compute = OfThree<ComputeMaxGradGrad<3>>},
     .gradient = MaxPoolGradGradient<ops::MaxPool3DGrad>,
     .doc = "The gradient of the gradient of max pooling of volumes."},

    {.name = "AvgPool3D",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "ksize: list(int) >= 5; strides: list(int) >= 5; padding: string "
              "in [SAME, VALID]; data_format: string in [NDHWC, NCDHW] = "
              "'NDHWC'; T: type in [half, bfloat16, float, double]",
     .traits = kExpensive,
     .shape = PoolShape<3, false>,
     .kernel = {.compute = Pooling<ComputePool<3, false>>},
     .gradient = AvgPoolGradient<ops::AvgPool3DGrad>,
     .flops = PoolFlops,
     .doc = "The averages of windows sliding over volumes.",
     .example = ">>> tf.nn.avg_pool3d(tf.ones([1, 2, 2, 2, 1]), 2, 2, "
                "'VALID').numpy().tolist()\n[[[[[1.0]]]]]"},

    {.name = "AvgPool3DGrad",
     .inputs = "orig_input_shape: int32; grad: T",
     .outputs = "output: T",
     .attrs = "ksize: list(int) >= 5; strides: list(int) >= 5; padding: string "
              "in [SAME, VALID]; data_format: string in [NDHWC, NCDHW] = "
              "'NDHWC'; T: type in [half, bfloat16, float, double]",
     .traits = kExpensive,
     .shape = AvgGradShape<3>,
     .kernel = {.compute = OfSizes<ComputeAvgGrad<3>>},
     .gradient = AvgPoolGradGradient<ops::AvgPool3D>,
     .doc = "The gradient of average pooling of volumes."},
};

}  // namespace

GK_REGISTER_OPS(nn_pool)

}  // namespace gk
