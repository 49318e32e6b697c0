// Local response normalisation and its gradient.
#include "ops/fn/nn_lrn.h"

#include <limits>

#include "base/thread_pool.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/response_norm.h"
#include "ops/int32_attrs.h"
#include "ops/nn/window.h"
#include "ops/with_attrs/LRNGrad.h"

namespace gk {
namespace {

StatusOr<ResponseNorm> DescribeResponseNorm(KernelContext& c, const Tensor& x) {
  if (x.rank() != 4) return InvalidArgument("in must be 4-dimensional");
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"depth_radius"}));
  ResponseNorm n;
  n.depth = x.dim(3);
  n.rows = n.depth > 0 ? x.num_elements() / n.depth : 0;
  n.radius = c.attr<int64_t>("depth_radius");
  n.bias = c.attr<float>("bias");
  n.alpha = c.attr<float>("alpha");
  n.beta = c.attr<float>("beta");
  if (n.radius < 0) {
    return InvalidArgument("depth_radius = {} is not >= 0", n.radius);
  }
  if (n.radius >= std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("depth_radius = {} larger than int max", n.radius);
  }
  return n;
}

Status ComputeResponseNorm(KernelContext& c) {
  const Tensor& x = c.input(0);
  GK_ASSIGN_OR_RETURN(const ResponseNorm n, DescribeResponseNorm(c, x));
  Tensor* y;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), x.shape(), &y));
  VisitType<float, half, bfloat16>(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    n.Run(x.data<T>(), y->data<T>(), Parallel(&ThreadPool::Global()));
  });
  return OkStatus();
}

Status ComputeResponseNormGrad(KernelContext& c) {
  const Tensor &dy = c.input(0), &x = c.input(1), &y = c.input(2);
  if (dy.rank() != 4 || x.rank() != 4) {
    return InvalidArgument("inputs must be 4-dimensional");
  }
  if (dy.shape() != x.shape() || y.shape() != x.shape()) {
    return InvalidArgument(
        "input_grads, input_image, and out_image should have the same shape");
  }
  GK_ASSIGN_OR_RETURN(const ResponseNorm n, DescribeResponseNorm(c, x));
  Tensor* dx;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), x.shape(), &dx));
  VisitType<float, half, bfloat16>(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    n.RunGradient(x.data<T>(), y.data<T>(), dy.data<T>(), dx->data<T>(),
                  Parallel(&ThreadPool::Global()));
  });
  return OkStatus();
}

Status ResponseNormShape(InferenceContext& c) {
  PartialTensorShape x;
  GK_RETURN_IF_ERROR(c.WithRank(0, 4, &x));
  c.set_output(0, x);
  return OkStatus();
}

Status ResponseNormGradShape(InferenceContext& c) {
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(4);
  for (int i = 0; i < 3; ++i) {
    PartialTensorShape x;
    GK_RETURN_IF_ERROR(c.WithRank(i, 4, &x));
    for (int d = 0; d < 4 && !x.unknown_rank(); ++d) {
      int64_t size;
      GK_RETURN_IF_ERROR(
          InferenceContext::MergeDims(out.dim(d), x.dim(d), &size));
      out.SetDim(d, size);
    }
  }
  c.set_output(0, out);
  return OkStatus();
}

#define RESPONSE_NORM_ATTRS                                              \
  "depth_radius: int = 5; bias: float = 1.0; alpha: float = 1.0; beta: " \
  "float = 0.5; T: type in [half, bfloat16, float] = float"

const OpRecord kRecords[] = {
    {.name = "LRN",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = RESPONSE_NORM_ATTRS,
     .traits = kExpensive,
     .shape = ResponseNormShape,
     .kernel = {.compute = ComputeResponseNorm},
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::LRNGrad(
                        OpAttrs(SharedAttrs(g.attrs(), {"depth_radius", "bias",
                                                        "alpha", "beta"})),
                        g.dy(0), g.x(0), g.y(0)));
         },
     .python = {.names = "nn.local_response_normalization|nn.lrn",
                .args = "input: tensor; depth_radius: int = 5; bias: float = "
                        "1; alpha: float = 1; beta: float = 0.5"},
     .doc = "input / (bias + alpha * s) ** beta, where s is the sum of the "
            "squares of the channels up to `depth_radius` away.",
     .example = ">>> tf.nn.lrn([[[[3.0]]]], bias=0.).numpy().item()\n1.0"},

    {.name = "LRNGrad",
     .inputs = "input_grads: T; input_image: T; output_image: T",
     .outputs = "output: T",
     .attrs = RESPONSE_NORM_ATTRS,
     .traits = kExpensive,
     .shape = ResponseNormGradShape,
     .kernel = {.compute = ComputeResponseNormGrad},
     .doc = "The gradient of local response normalisation."},
};

}  // namespace

GK_REGISTER_OPS(nn_lrn)

}  // namespace gk
