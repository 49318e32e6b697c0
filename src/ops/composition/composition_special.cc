// Small functions of mathematics, segments' means, and draws from more
// distributions.
#include <cmath>
#include <vector>

#include "ops/composition.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/All.h"
#include "ops/fn/BroadcastArgs.h"
#include "ops/fn/BroadcastTo.h"
#include "ops/fn/Fill.h"
#include "ops/fn/Greater.h"
#include "ops/fn/GreaterEqual.h"
#include "ops/fn/Lgamma.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Ndtri.h"
#include "ops/fn/Neg.h"
#include "ops/fn/Pad.h"
#include "ops/fn/PadV2.h"
#include "ops/fn/QuantizeAndDequantizeV2.h"
#include "ops/fn/QuantizeAndDequantizeV4.h"
#include "ops/fn/RandomIndexShuffle.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Sqrt.h"
#include "ops/fn/StatefulRandomBinomial.h"
#include "ops/fn/StatelessRandomBinomial.h"
#include "ops/fn/StatelessRandomGammaV3.h"
#include "ops/fn/StatelessRandomPoisson.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Sum.h"
#include "ops/fn/UnsortedSegmentSum.h"
#include "ops/fn/ZerosLike.h"
#include "ops/operators.h"
#include "ops/random/random_source.h"
#include "ops/signal/padded_fft.h"

