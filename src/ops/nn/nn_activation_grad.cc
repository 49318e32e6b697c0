// Gradients of activation functions, with gradients of their own.
#include "ops/fn/nn_activation_grad.h"

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/math.h"
#include "ops/elementwise.h"
#include "ops/fn/Less.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/ZerosLike.h"
#include "ops/fn/math_arithmetic.h"
#include "ops/fn/math_divide.h"
#include "ops/fn/math_exp.h"
#include "ops/fn/math_unary.h"
#include "ops/fn/math_unary_grad.h"
#include "ops/nn/alpha.h"
#include "ops/scalar_constant.h"

namespace gk {
namespace {

constexpr auto kReluGrad = [](auto dy, auto x) {
  using T = decltype(x);
  // A product: what is no number stays none, as in TensorFlow.
  return T(dy * Select(x > T(0), T(1), T(0)));
};
constexpr auto kRelu6Grad = [](auto dy, auto x) {
  using T = decltype(x);
  const T low = Select(x > T(0), T(1), T(0));
  return T(dy * Select(x < T(6), low, T(0)));
};
constexpr auto kLeakyReluGrad = [](const void* params, auto dy, auto x) {
  using T = decltype(x);
  const T alpha = static_cast<T>(static_cast<const TileParams*>(params)->value);
  return Select(x > T(0), dy, T(dy * alpha));
};
constexpr auto kEluGrad = [](auto dy, auto y) {
  using T = decltype(y);
  return Select(y < T(0), (y + T(1)) * dy, dy);
};
constexpr auto kSeluGrad = [](auto dy, auto y) {
  using T = decltype(y);
  return dy * Select(y < T(0), y + T(1.7580993408473768599),
                     T(1.0507009873554804934));
};

// Both inputs have the shape of the features.
Status GradientShape(InferenceContext& c) {
  GK_ASSIGN_OR_RETURN(PartialTensorShape shape,
                      c.input(0).MergeWith(c.input(1)));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

// Without broadcasting.
Status ComputeSameShape(KernelContext& c) {
  if (!(c.input(0).shape() == c.input(1).shape())) {
    return InvalidArgument(
        "Inputs to operation {0} of type {0} must have the same size and "
        "shape.  Input 0: {1} != input 1: {2}",
        c.record().name, c.input(0).shape().DebugString(),
        c.input(1).shape().DebugString());
  }
  return ComputeElementwise(c);
}

constexpr KernelSet SameShape(KernelSet kernel) {
  kernel.compute = ComputeSameShape;
  return kernel;
}

const OpRecord kRecords[] = {
    {.name = "ReluGrad",
     .inputs = "gradients: T; features: T",
     .outputs = "backprops: T",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, int64, "
              "bfloat16, uint16, half, uint32, uint64]",
     .traits = kElementwise,
     .shape = GradientShape,
     .kernel = SameShape(Binary<kReluGrad, RealTypes>()),
     .gradient =
         [](GradContext& g) {
           if (g.wants(0)) g.Set(0, ops::ReluGrad(g.dy(0), g.x(1)));
           if (g.wants(1)) g.Set(1, ops::ZerosLike(g.x(1)));
         },
     .doc = "The gradient of Relu; features may be its input or its output.",
     .test = {.reference = "where(features > 0, gradients, 0)",
              .skip_gradient = true}},

    {.name = "Relu6Grad",
     .inputs = "gradients: T; features: T",
     .outputs = "backprops: T",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, int64, "
              "bfloat16, uint16, half, uint32, uint64]",
     .traits = kElementwise,
     .shape = GradientShape,
     .kernel = SameShape(Binary<kRelu6Grad, RealTypes>()),
     .gradient =
         [](GradContext& g) {
           if (g.wants(0)) g.Set(0, ops::Relu6Grad(g.dy(0), g.x(1)));
           if (g.wants(1)) g.Set(1, ops::ZerosLike(g.x(1)));
         },
     .doc = "The gradient of Relu6; features may be its input or its output.",
     .test = {.reference =
                  "where((features > 0) & (features < 6), gradients, 0)",
              .skip_gradient = true}},

    {.name = "LeakyReluGrad",
     .inputs = "gradients: T; features: T",
     .outputs = "backprops: T",
     .attrs = "alpha: float = 0.2; T: type in [half, bfloat16, float, double] "
              "= float",
     .traits = kElementwise,
     .shape = GradientShape,
     .kernel = SameShape(
         Overloads<PreparedFor<kLeakyReluGrad, 2, FloatTypes, PrepareAlpha>>()),
     .gradient =
         [](GradContext& g) {
           if (g.wants(0))
             g.Set(0,
                   ops::LeakyReluGrad(g.dy(0), g.x(1), g.attr<float>("alpha")));
           if (g.wants(1)) g.Set(1, ops::ZerosLike(g.x(1)));
         },
     .doc = "The gradient of LeakyRelu with respect to features.",
     .test = {.reference = "where(features > 0, gradients, alpha * gradients)",
              .skip_gradient = true}},

    {.name = "EluGrad",
     .inputs = "gradients: T; outputs: T",
     .outputs = "backprops: T",
     .attrs = "T: type in [half, bfloat16, float, double]",
     .traits = kElementwise,
     .shape = GradientShape,
     .kernel = SameShape(Binary<kEluGrad, FloatTypes>()),
     .gradient =
         [](GradContext& g) {
           if (g.wants(0)) g.Set(0, ops::EluGrad(g.dy(0), g.x(1)));
           if (!g.wants(1)) return;
           const Tensor negative = ops::Less(g.x(1), ScalarLike(g.x(1), 0));
           const Tensor slope = ops::Mul(g.dy(0), g.x(0));
           g.Set(1, ops::SelectV2(negative, slope, ops::ZerosLike(g.x(1))));
         },
     .doc = "The gradient of Elu in terms of its outputs.",
     .test = {.skip_gradient = true}},

    {.name = "SeluGrad",
     .inputs = "gradients: T; outputs: T",
     .outputs = "backprops: T",
     .attrs = "T: type in [half, bfloat16, float, double]",
     .traits = kElementwise,
     .shape = GradientShape,
     .kernel = SameShape(Binary<kSeluGrad, FloatTypes>()),
     .gradient =
         [](GradContext& g) {
           if (g.wants(0)) g.Set(0, ops::SeluGrad(g.dy(0), g.x(1)));
           if (!g.wants(1)) return;
           const Tensor negative = ops::Less(g.x(1), ScalarLike(g.x(1), 0));
           const Tensor slope = ops::Mul(g.dy(0), g.x(0));
           g.Set(1, ops::SelectV2(negative, slope, ops::ZerosLike(g.x(1))));
         },
     .doc = "The gradient of Selu in terms of its outputs.",
     .test = {.skip_gradient = true}},

    {.name = "SoftplusGrad",
     .inputs = "gradients: T; features: T",
     .outputs = "backprops: T",
     .attrs = "T: type in [half, bfloat16, float, double]",
     .traits = kElementwise,
     .shape = GradientShape,
     .kernel =
         SameShape(Binary<[](auto dy, auto x) { return dy * math::Sigmoid(x); },
                          FloatTypes>()),
     .gradient =
         [](GradContext& g) {
           if (g.wants(0)) g.Set(0, ops::SoftplusGrad(g.dy(0), g.x(1)));
           if (!g.wants(1)) return;
           const Tensor y = ops::Sigmoid(g.x(1));
           g.Set(1, ops::SigmoidGrad(y, ops::Mul(g.dy(0), g.x(0))));
         },
     .doc = "The gradient of Softplus with respect to features.",
     .test = {.reference = "gradients / (1 + exp(-features))"}},

    {.name = "SoftsignGrad",
     .inputs = "gradients: T; features: T",
     .outputs = "backprops: T",
     .attrs = "T: type in [half, bfloat16, float, double]",
     .traits = kElementwise,
     .shape = GradientShape,
     .kernel = SameShape(Binary<[](auto dy, auto x) {
       const auto d = decltype(x)(1) + math::Abs(x);
       return dy / (d * d);
     },
                                FloatTypes>()),
     .gradient =
         [](GradContext& g) {
           if (g.wants(0)) g.Set(0, ops::SoftsignGrad(g.dy(0), g.x(1)));
           if (!g.wants(1)) return;
           const Tensor d = ops::AddV2(ScalarLike(g.x(1), 1), ops::Abs(g.x(1)));
           const Tensor slope =
               ops::RealDiv(ops::Mul(ScalarLike(d, -2), ops::Sign(g.x(1))),
                            ops::Mul(d, ops::Square(d)));
           g.Set(1, ops::Mul(ops::Mul(g.dy(0), g.x(0)), slope));
         },
     .doc = "The gradient of Softsign with respect to features.",
     .test = {.reference = "gradients / (1 + abs(features))**2"}},
};

}  // namespace

GK_REGISTER_OPS(nn_activation_grad)

}  // namespace gk
