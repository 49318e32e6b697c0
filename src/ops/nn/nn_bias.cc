// Biases of channels and the L2 loss.
#include "ops/fn/nn_bias.h"

#include <cstring>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/bias.h"
#include "kernels/reduce.h"
#include "ops/fn/ZerosLike.h"
#include "ops/fn/math_arithmetic.h"
#include "ops/op_cost.h"

namespace gk {
namespace {

#define GK_BIAS_TYPES                                                        \
  half, bfloat16, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, \
      uint16_t, uint32_t, uint64_t, complex64, complex128

// A tensor seen as [outer, channels, inner].
struct Channels {
  int64_t outer = 1, channels = 1, inner = 1;
};

bool ChannelsFirst(const AttrMap& attrs) {
  const auto* format = attrs.Get<std::string>("data_format");
  return format && *format == "NCHW";
}

StatusOr<Channels> ChannelsOf(const Tensor& x, bool first) {
  if (x.rank() < 2) {
    return InvalidArgument("Input tensor must be at least 2D: {}",
                           x.shape().DebugString());
  }
  const int at = first ? 1 : x.rank() - 1;
  Channels sizes{.channels = x.dim(at)};
  for (int i = 0; i < at; ++i) sizes.outer *= x.dim(i);
  for (int i = at + 1; i < x.rank(); ++i) sizes.inner *= x.dim(i);
  return sizes;
}

Status ComputeBiasAdd(KernelContext& c) {
  const Tensor &x = c.input(0), &bias = c.input(1);
  const bool first = ChannelsFirst(c.attrs());
  GK_ASSIGN_OR_RETURN(Channels sizes, ChannelsOf(x, first));
  if (bias.rank() != 1) {
    return InvalidArgument("Biases must be 1D: {}", bias.shape().DebugString());
  }
  if (bias.dim(0) != sizes.channels) {
    return InvalidArgument(
        "Must provide as many biases as the {} dimension of the input tensor: "
        "{} vs. {}",
        first ? "channel" : "last", bias.shape().DebugString(),
        x.shape().DebugString());
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Forward(0, 0, x.dtype(), x.shape(), &out));
  if (x.num_elements() == 0) return OkStatus();
  const bool known = VisitType<GK_BIAS_TYPES>(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    BiasAdd<T>(sizes.outer, sizes.channels, sizes.inner, x.data<T>(),
               bias.data<T>(), out->data<T>());
  });
  return known ? OkStatus() : c.NoKernel();
}

Status BiasAddShape(InferenceContext& c) {
  PartialTensorShape x, bias;
  GK_RETURN_IF_ERROR(
      c.WithRankAtLeast(0, ChannelsFirst(c.attrs()) ? 3 : 2, &x));
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &bias));
  if (x.unknown_rank()) return OkStatus();
  const int at = ChannelsFirst(c.attrs()) ? 1 : x.rank() - 1;
  int64_t channels;
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(x.dim(at), bias.dim(0), &channels));
  x.SetDim(at, channels);
  c.set_output(0, x);
  return OkStatus();
}

Status ComputeBiasAddGrad(KernelContext& c) {
  const Tensor& dy = c.input(0);
  GK_ASSIGN_OR_RETURN(Channels sizes, ChannelsOf(dy, ChannelsFirst(c.attrs())));
  Tensor* out;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, dy.dtype(), TensorShape({sizes.channels}), &out));
  if (dy.num_elements() == 0) {
    std::memset(out->raw_data(), 0, out->byte_size());
    return OkStatus();
  }
  const int64_t extents[] = {sizes.outer, sizes.channels, sizes.inner};
  const bool reduced[] = {true, false, true};
  const ReduceLayout layout = CollapseReduction(extents, reduced);
  const bool known = VisitType<GK_BIAS_TYPES>(dy.dtype(), [&](auto tag) {
    using T = decltype(tag);
    Reduce<T>(ReduceKind::kSum, layout, dy.data<T>(), out->data<T>());
  });
  return known ? OkStatus() : c.NoKernel();
}