namespace gk {
namespace {

TensorVector Erfcinv(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const Tensor half = ops::Mul(NumberOf(0.5, x.dtype()), x);
  return {ops::Mul(ops::Neg(ops::Ndtri(half)),
                   NumberOf(std::sqrt(0.5), x.dtype()))};
}

TensorVector Lbeta(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const Tensor last = IntsTensor(std::vector<int64_t>{-1}, DataType::kInt32);
  const Tensor product = ops::Sum(ops::Lgamma(x), last);
  return {ops::Sub(product, ops::Lgamma(ops::Sum(x, last)))};
}

TensorVector Polyval(CompositionCall& c) {
  const TensorVector& coefficients = c.tensors(0);
  const Tensor& x = c.tensor(1);
  if (coefficients.empty()) return {ops::ZerosLike(OpName(c.name()), x)};
  Tensor sum = coefficients[0];
  for (size_t i = 1; i < coefficients.size(); ++i) {
    sum = ops::AddV2(coefficients[i], ops::Mul(sum, x));
  }
  return {sum};
}

template <bool kStrictly>
TensorVector IsIncreasing(CompositionCall& c) {
  const Tensor& given = c.tensor(0);
  if (!IsNumeric(given.dtype()) && given.dtype() != DataType::kBool) {
    throw Error(TypeError("Expected x to be numeric, instead found: {}",
                          DataTypeName(given.dtype())));
  }
  const Tensor x = ops::Reshape(
      given, IntsTensor(std::vector<int64_t>{-1}, DataType::kInt32));
  const Tensor after = LastSlice(x, SubscriptBound(1), std::nullopt);
  const Tensor before = LastSlice(x, std::nullopt, SubscriptBound(-1));
  const Tensor rises = kStrictly ? ops::Greater(after, before)
                                 : ops::GreaterEqual(after, before);
  return {ops::All(rises, Int32Of(0))};
}

// ---- Segments ----

template <bool kRoot>
TensorVector SegmentMean(CompositionCall& c) {
  const Tensor &data = c.tensor(0), &ids = c.tensor(1);
  const Tensor* given = c.get<Tensor>(2);
  const DataType wide = given != nullptr && IsInteger(given->dtype())
                            ? given->dtype()
                            : DataType::kInt32;
  const Tensor count = ArgumentAs(c, 2, wide, "num_segments");
  const DataType t = data.dtype();
  const Tensor ones =
      ops::Fill(ops::Shape(ids, DataType::kInt32), NumberOf(1, t));
  const Tensor sizes =
      ops::Maximum(ops::UnsortedSegmentSum(ones, ids, count), NumberOf(1, t));
  // [segments, 1, ...]: as many ones as the rows of data have dimensions.
  const Tensor inner = LastSlice(
      ops::Shape(data, DataType::kInt32),
      SubscriptBound::Of(ops::Reshape(
          ops::Shape(ops::Shape(ids, DataType::kInt32), DataType::kInt32),
          IntsTensor({}, DataType::kInt32))),
      std::nullopt);
  const Tensor form = ops::PadV2(
      ops::Fill(ops::Shape(inner, DataType::kInt32), Int32Of(1)),
      ops::Reshape(IntsTensor(std::vector<int64_t>{1, 0}, DataType::kInt32),
                   IntsTensor(std::vector<int64_t>{1, 2}, DataType::kInt32)),
      Int32Of(-1));
  const Tensor divisors = ops::Reshape(sizes, form);
  const Tensor sums = ops::UnsortedSegmentSum(data, ids, count);
  // Means of integers are floats.
  return {
      Apply(Operator::kDivide, sums, kRoot ? ops::Sqrt(divisors) : divisors)};
}

// ---- Draws ----

TensorVector StatelessBinomial(CompositionCall& c) {
  const Tensor& chances = c.tensor(3);
  Tensor counts;
  if (c.get<int64_t>(2) || c.get<double>(2)) {
    counts = ArgumentAs(c, 2, chances.dtype(), "counts");
  } else {
    counts = c.tensor(2);
  }
  return {ops::StatelessRandomBinomial(
      OpName(c.name("StatelessRandomBinomial")), RandomShape(c, 0), c.tensor(1),
      counts, chances, c.type(4))};
}

double Tiny(DataType t) {
  switch (t) {
    case DataType::kHalf:
      return 6.104e-05;
    case DataType::kDouble:
      return 2.2250738585072014e-308;
    default:
      return 1.1754943508222875e-38;
  }
}

TensorVector StatelessGamma(CompositionCall& c) {
  const DataType t = c.type(4);
  const Tensor& shape = RandomShape(c, 0);
  const Tensor alpha = ArgumentAs(c, 2, t, "alpha");
  const Tensor beta =
      c.has(3) ? ArgumentAs(c, 3, t, "beta") : NumberOf(1, t, c.name("beta"));
  const Tensor both = ops::BroadcastArgs(ops::Shape(alpha, DataType::kInt32),
                                         ops::Shape(beta, DataType::kInt32));
  const Tensor wide = ops::BroadcastTo(alpha, both);
  const TensorVector pair = KeyCounter(c, 1);
  const Tensor values =
      ops::StatelessRandomGammaV3(shape, pair[0], pair[1], Int32Of(1), wide);
  return {ops::Maximum(NumberOf(Tiny(t), t), ops::RealDiv(values, beta))};
}

TensorVector StatelessPoisson(CompositionCall& c) {
  return {ops::StatelessRandomPoisson(OpName(c.name("StatelessRandomPoisson")),
                                      RandomShape(c, 0), c.tensor(1),
                                      c.tensor(2), c.type(3))};
}

// The raw op's seeds have three numbers, the first of them anything.
TensorVector IndexShuffle(CompositionCall& c) {
  const Tensor& seed = c.tensor(1);
  const PartialTensorShape shape = seed.partial_shape();
  const bool batch = !shape.unknown_rank() && shape.rank() == 2;
  const std::vector<int64_t> before =
      batch ? std::vector<int64_t>{0, 0, 1, 0} : std::vector<int64_t>{1, 0};
  const Tensor paddings = ops::Reshape(
      IntsTensor(before, DataType::kInt32),
      IntsTensor(std::vector<int64_t>{batch ? 2 : 1, 2}, DataType::kInt32));
  const Tensor whole =
      ops::PadV2(seed, paddings, IntegerOf(498247692, seed.dtype()));
  return {ops::RandomIndexShuffle(c.tensor(0), whole, c.tensor(2), 4)};
}

TensorVector GeneratorBinomial(CompositionCall& c) {
  const Tensor& chances = c.tensor(4);
  return {ops::StatefulRandomBinomial(
      OpName(c.name("StatefulRandomBinomial")), c.tensor(0),
      IntegerOf(c.integer(1), DataType::kInt64), RandomShape(c, 2), c.tensor(3),
      chances, c.type(5))};
}

// ---- Quantizing and back ----

template <bool kSecond>
TensorVector QuantizeAndDequantize(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  int64_t axis = -1;
  if (c.has(9)) {
    axis = c.integer(9);
    if (axis < 0) {
      const PartialTensorShape shape = x.partial_shape();
      if (shape.unknown_rank()) {
        throw Error(
            ValueError("input should have known rank to use negative axis."));
      }
      axis += shape.rank();
    }
  }
  const OpName node(c.name());
  if (kSecond) {
    return {ops::QuantizeAndDequantizeV4(node, x, c.tensor(1), c.tensor(2),
                                         c.flag(3), c.integer(4), c.flag(5),
                                         c.text(6), c.flag(8), axis)};
  }
  return {ops::QuantizeAndDequantizeV2(node, x, c.tensor(1), c.tensor(2),
                                       c.flag(3), c.integer(4), c.flag(5),
                                       c.text(6), c.flag(8), axis)};
}

#define ROUND_ARGS                                                            \
  "input: tensor(T); input_min: tensor(T); input_max: tensor(T); "            \
  "signed_input: bool = True; num_bits: int = 8; range_given: bool = False; " \
  "round_mode: string = 'HALF_TO_EVEN'; name: name = None; narrow_range: "    \
  "bool "                                                                     \
  "= False; axis: int = None"
#define SEGMENT_ARGS \
  "data: tensor; segment_ids: tensor(int32); num_segments: native"
#define DRAWN_COUNTS "shape: tensor(int32); seed: tensor(int32)"

const CompositionRecord kRecords[] = {
    {.names = "math.erfcinv",
     .args = "x: tensor",
     .scope = "erfcinv",
     .build = Erfcinv,
     .doc = "The inverse of `tf.math.erfc`.",
     .example = ">>> tf.math.erfcinv([1., 0.5]).numpy().round(4)[1].item()\n"
                "0.47690001130104065"},
    {.names = "math.lbeta",
     .args = "x: tensor",
     .scope = "lbeta",
     .build = Lbeta,
     .doc = "ln |Beta(x)|, over the last dimension.",
     .example = ">>> tf.math.lbeta([1., 1., 1.]).numpy().round(4).item()\n"
                "-0.6930999755859375"},
    {.names = "math.polyval",
     .args = "coeffs: tensors; x: tensor",
     .scope = "polyval",
     .build = Polyval,
     .doc = "The polynomial of these coefficients, the highest first, at x.",
     .example = ">>> tf.math.polyval([2, 1, 0], 3).numpy().item()\n21"},
    {.names = "math.is_non_decreasing|debugging.is_non_decreasing",
     .args = "x: tensor",
     .scope = "is_non_decreasing",
     .build = IsIncreasing<false>,
     .doc = "Is no element, in row-major order, below the one before?",
     .example = ">>> tf.math.is_non_decreasing([1, 2, 2]).numpy().item()\n"
                "True"},
    {.names = "math.is_strictly_increasing|debugging.is_strictly_increasing",
     .args = "x: tensor",
     .scope = "is_strictly_increasing",
     .build = IsIncreasing<true>,
     .doc = "Is each element, in row-major order, above the one before?",
     .example = ">>> tf.math.is_strictly_increasing([1, 2, 2]).numpy().item()"
                "\nFalse"},
    {.names = "math.unsorted_segment_mean",
     .args = SEGMENT_ARGS,
     .scope = "UnsortedSegmentMean",
     .build = SegmentMean<false>,
     .doc = "The mean of the slices of each id, of zeros where there are "
            "none.",
     .example = ">>> tf.math.unsorted_segment_mean([1., 3., 5.], [0, 0, 2], 3)"
                ".numpy().tolist()\n[2.0, 0.0, 5.0]"},
    {.names = "math.unsorted_segment_sqrt_n",
     .args = SEGMENT_ARGS,
     .scope = "UnsortedSegmentSqrtN",
     .build = SegmentMean<true>,
     .doc = "The sum of the slices of each id over the root of their number.",
     .example = ">>> tf.math.unsorted_segment_sqrt_n([1., 1., 1., 1.], "
                "[0, 0, 0, 0], 1).numpy().tolist()\n[2.0]"},
    {.names = "random.stateless_binomial",
     .args =
         DRAWN_COUNTS "; counts: native; probs: tensor(float32); output_dtype: "
                      "type = int32",
     .scope = "stateless_random_binomial",
     .build = StatelessBinomial,
     .doc = "How many of `counts` trials succeed that each do with "
            "probability `probs`, by `seed` alone. `shape` ends with that of "
            "counts and probs together.",
     .example = ">>> tf.random.stateless_binomial([2], [1, 2], 10., 1.)"
                ".numpy().tolist()\n[10, 10]"},
    {.names = "random.stateless_gamma",
     .args = "shape: tensor(int32); seed: tensor(int32) as "
             "StatelessRandomGetKeyCounter/seed; alpha: native(T); beta: "
             "native(T) = None; dtype: type(T) = float32",
     .scope = "stateless_random_gamma",
     .build = StatelessGamma,
     .doc = "Gamma distributed numbers, by `seed` alone. `shape` ends with "
            "that of alpha and beta together.",
     .example = ">>> tf.random.stateless_gamma([3, 2], [1, 2], [1., 2.])"
                ".shape\nTensorShape([3, 2])"},
    {.names = "random.stateless_poisson",
     .args = DRAWN_COUNTS "; lam: tensor; dtype: type = int32",
     .scope = "stateless_random_poisson",
     .build = StatelessPoisson,
     .doc = "Poisson distributed numbers, by `seed` alone. `shape` ends with "
            "that of `lam`.",
     .example = ">>> tf.random.stateless_poisson([2], [1, 2], 0.).numpy()"
                ".tolist()\n[0, 0]"},
    {.names = "random.experimental.index_shuffle",
     .args = "index: tensor(T); seed: tensor(int32); max_index: tensor(T)",
     .build = IndexShuffle,
     .doc = "Where `index` goes in the permutation of 0 to `max_index` that "
            "`seed` determines, without making it whole.",
     .example = ">>> tf.random.experimental.index_shuffle([0, 1, 2, 3, 4], "
                "[1, 2], 4).numpy().tolist()\n[2, 0, 1, 4, 3]",
     .takes_name = false},
    {.names = "_generator.binomial",
     .args = "state: handle; algorithm: int; shape: tensor(int32); counts: "
             "tensor(T); probs: tensor(T); dtype: type = int32",
     .scope = "binomial",
     .build = GeneratorBinomial},
    {.names = "quantization.quantize_and_dequantize",
     .args = ROUND_ARGS,
     .build = QuantizeAndDequantize<false>,
     .doc = "`input` as integers of `num_bits` bits would keep it. The "
            "gradient goes through everywhere.",
     .example = ">>> tf.quantization.quantize_and_dequantize([0.1, 0.5, 1.], "
                "0., 1.,\n...     num_bits=2).numpy().tolist()\n"
                "[0.0, 0.0, 1.0]"},
    {.names = "quantization.quantize_and_dequantize_v2",
     .args = ROUND_ARGS,
     .build = QuantizeAndDequantize<true>,
     .doc = "`input` as integers of `num_bits` bits would keep it. The "
            "gradient goes through inside the range.",
     .example = ">>> tf.quantization.quantize_and_dequantize_v2([0.1, 0.5, "
                "1.], 0., 1.,\n...     num_bits=2).numpy().tolist()\n"
                "[0.0, 0.0, 1.0]"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_special)

}  // namespace gk
