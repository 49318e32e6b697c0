// Moments from sums, weighted ones, averages of losses, and what normalises by
// them.
#include <algorithm>

#include "ops/composition.h"
#include "ops/dynamic_axes.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Cast.h"
#include "ops/fn/DivNoNan.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/IsotonicRegression.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Neg.h"
#include "ops/fn/Prod.h"
#include "ops/fn/Reciprocal.h"
#include "ops/fn/Square.h"
#include "ops/fn/SquaredDifference.h"
#include "ops/fn/Squeeze.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Sum.h"
#include "ops/fn/Transpose.h"
#include "ops/fn/ZerosLike.h"
#include "ops/subscript.h"

namespace gk {
namespace {

using Ints = std::vector<int64_t>;

// How many elements of `x` lie along the axes.
Tensor CountAlong(const Tensor& x, const Ints& axes) {
  const PartialTensorShape shape = x.partial_shape();
  if (!shape.unknown_rank()) {
    double count = 1;
    bool known = true;
    for (const int64_t axis : axes) {
      if (axis < -shape.rank() || axis >= shape.rank()) {
        throw Error(InvalidArgument("Axis {} is out of range for rank {}", axis,
                                    shape.rank()));
      }
      const int64_t size = shape.dim(PositiveAxis(axis, shape.rank()));
      known = known && size >= 0;
      count *= static_cast<double>(size);
    }
    if (known) return NumberOf(count, x.dtype());
  }
  const Tensor sizes = CastTo(ShapeTensor(x), x.dtype());
  return ops::Prod(ops::GatherV2(sizes, PositiveAxes(x, axes), Int32Of(0)),
                   IntegerVector(Ints{0}));
}

TensorVector SufficientStatistics(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  Ints axes;
  for (const int64_t axis : c.ints(1)) {
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) {
      axes.push_back(axis);
    }
  }
  const bool keeps = c.flag(3);
  const Tensor counts = CountAlong(x, axes);
  Tensor first = x, second, shift;
  if (c.has(2)) {
    shift = c.tensor(2);
    first = ops::Sub(x, shift);
    second = ops::SquaredDifference(x, shift);
  } else {
    second = ops::Square(x);
  }
  const Tensor along = IntegerVector(axes);
  return {counts, ops::Sum(OpName(c.name("mean_ss")), first, along, keeps),
          ops::Sum(OpName(c.name("var_ss")), second, along, keeps), shift};
}

TensorVector NormalizeMoments(CompositionCall& c) {
  const Tensor divisor =
      ops::Reciprocal(OpName(c.name("divisor")), c.tensor(0));
  const Tensor shifted = ops::Mul(c.tensor(1), divisor);
  const Tensor mean =
      c.has(3) ? ops::AddV2(OpName(c.name("mean")), shifted, c.tensor(3))
               : shifted;
  return {mean, ops::Sub(OpName(c.name("variance")),
                         ops::Mul(c.tensor(2), divisor), ops::Square(shifted))};
}

TensorVector WeightedMoments(CompositionCall& c) {
  const DataType t = c.tensor(0).dtype();
  const bool narrow = t == DataType::kHalf;
  const Tensor x = narrow ? CastTo(c.tensor(0), DataType::kFloat) : c.tensor(0);
  const Tensor weights = CastTo(c.tensor(2), x.dtype());
  const Tensor axes = IntegerVector(c.ints(1));
  const auto sum = [&](const Tensor& v) { return ops::Sum(v, axes, true); };
  const Tensor total = sum(ops::AddV2(weights, ops::ZerosLike(x)));
  Tensor mean = ops::DivNoNan(sum(ops::Mul(weights, x)), total);
  Tensor variance = ops::DivNoNan(
      sum(ops::Mul(weights, ops::SquaredDifference(x, mean))), total);
  if (!c.flag(3)) {
    mean = ops::Squeeze(mean, c.ints(1));
    variance = ops::Squeeze(variance, c.ints(1));
  }
  return {CastTo(mean, t), CastTo(variance, t)};
}

TensorVector GlobalNormalization(CompositionCall& c) {
  const Tensor &x = c.tensor(0), &mean = c.tensor(1), &variance = c.tensor(2);
  return CallComposition(
      "nn.batch_normalization",
      {x, mean, variance, c.tensor(3),
       c.flag(6) ? CompositionValue(c.tensor(4)) : CompositionValue(),
       c.real(5)});
}

TensorVector AverageLoss(CompositionCall& c) {
  Tensor loss = c.tensor(0);
  const DataType t = loss.dtype();
  const PartialTensorShape shape = loss.partial_shape();
  if (!shape.unknown_rank() && shape.rank() == 0) {
    throw Error(ValueError(
        "Invalid value passed for `per_example_loss`. Expected a tensor with "
        "at least rank 1. Received per_example_loss of rank 0"));
  }
  if (c.has(1)) {
    Tensor weights = CastTo(c.tensor(1), DataType::kFloat);
    loss = CastTo(loss, DataType::kFloat);
    const PartialTensorShape ws = weights.partial_shape();
    if (ws.rank() > 0 && !shape.unknown_rank()) {
      if (ws.rank() - shape.rank() == 1) {
        weights = ops::Squeeze(weights, Ints{-1});
      } else if (shape.rank() - ws.rank() == 1) {
        weights = ops::ExpandDims(weights, Int32Of(-1));
      }
    }
    loss = ops::Mul(loss, weights);
  }
  loss = CastTo(loss, t);
  Tensor size;
  if (c.has(2)) {
    size = c.tensor(2);
    if (!IsInteger(size.dtype())) {
      throw Error(TypeError(
          "global_batch_size must be an integer.  Found: tensor of dtype {}",
          DataTypeName(size.dtype())));
    }
    const PartialTensorShape ss = size.partial_shape();
    if (!ss.unknown_rank() && ss.rank() != 0) {
      throw Error(ValueError(
          "global_batch_size must be scalar..  Expected scalar shape, saw "
          "shape: {}.",
          ss.PythonString()));
    }
    CallComposition(
        "debugging.assert_non_negative",
        {size, std::string("global_batch_size must be non-negative.")});
  } else {
    SubscriptEntry first;
    first.kind = SubscriptEntry::Kind::kIndex;
    first.begin = 0;
    size = Subscript(ShapeTensor(loss), {first});
  }
  return {ops::DivNoNan(ops::Sum(loss, AllAxes(loss)), CastTo(size, t))};
}

// A program is one replica.
TensorVector RegularizationLoss(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const Tensor sum = ops::Sum(x, AllAxes(x));
  if (IsInteger(x.dtype())) return {CastTo(sum, DataType::kDouble)};
  return {sum};
}

// Rows of the last dimension, of the dtype that TensorFlow chooses.
TensorVector IsotonicRegression(CompositionCall& c) {
  Tensor x = c.tensor(0);
  DataType out = DataType::kDouble;
  switch (x.dtype()) {
    case DataType::kHalf:
    case DataType::kBfloat16:
    case DataType::kFloat:
      out = x.dtype();
      break;
    case DataType::kInt8:
    case DataType::kInt16:
      out = DataType::kFloat;
      break;
    default:
      break;
  }
  const PartialTensorShape shape = x.partial_shape();
  int64_t axis = c.integer(2);
  if (!shape.unknown_rank()) {
    if (axis < -shape.rank() || axis >= shape.rank()) {
      throw Error(
          InvalidArgument("`dim` must be in the range [{}, {}) where "
                          "{} is the number of dimensions in the "
                          "input. Received: dim={}",
                          -shape.rank(), shape.rank(), shape.rank(), axis));
    }
    if (PositiveAxis(axis, shape.rank()) == shape.rank() - 1) axis = -1;
  }
  const Tensor order = axis == -1 ? Tensor() : SwappedWithLast(x, axis);
  if (order) x = ops::Transpose(x, order);
  if (!c.flag(1)) x = ops::Neg(x);
  TensorVector made = ops::IsotonicRegression(x, out);
  if (!c.flag(1)) made[0] = ops::Neg(made[0]);
  if (order) {
    for (Tensor& t : made) t = ops::Transpose(t, order);
  }
  return made;
}

const CompositionRecord kRecords[] = {
    {.names = "nn.isotonic_regression",
     .args = "inputs: tensor; decreasing: bool = True; axis: int = -1",
     .build = IsotonicRegression,
     .result = "tuple",
     .doc = "The nearest values that never rise along an axis, or never fall, "
            "and the number of the block of equal values that each is in.",
     .example = ">>> values, blocks = tf.nn.isotonic_regression([3., 1., 2.])\n"
                ">>> values.numpy().tolist(), blocks.numpy().tolist()\n"
                "([3.0, 1.5, 1.5], [0, 1, 1])",
     .takes_name = false},
    {.names = "nn.sufficient_statistics",
     .args = "x: tensor(T); axes: ints; shift: tensor(T) = None; keepdims: "
             "bool = False",
     .scope = "sufficient_statistics",
     .build = SufficientStatistics,
     .result = "tuple",
     .doc = "What mean and variance follow from: the number of elements along "
            "`axes`, the sums of these and of their squares, less `shift`, "
            "and `shift`.",
     .example = ">>> count, total, squares, shift = "
                "tf.nn.sufficient_statistics([1., 3.], [0])\n"
                ">>> [t.numpy().item() for t in (count, total, squares)]\n"
                "[2.0, 4.0, 10.0]"},
    {.names = "nn.normalize_moments",
     .args = "counts: tensor(T); mean_ss: tensor(T); variance_ss: tensor(T); "
             "shift: tensor(T)?",
     .scope = "normalize",
     .build = NormalizeMoments,
     .result = "tuple",
     .doc = "Mean and variance of what sufficient_statistics gives.",
     .example = ">>> [t.numpy().item() for t in tf.nn.normalize_moments(2., "
                "4., 10., None)]\n[2.0, 1.0]"},
    {.names = "nn.weighted_moments",
     .args = "x: tensor; axes: ints; frequency_weights: tensor; keepdims: bool "
             "= False",
     .scope = "weighted_moments",
     .build = WeightedMoments,
     .result = "tuple",
     .doc = "Mean and variance over `axes` where each element counts "
            "`frequency_weights` times.",
     .example = ">>> [t.numpy().item() for t in tf.nn.weighted_moments([1., "
                "3.], [0], [3., 1.])]\n[1.5, 0.75]"},
    {.names = "nn.batch_norm_with_global_normalization",
     .args = "input: tensor; mean: tensor; variance: tensor; beta: tensor; "
             "gamma: tensor; variance_epsilon: float; "
             "scale_after_normalization: bool",
     .scope = "batchnorm",
     .build = GlobalNormalization,
     .doc = "(input - mean) / sqrt(variance + variance_epsilon) + beta, times "
            "gamma before beta is added if `scale_after_normalization`.",
     .example = ">>> tf.nn.batch_norm_with_global_normalization([3.], 1., 4., "
                "0.5, 2., 0., True).numpy().tolist()\n[2.5]"},
    {.names = "nn.compute_average_loss",
     .args = "per_example_loss: tensor; sample_weight: tensor = None; "
             "global_batch_size: tensor(int32) = None",
     .build = AverageLoss,
     .doc = "The sum of losses, weighted where weights are given, over the "
            "size of the batch.",
     .example = ">>> tf.nn.compute_average_loss([1., 3.]).numpy().item()\n2.0",
     .takes_name = false},
    {.names = "nn.scale_regularization_loss",
     .args = "regularization_loss: tensor",
     .build = RegularizationLoss,
     .doc = "The sum of a loss, over the number of replicas, which is one.",
     .example = ">>> tf.nn.scale_regularization_loss([1., 3.]).numpy().item()"
                "\n4.0",
     .takes_name = false},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_moments)

}  // namespace gk