Status BiasAddGradShape(InferenceContext& c) {
  PartialTensorShape dy;
  const bool first = ChannelsFirst(c.attrs());
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(0, first ? 3 : 2, &dy));
  if (dy.unknown_rank()) {
    c.set_output(0, {kUnknownDim});
  } else {
    c.set_output(0, {dy.dim(first ? 1 : dy.rank() - 1)});
  }
  return OkStatus();
}

void BiasAddGradient(GradContext& g) {
  const Tensor dy = g.dy(0);
  const std::string format = g.attr<std::string>("data_format");
  if (g.wants(0)) g.Set(0, dy);
  if (g.wants(1)) {
    g.Set(1, ops::BiasAddGrad(dy, format.empty() ? "NHWC" : format));
  }
}

// Repeats the gradient of the sums over everything that was summed.
void BiasAddGradGradient(GradContext& g) {
  const std::string format = g.attr<std::string>("data_format");
  const Tensor zeros = ops::ZerosLike(g.x(0));
  g.Set(0, ops::BiasAdd(zeros, g.dy(0), format));
}

Status ComputeL2Loss(KernelContext& c) {
  const Tensor& x = c.input(0);
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), TensorShape(), &out));
  VisitType<half, bfloat16, float, double>(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    const double loss = HalfSumOfSquares<T>(x.num_elements(), x.data<T>());
    if constexpr (std::is_same_v<T, double>) {
      *out->data<T>() = loss;
    } else {
      *out->data<T>() = static_cast<T>(static_cast<float>(loss));
    }
  });
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "BiasAdd",
     .inputs = "value: T; bias: T",
     .outputs = "output: T",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, "
              "complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
              "quint16, uint16, complex128, half, uint32, uint64]; "
              "data_format: string in [NHWC, NCHW] = 'NHWC'",
     .traits = kAddition,
     .shape = BiasAddShape,
     .kernel = {.compute = ComputeBiasAdd},
     .gradient = BiasAddGradient,
     .flops = FlopsPerElement<1>,
     .doc = "Adds a bias to the channels: the last dimension, or with NCHW "
            "the second.",
     .test = {.reference = "value + bias",
              .shapes = "value: [2, 3]; bias: [3]"}},

    {.name = "BiasAddV1",
     .inputs = "value: T; bias: T",
     .outputs = "output: T",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, "
              "complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
              "quint16, uint16, complex128, half, uint32, uint64]",
     .traits = kAddition,
     .shape = BiasAddShape,
     .kernel = {.compute = ComputeBiasAdd},
     .gradient = BiasAddGradient,
     .doc = "Adds a bias to the last dimension.",
     .test = {.reference = "value + bias",
              .shapes = "value: [2, 3]; bias: [3]"}},

    {.name = "BiasAddGrad",
     .inputs = "out_backprop: T",
     .outputs = "output: T",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, "
              "complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
              "quint16, uint16, complex128, half, uint32, uint64]; "
              "data_format: string in [NHWC, NCHW] = 'NHWC'",
     .shape = BiasAddGradShape,
     .kernel = {.compute = ComputeBiasAddGrad},
     .gradient = BiasAddGradGradient,
     .flops = FlopsPerElement<1>,
     .doc = "The gradient of a bias: sums over all dimensions but the "
            "channels.",
     .test = {.reference = "np.sum(out_backprop, axis=0)",
              .shapes = "out_backprop: [2, 3]"}},

    {.name = "L2Loss",
     .inputs = "t: T",
     .outputs = "output: T",
     .attrs = "T: type in [half, bfloat16, float, double]",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeL2Loss},
     .gradient = [](GradContext& g) { g.Set(0, ops::Mul(g.x(0), g.dy(0))); },
     .flops = FlopsPerElement<3>,
     .python = {.names = "nn.l2_loss"},
     .doc = "Half the sum of the squares.",
     .example = ">>> tf.nn.l2_loss([3., 4.]).numpy().item()\n12.5",
     .test = {.reference = "np.sum(t * t) / 2"}},
};

}  // namespace

GK_REGISTER_OPS(nn_bias)

}  // namespace gk
