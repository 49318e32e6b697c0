// Comparisons of two tensors.
#include "ops/fn/math_compare.h"

#include "framework/op_registry.h"
#include "ops/broadcast_strings.h"
#include "ops/elementwise.h"

namespace gk {
namespace {

bool ShapesMustAgree(const AttrMap& attrs) {
  const bool* error = attrs.Get<bool>("incompatible_shape_error");
  return !error || *error;
}

constexpr auto kLess = [](auto x, auto y) { return x < y; };
constexpr auto kLessEqual = [](auto x, auto y) { return x <= y; };
constexpr auto kGreater = [](auto x, auto y) { return x > y; };
constexpr auto kGreaterEqual = [](auto x, auto y) { return x >= y; };
constexpr auto kEqual = [](auto x, auto y) { return x == y; };
constexpr auto kNotEqual = [](auto x, auto y) { return x != y; };

template <auto F>
using Equality = TileOverloads<BinaryFor<F, NumberTypes, kWrapAround>,
                               BinaryFor<F, BoolType>>;

template <auto F>
Status ComputeEquality(KernelContext& c) {
  const Tensor &x = c.input(0), &y = c.input(1);
  if (!ShapesMustAgree(c.attrs()) &&
      !BroadcastShapes(x.shape(), y.shape()).ok()) {
    c.set_output(0, Tensor::Scalar<bool>(F(0, 1)));
    return OkStatus();
  }
  if (x.dtype() == DataType::kString) return ComputeBroadcastStrings(c, F);
  return ComputeElementwise(c);
}

Status EqualityShape(InferenceContext& c) {
  if (ShapesMustAgree(c.attrs())) return shape_fn::Broadcast(c);
  StatusOr<PartialTensorShape> shape =
      BroadcastPartialShapes(c.input(0), c.input(1));
  if (!shape.ok()) {
    c.set_output(0, TensorShape());
    return OkStatus();
  }
  // A dim that is unknown may turn out not to broadcast with one that is known.
  const PartialTensorShape &x = c.input(0), &y = c.input(1);
  const int aligned = std::min(x.rank(), y.rank());
  for (int i = 1; i <= aligned; ++i) {
    const int64_t dx = x.dim(x.rank() - i), dy = y.dim(y.rank() - i);
    const int64_t known = std::max(dx, dy);
    if (std::min(dx, dy) < 0 && known >= 0 && known != 1) return OkStatus();
  }
  c.set_output(0, *shape);
  return OkStatus();
}

constexpr auto kWithin = [](const void* params, auto x, auto y) {
  const double limit = static_cast<const TileParams*>(params)->value;
  const auto d = Select(x < y, y - x, x - y);
  return d < static_cast<decltype(d)>(limit);
};
constexpr auto kComplexWithin = [](const void* params, auto x, auto y) {
  const auto d = CallOf<[](auto z) { return std::abs(z); }>(x - y);
  return d < static_cast<const TileParams*>(params)->value;
};

void PrepareTolerance(const AttrMap& attrs, TileParams* params) {
  const float* tolerance = attrs.Get<float>("tolerance");
  params->value = tolerance ? *tolerance : 1e-5f;
}
using ApproximatelyEqual = TileOverloads<
    PreparedFor<kWithin, 2, FloatTypes, PrepareTolerance>,
    PreparedFor<kWithin, 2, IntegerTypes, PrepareTolerance, kPlainLoop>,
    PreparedFor<kComplexWithin, 2, ComplexTypes, PrepareTolerance>>;

Status MergedShape(InferenceContext& c) {
  GK_ASSIGN_OR_RETURN(PartialTensorShape shape,
                      c.input(0).MergeWith(c.input(1)));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status ComputeApproximateEqual(KernelContext& c) {
  if (!(c.input(0).shape() == c.input(1).shape())) {
    return InvalidArgument(
        "x and y must be of the same shape. x shape: {}. y shape: {}",
        c.input(0).shape().DebugString(), c.input(1).shape().DebugString());
  }
  return ComputeElementwise(c);
}

const OpRecord kRecords[] = {
    {.name = "Less",
     .inputs = "x: T; y: T",
     .outputs = "z: bool",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, int64, "
              "bfloat16, uint16, half, uint32, uint64]",
     .traits = kElementwise | kNoGradient | kCheap,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<kLess, RealTypes>(),
     .python = {.names = "math.less|less"},
     .doc = "Returns x < y element-wise.",
     .example = ">>> tf.less([1, 2, 3], 2).numpy().tolist()\n[True, False, "
                "False]",
     .test = {.reference = "x < y"}},

    {.name = "LessEqual",
     .inputs = "x: T; y: T",
     .outputs = "z: bool",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, int64, "
              "bfloat16, uint16, half, uint32, uint64]",
     .traits = kElementwise | kNoGradient | kCheap,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<kLessEqual, RealTypes>(),
     .python = {.names = "math.less_equal|less_equal"},
     .doc = "Returns x <= y element-wise.",
     .example = ">>> tf.less_equal([1, 2, 3], 2).numpy().tolist()\n[True, "
                "True, False]",
     .test = {.reference = "x <= y"}},

    {.name = "Greater",
     .inputs = "x: T; y: T",
     .outputs = "z: bool",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, int64, "
              "bfloat16, uint16, half, uint32, uint64]",
     .traits = kElementwise | kNoGradient | kCheap,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<kGreater, RealTypes>(),
     .python = {.names = "math.greater|greater"},
     .doc = "Returns x > y element-wise.",
     .example = ">>> tf.greater([1, 2, 3], 2).numpy().tolist()\n[False, "
                "False, True]",
     .test = {.reference = "x > y"}},

    {.name = "GreaterEqual",
     .inputs = "x: T; y: T",
     .outputs = "z: bool",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, int64, "
              "bfloat16, uint16, half, uint32, uint64]",
     .traits = kElementwise | kNoGradient | kCheap,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<kGreaterEqual, RealTypes>(),
     .python = {.names = "math.greater_equal|greater_equal"},
     .doc = "Returns x >= y element-wise.",
     .example = ">>> tf.greater_equal([1, 2, 3], 2).numpy().tolist()\n[False, "
                "True, True]",
     .test = {.reference = "x >= y"}},

    {.name = "Equal",
     .inputs = "x: T; y: T",
     .outputs = "z: bool",
     .attrs = "T: type; incompatible_shape_error: bool = True",
     .traits = kElementwise | kNoGradient | kCommutative | kCheap,
     .shape = EqualityShape,
     .kernel = {.compute = ComputeEquality<kEqual>,
                .tile = Equality<kEqual>::Find,
                .types = Equality<kEqual>::kTypes | DataType::kString},
     .python = {.names = "equal|math.equal",
                .args = "x: tensor(T); y: tensor(T)"},
     .doc = "Returns x == y element-wise. Without incompatible_shape_error, "
            "tensors whose shapes do not broadcast are unequal as a whole.",
     .example = ">>> tf.equal([1, 2], 2).numpy().tolist()\n[False, True]",
     .test = {.reference = "x == y"}},

    {.name = "NotEqual",
     .inputs = "x: T; y: T",
     .outputs = "z: bool",
     .attrs = "T: type; incompatible_shape_error: bool = True",
     .traits = kElementwise | kNoGradient | kCommutative | kInequality | kCheap,
     .shape = EqualityShape,
     .kernel = {.compute = ComputeEquality<kNotEqual>,
                .tile = Equality<kNotEqual>::Find,
                .types = Equality<kNotEqual>::kTypes | DataType::kString},
     .python = {.names = "not_equal|math.not_equal",
                .args = "x: tensor(T); y: tensor(T)"},
     .doc = "Returns x != y element-wise. Without incompatible_shape_error, "
            "tensors whose shapes do not broadcast are unequal as a whole.",
     .example = ">>> tf.not_equal([1, 2], 2).numpy().tolist()\n[True, False]",
     .test = {.reference = "x != y"}},

    {.name = "ApproximateEqual",
     .inputs = "x: T; y: T",
     .outputs = "z: bool",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, "
              "complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
              "quint16, uint16, complex128, half, uint32, uint64]; tolerance: "
              "float = 1e-05",
     .traits = kElementwise | kNoGradient | kCommutative,
     .shape = MergedShape,
     .kernel = {.compute = ComputeApproximateEqual,
                .tile = ApproximatelyEqual::Find,
                .types = ApproximatelyEqual::kTypes},
     .doc = "Says where |x - y| is less than the tolerance.",
     .test = {.reference = "abs(x - y) < tolerance"}},
};

}  // namespace

GK_REGISTER_OPS(math_compare)

}  // namespace gk
