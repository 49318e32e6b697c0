// Products with limits at zero, and neighbours of floats. The derivatives of
// those of complex numbers are TensorFlow's, which has no conjugates there.
#include "ops/fn/math_xlogy.h"

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/math.h"
#include "ops/broadcast_gradient.h"
#include "ops/elementwise.h"
#include "ops/fn/Cast.h"
#include "ops/fn/NotEqual.h"
#include "ops/fn/math_arithmetic.h"
#include "ops/fn/math_unary.h"
#include "ops/scalar_constant.h"

namespace gk {
namespace {

// 1 where x is not 0, else 0.
Tensor NonZero(const Tensor& x) {
  return ops::Cast(ops::NotEqual(x, ScalarLike(x, 0)), x.dtype());
}

constexpr auto kLogOfComplex = kCalled<[](auto x) { return std::log(x); }>;

const OpRecord kRecords[] = {
    {.name = "Xlogy",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [half, bfloat16, float, double, complex64, "
              "complex128]",
     .traits = kElementwise,
     .shape = shape_fn::Broadcast,
     .kernel =
         Overloads<BinaryFor<[](auto x, auto y) { return math::Xlogy(x, y); },
                             FloatTypes>,
                   BinaryFor<[](auto x, auto y) {
                     using T = decltype(x);
                     return Select(x == T(0), T(0), T(x * kLogOfComplex(y)));
                   },
                             ComplexTypes, kSlowLoop>>(),
     .gradient =
         [](GradContext& g) {
           const Tensor &x = g.x(0), &y = g.x(1);
           const Tensor some = NonZero(x);
           SetBroadcastGrads(
               g,
               g.wants(0) ? ops::Mul(g.dy(0), ops::Xlogy(some, y)) : Tensor(),
               g.wants(1) ? ops::Mul(g.dy(0), ops::Xdivy(x, y)) : Tensor());
         },
     .python = {.names = "math.xlogy"},
     .doc = "Returns x * ln(y) element-wise, and 0 where x is 0.",
     .example = ">>> tf.math.xlogy([0., 1.], [0., 2.]).numpy().round(4)\n"
                "array([0.    , 0.6931], dtype=float32)",
     .test = {.low = 0.5, .reference = "xlogy(x, y)"}},

    {.name = "Xlog1py",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [half, bfloat16, float, double, complex64, "
              "complex128]",
     .traits = kElementwise,
     .shape = shape_fn::Broadcast,
     .kernel =
         Overloads<BinaryFor<[](auto x, auto y) { return math::Xlog1py(x, y); },
                             FloatTypes>,
                   BinaryFor<[](auto x, auto y) {
                     using T = decltype(x);
                     return Select(x == T(0), T(0),
                                   T(x * kLogOfComplex(y + decltype(y)(1))));
                   },
                             ComplexTypes, kSlowLoop>>(),
     .gradient =
         [](GradContext& g) {
           const Tensor &x = g.x(0), &y = g.x(1);
           const Tensor some = NonZero(x);
           SetBroadcastGrads(
               g,
               g.wants(0) ? ops::Mul(g.dy(0), ops::Xlog1py(some, y)) : Tensor(),
               g.wants(1)
                   ? ops::Mul(g.dy(0),
                              ops::Xdivy(x, ops::AddV2(y, ScalarLike(y, 1))))
                   : Tensor());
         },
     .python = {.names = "math.xlog1py"},
     .doc = "Returns x * ln(1 + y) element-wise, and 0 where x is 0.",
     .example = ">>> tf.math.xlog1py([0., 1.], [-1., 1.]).numpy().round(4)\n"
                "array([0.    , 0.6931], dtype=float32)",
     .test = {.low = 0.5, .reference = "xlog1py(x, y)"}},

    {.name = "Xdivy",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [half, bfloat16, float, double, complex64, "
              "complex128]",
     .traits = kElementwise,
     .shape = shape_fn::Broadcast,
     .kernel =
         Overloads<BinaryFor<[](auto x, auto y) { return math::Xdivy(x, y); },
                             FloatTypes>,
                   BinaryFor<[](auto x, auto y) {
                     using T = decltype(x);
                     return Select(x == T(0), T(0), T(x / y));
                   },
                             ComplexTypes, kSlowLoop>>(),
     .gradient =
         [](GradContext& g) {
           const Tensor &x = g.x(0), &y = g.x(1);
           const Tensor some = NonZero(x);
           SetBroadcastGrads(
               g,
               g.wants(0) ? ops::Mul(g.dy(0), ops::Xdivy(some, y)) : Tensor(),
               g.wants(1)
                   ? ops::Mul(g.dy(0), ops::Xdivy(ops::Neg(x), ops::Square(y)))
                   : Tensor());
         },
     .python = {.names = "math.xdivy"},
     .doc = "Returns x / y element-wise, and 0 where x is 0.",
     .example = ">>> tf.math.xdivy([0., 1.], [0., 2.]).numpy().tolist()\n"
                "[0.0, 0.5]",
     .test = {.low = 0.5, .reference = "x / y"}},

    {.name = "NextAfter",
     .inputs = "x1: T; x2: T",
     .outputs = "output: T",
     .attrs = "T: type in [double, float] = float",
     .traits = kElementwise,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<[](auto x, auto y) { return math::NextAfter(x, y); },
                      TypeList<double, float>>(),
     // It follows x1, and does not depend on how far x2 is.
     .gradient =
         [](GradContext& g) {
           SetBroadcastGrads(g, g.dy(0),
                             ops::Mul(g.dy(0), ScalarLike(g.dy(0), 0)));
         },
     .python = {.names = "math.nextafter"},
     .doc = "Returns the neighbour of x1 in the direction of x2.",
     .example = ">>> bool(tf.math.nextafter(1., 2.) > 1.)\nTrue",
     .test = {.reference = "nextafter(x1, x2)"}},
};

}  // namespace

GK_REGISTER_OPS(math_xlogy)

}  // namespace gk
