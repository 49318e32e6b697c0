// Arithmetic of two tensors: sums, products, extremes. (Quotients and
// powers: math_divide.cc.)
#include "ops/fn/math_arithmetic.h"

#include "framework/op_registry.h"
#include "ops/broadcast_gradient.h"
#include "ops/broadcast_strings.h"
#include "ops/elementwise.h"
#include "ops/fn/GreaterEqual.h"
#include "ops/fn/LessEqual.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/ZerosLike.h"
#include "ops/fn/math_unary.h"
#include "ops/fused_arithmetic.h"
#include "ops/scalar_constant.h"

namespace gk {
namespace {

// NaN wins over numbers.
constexpr auto kMaximum = [](auto x, auto y) {
  return Select(Or(x >= y, x != x), x, y);
};
constexpr auto kMinimum = [](auto x, auto y) {
  return Select(Or(x <= y, x != x), x, y);
};

Status ComputeAdd(KernelContext& c) {
  if (c.input(0).dtype() != DataType::kString) return ComputeElementwise(c);
  return ComputeBroadcastStrings(
      c, [](const std::string& x, const std::string& y) { return x + y; });
}

void AddGrads(GradContext& g) {
  SetBroadcastGradsPastScalars(g, g.dy(0), g.dy(0));
}

// Each input gets the gradient where it was chosen; the first one at ties.
void SetChosenGrads(GradContext& g, const Tensor& first) {
  const Tensor zero = ops::ZerosLike(g.dy(0));
  SetBroadcastGradsPastScalars(
      g, g.wants(0) ? ops::SelectV2(first, g.dy(0), zero) : Tensor(),
      g.wants(1) ? ops::SelectV2(first, zero, g.dy(0)) : Tensor());
}

const OpRecord kRecords[] = {
    {.name = "AddV2",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [bfloat16, half, float, double, uint8, uint16, "
              "uint32, uint64, int8, int16, int32, int64, complex64, "
              "complex128]",
     .traits = kElementwise | kCommutative | kAggregate | kIdentityZero |
               kAddition | kCheap,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<arithmetic::kAdd, NumberTypes, kWrapAround>(),
     .gradient = AddGrads,
     .python = {.scope = "add", .converts_first = true},
     .doc = "Returns x + y element-wise; supports broadcasting.",
     .test = {.reference = "x + y"}},

    {.name = "Sub",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [bfloat16, half, float, double, uint8, int8, "
              "uint16, int16, int32, int64, complex64, complex128, uint32, "
              "uint64]",
     .traits = kElementwise | kCheap,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<arithmetic::kSubtract, NumberTypes, kWrapAround>(),
     .gradient =
         [](GradContext& g) {
           SetBroadcastGradsPastScalars(
               g, g.dy(0), g.wants(1) ? ops::Neg(g.dy(0)) : Tensor());
         },
     .python = {.names = "subtract|math.subtract",
                .args = "x: tensor(T); y: tensor(T)"},
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
     .traits = kElementwise | kCommutative | kIdentityOne | kCheap,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<arithmetic::kMultiply, NumberTypes, kWrapAround>(),
     .gradient =
         [](GradContext& g) {
           Tensor dx, dy;  // made in this order
           if (g.wants(0)) dx = ops::Mul(g.dy(0), Conjugate(g.x(1)));
           if (g.wants(1)) dy = ops::Mul(g.dy(0), Conjugate(g.x(0)));
           SetBroadcastGradsPastScalars(g, dx, dy);
         },
     .python = {.names = "multiply|math.multiply",
                .args = "x: tensor(T); y: tensor(T)"},
     .doc = "Returns x * y element-wise; supports broadcasting.",
     .example = ">>> tf.multiply(3, 2)\n<tf.Tensor: shape=(), dtype=int32, "
                "numpy=6>",
     .test = {.reference = "x * y"}},

    {.name = "Add",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [bfloat16, half, float, double, uint8, int8, int16, "
              "int32, int64, complex64, complex128, string]",
     .traits = kElementwise | kCheap | kAddition,
     .shape = shape_fn::Broadcast,
     .kernel = {.compute = ComputeAdd,
                .tile =
                    BinaryFor<arithmetic::kAdd, NumberTypes, kWrapAround>::Find,
                .types = BinaryFor<arithmetic::kAdd, NumberTypes>::kTypes |
                         DataType::kString},
     .gradient = AddGrads,
     .doc = "Returns x + y element-wise; strings are joined.",
     .test = {.reference = "x + y"}},

    {.name = "Maximum",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [bfloat16, half, float, double, int8, uint8, int16, "
              "uint16, int32, uint32, int64, uint64]",
     .traits = kElementwise | kCommutative | kCheap,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<kMaximum, RealTypes>(),
     .gradient =
         [](GradContext& g) {
           SetChosenGrads(g, ops::GreaterEqual(g.x(0), g.x(1)));
         },
     .python = {.names = "math.maximum|maximum"},
     .doc = "Returns the larger of x and y element-wise.",
     .example = ">>> tf.maximum([1, 5], [3, 2]).numpy().tolist()\n[3, 5]",
     .test = {.reference = "maximum(x, y)"}},

    {.name = "Minimum",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [bfloat16, half, float, double, int8, uint8, int16, "
              "uint16, int32, uint32, int64, uint64]",
     .traits = kElementwise | kCommutative | kCheap,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<kMinimum, RealTypes>(),
     .gradient =
         [](GradContext& g) {
           SetChosenGrads(g, ops::LessEqual(g.x(0), g.x(1)));
         },
     .python = {.names = "math.minimum|minimum"},
     .doc = "Returns the smaller of x and y element-wise.",
     .example = ">>> tf.minimum([1, 5], [3, 2]).numpy().tolist()\n[1, 2]",
     .test = {.reference = "minimum(x, y)"}},

    {.name = "SquaredDifference",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [bfloat16, half, float, double, int32, int64, "
              "complex64, complex128]",
     .traits = kElementwise | kCommutative,
     .shape = shape_fn::Broadcast,
     .kernel = Overloads<
         BinaryFor<[](auto x, auto y) {
           const auto d = x - y;
           return d * d;
         },
                   Join<FloatTypes, TypeList<int32_t, int64_t>>, kWrapAround>,
         BinaryFor<[](auto x, auto y) {
           const auto d = x - y;
           return decltype(x)(CallOf<[](auto z) { return std::norm(z); }>(d));
         },
                   ComplexTypes>>(),
     .gradient =
         [](GradContext& g) {
           const Tensor slope =
               ops::Mul(ScalarLike(g.dy(0), 2),
                        ops::Mul(g.dy(0), ops::Sub(g.x(0), g.x(1))));
           SetBroadcastGrads(g, slope, g.wants(1) ? ops::Neg(slope) : Tensor());
         },
     .python = {.names = "math.squared_difference"},
     .doc = "Returns conj(x - y) * (x - y) element-wise.",
     .example = ">>> tf.math.squared_difference([1, 5], [3, "
                "2]).numpy().tolist()\n[4, 9]",
     .test = {.reference = "(x - y)**2"}},
};

}  // namespace

GK_REGISTER_OPS(math_arithmetic)

}  // namespace gk
