// Arithmetic of two tensors: +, -, *, /, // and %.
#include "ops/fn/math_arithmetic.h"

#include "framework/op_registry.h"
#include "ops/broadcast_gradient.h"
#include "ops/elementwise.h"
#include "ops/fn/math_unary.h"

namespace gk {
namespace {

Tensor Conj(const Tensor& x) {
  return IsComplex(x.dtype()) ? MakeOp1("Conj", {x}) : x;
}

const OpRecord kRecords[] = {
    {.name = "AddV2",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [bfloat16, half, float, double, uint8, uint16, "
              "uint32, uint64, int8, int16, int32, int64, complex64, "
              "complex128]",
     .traits = kElementwise | kCommutative | kAggregate | kIdentityZero,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<[](auto x, auto y) { return decltype(x)(x + y); },
                      NumberTypes>(),
     .gradient = [](GradContext& g) { SetBroadcastGrads(g, g.dy(0), g.dy(0)); },
     .python = {.scope = "add"},
     .doc = "Returns x + y element-wise; supports broadcasting.",
     .test = {.reference = "x + y"}},

    {.name = "Sub",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [bfloat16, half, float, double, uint8, int8, "
              "uint16, int16, int32, int64, complex64, complex128, uint32, "
              "uint64]",
     .traits = kElementwise,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<[](auto x, auto y) { return decltype(x)(x - y); },
                      NumberTypes>(),
     .gradient =
         [](GradContext& g) {
           SetBroadcastGrads(g, g.dy(0),
                             g.wants(1) ? ops::Neg(g.dy(0)) : Tensor());
         },
     .python = {.names = "math.subtract|subtract", .scope = "sub"},
     .doc = "Returns x - y element-wise; supports broadcasting.",
     .example = ">>> tf.subtract(3, 1)\n<tf.Tensor: shape=(), dtype=int32, "
                "numpy=2>",
     .test = {.reference = "x - y"}},

    {.name = "Mul",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [bfloat16, half, float, double, uint8, int8, "
              "uint16, int16, int32, uint32, uint64, int64, complex64, "
              "complex128]",
     .traits = kElementwise | kCommutative | kIdentityOne,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<[](auto x, auto y) { return decltype(x)(x * y); },
                      NumberTypes>(),
     .gradient =
         [](GradContext& g) {
           SetBroadcastGrads(
               g, g.wants(0) ? ops::Mul(g.dy(0), Conj(g.x(1))) : Tensor(),
               g.wants(1) ? ops::Mul(Conj(g.x(0)), g.dy(0)) : Tensor());
         },
     .python = {.names = "math.multiply|multiply", .scope = "mul"},
     .doc = "Returns x * y element-wise; supports broadcasting.",
     .example = ">>> tf.multiply(3, 2)\n<tf.Tensor: shape=(), dtype=int32, "
                "numpy=6>",
     .test = {.reference = "x * y"}},
};

}  // namespace

GK_REGISTER_OPS(math_arithmetic)

}  // namespace gk
