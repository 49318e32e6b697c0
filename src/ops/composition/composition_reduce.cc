// Reductions with their axis rules: None, an int, a list or a tensor.
#include <numeric>

#include "framework/symbolic_tensor.h"
#include "ops/composition.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/All.h"
#include "ops/fn/Any.h"
#include "ops/fn/Cast.h"
#include "ops/fn/Conj.h"
#include "ops/fn/Equal.h"
#include "ops/fn/EuclideanNorm.h"
#include "ops/fn/Exp.h"
#include "ops/fn/IsFinite.h"
#include "ops/fn/Log.h"
#include "ops/fn/Max.h"
#include "ops/fn/Mean.h"
#include "ops/fn/Min.h"
#include "ops/fn/Mul.h"
#include "ops/fn/NotEqual.h"
#include "ops/fn/Prod.h"
#include "ops/fn/Range.h"
#include "ops/fn/Rank.h"
#include "ops/fn/Real.h"
#include "ops/fn/ReduceJoin.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Sqrt.h"
#include "ops/fn/Square.h"
#include "ops/fn/StopGradient.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Sum.h"

namespace gk {
namespace {

// The axes input of a reduction: argument 1, or all axes.
Tensor Axes(const CompositionCall& c, const Tensor& x, int i = 1) {
  return c.has(i) ? c.tensor(i) : AllAxes(x);
}

// A reduction over all axes gives a scalar, also if their number is unknown.
Tensor Reduced(Tensor result, bool all_axes, bool keep) {
  if (all_axes && !keep && result.is_symbolic()) {
    const SymbolicTensor* s = SymbolicTensor::Of(result);
    s->source()->RefineShape(s->node(), s->index(), TensorShape());
  }
  return result;
}

template <Tensor (*kOp)(OpName, const Tensor&, const Tensor&, bool)>
TensorVector Reduce(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const Tensor axes =
      c.has(1) ? c.tensor(1) : AllAxes(x, c.name_beside("Const"));
  const bool keep = c.flag(2);
  const Tensor result = kOp(OpName(c.name()), x, axes, keep);
  return {Reduced(result, !c.has(1), keep)};
}

// Along all axes the last one varies fastest.
TensorVector ReduceJoin(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  Tensor axes;
  const PartialTensorShape shape = x.partial_shape();
  if (c.has(1)) {
    axes = c.tensor(1);
  } else if (!shape.unknown_rank()) {
    std::vector<int64_t> all(shape.rank());
    std::iota(all.rbegin(), all.rend(), 0);
    axes = IntsTensor(all, DataType::kInt32);
  } else {
    const Tensor rank = ops::Rank(x), minus_one = Int32Of(-1);
    axes = ops::Range(ops::AddV2(rank, minus_one), minus_one, minus_one);
  }
  const bool keep = c.flag(2);
  const Tensor result =
      ops::ReduceJoin(OpName(c.name()), x, axes, keep, c.text(3));
  return {Reduced(result, !c.has(1), keep)};
}

// Integer input takes part as float only where the documents say so.
Tensor MeanOf(const Tensor& x, const Tensor& axes, bool keep,
              std::string_view name) {
  return ops::Mean(OpName(name), x, axes, keep);
}

// Argument 1 of the call is the axis.
Tensor Variance(const Tensor& x, const Tensor& axes, bool keep,
                const CompositionCall& c, std::string_view prefix,
                std::string_view name) {
  const auto part = [&](std::string_view p) {
    return c.name(std::string(prefix) + std::string(p));
  };
  if (IsInteger(x.dtype())) {
    throw Error(
        TypeError("Input must be either real or complex. Received "
                  "integer type {}.",
                  DataTypeName(x.dtype())));
  }
  const Tensor mean = MeanOf(x, axes, true, part("Mean"));
  const Tensor diff = ops::Sub(OpName(part("sub")), x, mean);
  Tensor squared;
  if (IsComplex(x.dtype())) {
    squared = ops::Real(ops::Mul(ops::Conj(diff), diff), RealType(x.dtype()));
  } else {
    squared = ops::Square(OpName(part("Square")), diff);
  }
  return Reduced(MeanOf(squared, axes, keep, name), !c.has(1), keep);
}

TensorVector ReduceVariance(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  return {Variance(x, Axes(c, x), c.flag(2), c, "", c.name("Mean_1"))};
}

TensorVector ReduceStd(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const Tensor v = Variance(x, Axes(c, x), c.flag(2), c, "reduce_variance/",
                            c.name("reduce_variance/Mean_1"));
  return {ops::Sqrt(OpName(c.name("Sqrt")), v)};
}

// log(sum(exp(x))), shifted by the largest finite element.
TensorVector ReduceLogSumExp(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const Tensor axes = Axes(c, x);
  const bool keep = c.flag(2);
  const Tensor raw = ops::Max(OpName(c.name("Max")), x, axes, true);
  const Tensor finite = ops::IsFinite(OpName(c.name("IsFinite")), raw);
  const Tensor zero = NumberOf(0, x.dtype(), c.name("SelectV2/e"));
  Tensor top = ops::SelectV2(OpName(c.name("SelectV2")), finite, raw, zero);
  top = ops::StopGradient(OpName(c.name("StopGradient")), top);
  const Tensor shifted =
      ops::Exp(OpName(c.name("Exp")), ops::Sub(OpName(c.name("Sub")), x, top));
  const Tensor sum = Reduced(
      ops::Sum(OpName(c.name("Sum")), shifted, axes, keep), !c.has(1), keep);
  const Tensor log = ops::Log(OpName(c.name("Log")), sum);
  if (!keep) {
    const Tensor shape = ops::Shape(OpName(c.name("Shape")), log);
    top = ops::Reshape(OpName(c.name("Reshape")), top, shape);
  }
  return {ops::AddV2(OpName(c.name()), log, top)};
}

TensorVector CountNonzero(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  Tensor zero;
  if (x.dtype() == DataType::kString) {
    zero = ValueOrThrow(OpBuilder::Current()->Constant(
        Tensor::Scalar<std::string>(""), c.name("zeros")));
  } else {
    zero = NumberOf(0, x.dtype(), c.name("zeros"));
  }
  const Tensor differs = ops::NotEqual(OpName(c.name("NotEqual")), x, zero);
  const Tensor ones =
      ops::Cast(OpName(c.name("Cast")), differs, DataType::kInt64);
  const bool keep = c.has(2) && c.flag(2);
  const Tensor sum = Reduced(
      ops::Sum(OpName(c.name("Sum")), ones, Axes(c, x), keep), !c.has(1), keep);
  const DataType out = c.type(3);
  if (out == DataType::kInt64) return {sum};
  return {ops::Cast(OpName(c.name("Cast_1")), sum, out)};
}

TensorVector ZeroFraction(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const Tensor zero = NumberOf(0, x.dtype());
  const Tensor is_zero = ops::Equal(OpName(c.name("Equal")), x, zero);
  const Tensor f = ops::Cast(OpName(c.name("Cast")), is_zero, DataType::kFloat);
  const Tensor mean = MeanOf(f, AllAxes(x), false, c.name("fraction"));
  return {Reduced(mean, true, false)};
}

#define REDUCTION_ARGS                                     \
  "input_tensor: tensor as input; axis: tensor(int32) as " \
  "reduction_indices = None; keepdims: bool = False"
#define BOOL_ARGS                                                \
  "input_tensor: tensor(bool) as input; axis: tensor(int32) as " \
  "reduction_indices = None; keepdims: bool = False"
#define REDUCTION_DOC                                                          \
  "\n\nArgs:\n  input_tensor: a tensor of any shape.\n  axis: the dimensions " \
  "to reduce, an int or a list in [-rank, rank);\n    None: all.\n  "          \
  "keepdims: "                                                                 \
  "whether reduced dimensions stay, with size 1.\n  name: of the op.\n\n"      \
  "Returns a tensor of the input's dtype without the reduced dimensions.\n\n"  \
  "Raises InvalidArgumentError for an axis out of range."

const CompositionRecord kRecords[] = {
    {.names = "reduce_sum|math.reduce_sum",
     .args = REDUCTION_ARGS,
     .scope = "Sum",
     .ragged = RaggedForm::kReduceSum,
     .build = Reduce<ops::Sum>,
     .doc = "Sum of the elements across dimensions." REDUCTION_DOC,
     .example = ">>> tf.reduce_sum([[1, 2], [3, 4]], axis=1).numpy().tolist()"
                "\n[3, 7]"},
    {.names = "reduce_mean|math.reduce_mean",
     .args = REDUCTION_ARGS,
     .scope = "Mean",
     .ragged = RaggedForm::kReduceMean,
     .build = Reduce<ops::Mean>,
     .doc = "Mean of the elements across dimensions; of integers, rounded "
            "towards zero." REDUCTION_DOC,
     .example = ">>> tf.reduce_mean([1., 2., 6.]).numpy().item()\n3.0"},
    {.names = "reduce_prod|math.reduce_prod",
     .args = REDUCTION_ARGS,
     .scope = "Prod",
     .ragged = RaggedForm::kReduceProd,
     .build = Reduce<ops::Prod>,
     .doc = "Product of the elements across dimensions." REDUCTION_DOC,
     .example = ">>> tf.reduce_prod([2, 3, 4]).numpy().item()\n24"},
    {.names = "reduce_max|math.reduce_max",
     .args = REDUCTION_ARGS,
     .scope = "Max",
     .ragged = RaggedForm::kReduceMax,
     .build = Reduce<ops::Max>,
     .doc = "Largest element across dimensions." REDUCTION_DOC,
     .example = ">>> tf.reduce_max([[1, 5], [3, 4]], 0).numpy().tolist()\n"
                "[3, 5]"},
    {.names = "reduce_min|math.reduce_min",
     .args = REDUCTION_ARGS,
     .scope = "Min",
     .ragged = RaggedForm::kReduceMin,
     .build = Reduce<ops::Min>,
     .doc = "Smallest element across dimensions." REDUCTION_DOC,
     .example = ">>> tf.reduce_min([[1, 5], [3, 4]], 0).numpy().tolist()\n"
                "[1, 4]"},
    {.names = "reduce_all|math.reduce_all",
     .args = BOOL_ARGS,
     .scope = "All",
     .ragged = RaggedForm::kReduceAll,
     .build = Reduce<ops::All>,
     .doc = "Logical and of the elements across dimensions." REDUCTION_DOC,
     .example = ">>> tf.reduce_all([True, False]).numpy().item()\nFalse"},
    {.names = "reduce_any|math.reduce_any",
     .args = BOOL_ARGS,
     .scope = "Any",
     .ragged = RaggedForm::kReduceAny,
     .build = Reduce<ops::Any>,
     .doc = "Logical or of the elements across dimensions." REDUCTION_DOC,
     .example = ">>> tf.reduce_any([True, False]).numpy().item()\nTrue"},
    {.names = "math.reduce_euclidean_norm",
     .args = REDUCTION_ARGS,
     .scope = "EuclideanNorm",
     .build = Reduce<ops::EuclideanNorm>,
     .doc = "Square root of the sum of squares across "
            "dimensions." REDUCTION_DOC,
     .example = ">>> tf.math.reduce_euclidean_norm([3., 4.]).numpy().item()\n"
                "5.0"},
    {.names = "math.reduce_variance",
     .args = REDUCTION_ARGS,
     .scope = "reduce_variance",
     .ragged = RaggedForm::kReduceVariance,
     .build = ReduceVariance,
     .doc = "Variance of the elements across dimensions: the mean of the "
            "squared distance to the mean." REDUCTION_DOC,
     .example = ">>> tf.math.reduce_variance([1., 3.]).numpy().item()\n1.0"},
    {.names = "math.reduce_std",
     .args = REDUCTION_ARGS,
     .scope = "reduce_std",
     .ragged = RaggedForm::kReduceStd,
     .build = ReduceStd,
     .doc = "Standard deviation of the elements across "
            "dimensions." REDUCTION_DOC,
     .example = ">>> tf.math.reduce_std([1., 3.]).numpy().item()\n1.0"},
    {.names = "reduce_logsumexp|math.reduce_logsumexp",
     .args = REDUCTION_ARGS,
     .scope = "ReduceLogSumExp",
     .ragged = RaggedForm::kReduceLogSumExp,
     .build = ReduceLogSumExp,
     .doc = "log(sum(exp(elements))) across dimensions, without "
            "overflow." REDUCTION_DOC,
     .example = ">>> tf.reduce_logsumexp([1000., -1000.]).numpy().item()\n"
                "1000.0"},
    {.names = "math.count_nonzero",
     .args = "input: tensor; axis: tensor(int32) as Sum/reduction_indices = "
             "None; keepdims: bool = None; dtype: type = int64",
     .scope = "count_nonzero",
     .build = CountNonzero,
     .doc = "Number of elements that are not zero (or not the empty string) "
            "across dimensions.",
     .example = ">>> tf.math.count_nonzero([0, 1, 2]).numpy().item()\n2"},
    {.names = "strings.reduce_join",
     .args = "inputs: tensor; axis: tensor(int32) as reduction_indices = "
             "None; keepdims: bool = False; separator: string = ''",
     .scope = "ReduceJoin",
     .ragged = RaggedForm::kReduceJoin,
     .build = ReduceJoin,
     .doc = "Strings joined along dimensions, all of them unless given; the "
            "one that is named last varies fastest.",
     .example = ">>> tf.strings.reduce_join([['a', 'b'], ['c', 'd']], "
                "axis=1, separator='-').numpy().tolist()\n"
                "[b'a-b', b'c-d']"},
    {.names = "nn.zero_fraction|math.zero_fraction",
     .args = "value: tensor",
     .scope = "zero_fraction",
     .build = ZeroFraction,
     .doc = "Fraction of zeros in `value`, a float32 scalar.",
     .example = ">>> tf.nn.zero_fraction([0., 1.]).numpy().item()\n0.5"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_reduce)

}  // namespace gk
