// Activation functions.
#include "ops/fn/nn_activation.h"

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/math.h"
#include "ops/elementwise.h"
#include "ops/fn/nn_activation_grad.h"
#include "ops/fused_arithmetic.h"
#include "ops/nn/alpha.h"

namespace gk {
namespace {

constexpr auto kRelu6 = [](auto x) {
  using T = decltype(x);
  const T low = Select(x < T(0), T(0), x);
  return Select(low > T(6), T(6), low);
};
constexpr auto kLeakyRelu = [](const void* params, auto x) {
  using T = decltype(x);
  const T alpha = static_cast<T>(static_cast<const TileParams*>(params)->value);
  return Select(x > T(0), x, T(x * alpha));
};
constexpr auto kElu = [](auto x) {
  using T = decltype(x);
  const T low = math::Expm1(Select(x < T(0), x, T(0)));
  return Select(x < T(0), low, x);
};
// Klambauer et al., "Self-Normalizing Neural Networks" (2017).
constexpr double kSeluScale = 1.0507009873554804934193349852946;
constexpr double kSeluScaleAlpha = 1.7580993408473768599402175208123;
constexpr auto kSelu = [](auto x) {
  using T = decltype(x);
  const T low = T(kSeluScaleAlpha) * math::Expm1(Select(x < T(0), x, T(0)));
  return Select(x < T(0), low, T(kSeluScale) * x);
};

const OpRecord kRecords[] = {
    {.name = "Relu",
     .inputs = "features: T",
     .outputs = "activations: T",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, int64, "
              "bfloat16, uint16, half, uint32, uint64, qint8]",
     .traits = kElementwise | kIdempotent | kCheap | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = Unary<arithmetic::kRelu, RealTypes>(),
     .gradient =
         [](GradContext& g) { g.Set(0, ops::ReluGrad(g.dy(0), g.y(0))); },
     .python = {.names = "nn.relu"},
     .doc = "Returns max(features, 0) element-wise.",
     .example = ">>> tf.nn.relu([-1., 0., 2.]).numpy().tolist()\n[0.0, 0.0, "
                "2.0]",
     .test = {.reference = "maximum(features, 0)", .skip_gradient = true}},

    {.name = "Relu6",
     .inputs = "features: T",
     .outputs = "activations: T",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, int64, "
              "bfloat16, uint16, half, uint32, uint64]",
     .traits = kElementwise | kIdempotent | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = Unary<kRelu6, RealTypes>(),
     .gradient =
         [](GradContext& g) { g.Set(0, ops::Relu6Grad(g.dy(0), g.y(0))); },
     .python = {.names = "nn.relu6"},
     .doc = "Returns min(max(features, 0), 6) element-wise.",
     .example = ">>> tf.nn.relu6([-1., 3., 8.]).numpy().tolist()\n[0.0, 3.0, "
                "6.0]",
     .test = {.reference = "clip(features, 0, 6)", .skip_gradient = true}},

    {.name = "LeakyRelu",
     .inputs = "features: T",
     .outputs = "activations: T",
     .attrs = "alpha: float = 0.2; T: type in [half, bfloat16, float, double] "
              "= float",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel =
         Overloads<PreparedFor<kLeakyRelu, 1, FloatTypes, PrepareAlpha>>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0,
                 ops::LeakyReluGrad(g.dy(0), g.x(0), g.attr<float>("alpha")));
         },
     .doc = "Returns features where positive and alpha * features elsewhere.",
     .test = {.reference = "where(features > 0, features, alpha * features)",
              .skip_gradient = true}},

    {.name = "Elu",
     .inputs = "features: T",
     .outputs = "activations: T",
     .attrs = "T: type in [half, bfloat16, float, double]",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = Unary<kElu, FloatTypes>(),
     .gradient =
         [](GradContext& g) { g.Set(0, ops::EluGrad(g.dy(0), g.y(0))); },
     .python = {.names = "nn.elu"},
     .doc = "Returns features where positive and exp(features) - 1 elsewhere.",
     .example = ">>> tf.nn.elu([-1., 0., 2.]).numpy().round(4)\n"
                "array([-0.6321,  0.    ,  2.    ], dtype=float32)",
     .test = {.reference = "where(features > 0, features, expm1(features))"}},

    {.name = "Selu",
     .inputs = "features: T",
     .outputs = "activations: T",
     .attrs = "T: type in [half, bfloat16, float, double]",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = Unary<kSelu, FloatTypes>(),
     .gradient =
         [](GradContext& g) { g.Set(0, ops::SeluGrad(g.dy(0), g.y(0))); },
     .python = {.names = "nn.selu"},
     .doc = "Returns the scaled exponential linear function of each element.",
     .example = ">>> tf.nn.selu([-1., 0., 2.]).numpy().round(4)\n"
                "array([-1.1113,  0.    ,  2.1014], dtype=float32)",
     .test = {.skip_gradient = true}},

    {.name = "Softplus",
     .inputs = "features: T",
     .outputs = "activations: T",
     .attrs = "T: type in [half, bfloat16, float, double]",
     .traits = kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = Unary<[](auto x) { return math::Softplus(x); }, FloatTypes>(),
     .gradient =
         [](GradContext& g) { g.Set(0, ops::SoftplusGrad(g.dy(0), g.x(0))); },
     .python = {.names = "math.softplus|nn.softplus"},
     .doc = "Returns ln(1 + exp(features)) element-wise.",
     .example = ">>> tf.math.softplus([0., 1.]).numpy().round(4)\n"
                "array([0.6931, 1.3133], dtype=float32)",
     .test = {.reference = "log1p(exp(features))"}},

    {.name = "Softsign",
     .inputs = "features: T",
     .outputs = "activations: T",
     .attrs = "T: type in [half, bfloat16, float, double]",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = Unary<[](auto x) {
       using T = decltype(x);
       return x / (T(1) + math::Abs(x));
     },
                     FloatTypes>(),
     .gradient =
         [](GradContext& g) { g.Set(0, ops::SoftsignGrad(g.dy(0), g.x(0))); },
     .python = {.names = "math.softsign|nn.softsign"},
     .doc = "Returns features / (1 + |features|) element-wise.",
     .example = ">>> tf.math.softsign([-1., 1., 3.]).numpy().tolist()\n[-0.5, "
                "0.5, 0.75]",
     .test = {.reference = "features / (1 + abs(features))"}},
};

}  // namespace

GK_REGISTER_OPS(nn_activation)

}  // namespace gk
