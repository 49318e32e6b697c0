// Random tensors: stateful and stateless.
#include <vector>

#include "ops/composition.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Pack.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/StatelessMultinomial.h"
#include "ops/fn/StatelessShuffle.h"
#include "ops/fn/ZerosLike.h"
#include "ops/random/random_source.h"
#include "ops/with_attrs/Multinomial.h"
#include "ops/with_attrs/RandomGamma.h"
#include "ops/with_attrs/RandomPoissonV2.h"
#include "ops/with_attrs/RandomShuffle.h"

namespace gk {
namespace {

// Of a shape (0), a seed (1) and an algorithm (6).
KeyedNumbers StatelessSource(const CompositionCall& c) {
  const Tensor& shape = RandomShape(c, 0);
  RandomAlgorithmChoice algorithm = AlgorithmOf(c, 6);
  const TensorVector pair = KeyCounter(c, 1);
  return KeyedNumbers(c, shape, pair[0], pair[1], std::move(algorithm));
}

TensorVector RandomUniform(CompositionCall& c) {
  const Tensor& shape = RandomShape(c, 0);
  return {UniformNumbers(c, 1, c.type(3), true,
                         [&] { return StatefulNumbers(c, shape, 4); })};
}

TensorVector RandomNormal(CompositionCall& c) {
  CheckFloatingResult(c.type(3), "random.normal");
  const Tensor& shape = RandomShape(c, 0);
  return {NormalNumbers(c, 1, c.type(3), kNormal,
                        [&] { return StatefulNumbers(c, shape, 4); })};
}

TensorVector RandomTruncatedNormal(CompositionCall& c) {
  CheckFloatingResult(c.type(3), "random.truncated_normal");
  const Tensor& shape = RandomShape(c, 0);
  return {NormalNumbers(c, 1, c.type(3), kTruncatedNormal,
                        [&] { return StatefulNumbers(c, shape, 4); })};
}

TensorVector Shuffle(CompositionCall& c) {
  return {
      ops::RandomShuffle(OpAttrs(SeedAttrsOf(c, 1), c.name()), c.tensor(0))};
}

TensorVector Categorical(CompositionCall& c) {
  AttrMap attrs = SeedAttrsOf(c, 3);
  attrs.Set("output_dtype", c.has(2) ? c.type(2) : DataType::kInt64);
  const std::string name = c.name("Multinomial");
  return {ops::Multinomial(OpAttrs(std::move(attrs), name), c.tensor(0),
                           c.tensor(1))};
}

double SmallestNormal(DataType t) {
  switch (t) {
    case DataType::kHalf:
      return 6.104e-05;
    case DataType::kDouble:
      return 2.2250738585072014e-308;
    default:
      return 1.1754944e-38;
  }
}

TensorVector Gamma(CompositionCall& c) {
  const DataType dtype = c.type(3);
  CheckFloatingResult(dtype, "random.gamma");
  const Tensor& shape = RandomShape(c, 0);
  const Tensor alpha = ArgumentAs(c, 1, dtype, "alpha");
  const Tensor beta = c.has(2) ? ArgumentAs(c, 2, dtype, "beta")
                               : NumberOf(1, dtype, c.name("beta"));
  const Tensor wide_alpha = ops::AddV2(alpha, ops::ZerosLike(beta));
  const Tensor wide_beta = ops::AddV2(beta, ops::ZerosLike(alpha));
  const std::string name = c.name("RandomGamma");
  const Tensor values =
      ops::RandomGamma(OpAttrs(SeedAttrsOf(c, 4), name), shape, wide_alpha);
  const Tensor left = NumberOf(SmallestNormal(dtype), dtype);
  return {ops::Maximum(left, ops::RealDiv(values, wide_beta))};
}

TensorVector Poisson(CompositionCall& c) {
  AttrMap attrs = SeedAttrsOf(c, 3);
  attrs.Set("dtype", c.type(2));
  const std::string name = c.name("RandomPoissonV2");
  return {ops::RandomPoissonV2(OpAttrs(std::move(attrs), name),
                               RandomShape(c, 0), c.tensor(1))};
}

TensorVector StatelessUniform(CompositionCall& c) {
  const DataType dtype = c.type(4);
  const auto source = [&] { return StatelessSource(c); };
  if (IsRandomInteger(dtype) && !c.has(2) && !c.has(3)) {
    return {source().DrawFullInts(dtype, c.name())};
  }
  return {UniformNumbers(c, 2, dtype, false, source)};
}

TensorVector StatelessNormal(CompositionCall& c) {
  CheckFloatingResult(c.type(4), "random.stateless_normal");
  return {NormalNumbers(c, 2, c.type(4), kNormal,
                        [&] { return StatelessSource(c); })};
}

TensorVector StatelessTruncatedNormal(CompositionCall& c) {
  CheckFloatingResult(c.type(4), "random.stateless_truncated_normal");
  return {NormalNumbers(c, 2, c.type(4), kTruncatedNormal,
                        [&] { return StatelessSource(c); })};
}

TensorVector StatelessCategorical(CompositionCall& c) {
  return {ops::StatelessMultinomial(OpName(c.name("StatelessMultinomial")),
                                    c.tensor(0), c.tensor(1), c.tensor(2),
                                    c.type(3))};
}

TensorVector StatelessShuffle(CompositionCall& c) {
  const RandomAlgorithmChoice algorithm = AlgorithmOf(c, 2);
  const TensorVector pair = KeyCounter(c, 1);
  return {ops::StatelessShuffle(
      OpName(c.name("StatelessShuffle")), c.tensor(0), pair[0], pair[1],
      MakeAlgorithm(c, algorithm, "StatelessShuffle/alg"))};
}

// Seeds of a seed: integers of the whole range, by Philox.
Tensor SeedsOf(const CompositionCall& c, const Tensor& shape, DataType dtype,
               int algorithm) {
  RandomAlgorithmChoice alg = AlgorithmOf(c, algorithm);
  const TensorVector pair = KeyCounter(c, 0);
  return KeyedNumbers(c, shape, pair[0], pair[1], std::move(alg))
      .DrawFullInts(dtype, c.name());
}

TensorVector SplitKey(CompositionCall& c) {
  Tensor shape;
  if (const int64_t* n = c.get<int64_t>(1)) {
    shape = IndicesOf(std::vector<int64_t>{*n, 2}, c.name("shape"));
  } else {
    const Tensor& count = c.tensor(1);
    shape = ops::Pack(OpName(c.name("shape")),
                      TensorVector{count, IntegerOf(2, count.dtype())}, 0);
  }
  return {SeedsOf(c, shape, c.tensor(0).dtype(), 2)};
}

TensorVector FoldIn(CompositionCall& c) {
  const Tensor& data = c.tensor(1);
  return {ops::Pack(
      TensorVector{SeedsOf(c, IndicesOf({}, c.name("shape")), data.dtype(), 2),
                   data},
      0)};
}

#define DRAWN "shape: tensor(int32); "
#define LIMITS                                        \
  "minval: native(T) = 0; maxval: native(T) = None; " \
  "dtype: type(T) = float32"
#define MOMENTS                                      \
  "mean: native(T) = 0.0; stddev: native(T) = 1.0; " \
  "dtype: type(T) = float32"
#define OF_SEED "; seed: seed = None"
#define SEEDED "seed: tensor(int32) as StatelessRandomGetKeyCounter/seed"
#define BY_ALGORITHM "; name: name = None; alg: native = 'auto_select'"

const CompositionRecord kRecords[] = {
    {.names = "random.uniform",
     .args = DRAWN LIMITS OF_SEED,
     .scope = "random_uniform",
     .build = RandomUniform,
     .doc = "Uniform numbers in [minval, maxval).\n\nArgs:\n  shape: of the "
            "result: ints or an integer tensor.\n  minval, maxval: limits, "
            "broadcast to `shape`; integers need `maxval`.\n  dtype: floating, "
            "int32 or int64.\n  seed: of this op; see `tf.random.set_seed`.\n"
            "  name: of the scope.\n\nRaises ValueError for another dtype or a "
            "missing `maxval`.",
     .example = ">>> tf.random.uniform([2, 3]).shape\nTensorShape([2, 3])"},
    {.names = "random.normal",
     .args = DRAWN MOMENTS OF_SEED,
     .scope = "random_normal",
     .build = RandomNormal,
     .doc = "Normally distributed numbers of the given mean and deviation.",
     .example = ">>> tf.random.normal([4]).shape\nTensorShape([4])"},
    {.names = "random.truncated_normal",
     .args = DRAWN MOMENTS OF_SEED,
     .scope = "truncated_normal",
     .build = RandomTruncatedNormal,
     .doc = "Normal numbers; those beyond two deviations are drawn again.",
     .example = ">>> bool(abs(tf.random.truncated_normal([])) <= 2)\nTrue"},
    {.names = "random.shuffle",
     .args = "value: tensor; seed: seed = None",
     .scope = "RandomShuffle",
     .build = Shuffle,
     .doc = "The slices along the first dimension in random order.",
     .example = ">>> sorted(tf.random.shuffle([3, 1, 2]).numpy().tolist())\n"
                "[1, 2, 3]"},
    {.names = "random.categorical",
     .args = "logits: tensor; num_samples: tensor(int32!); dtype: type = "
             "None; seed: seed = None",
     .scope = "categorical",
     .build = Categorical,
     .doc = "Class numbers drawn from unnormalised log probabilities.\n\n"
            "Args:\n  logits: [batch, classes].\n  num_samples: how many for "
            "each row.\n  dtype: int64 unless given.",
     .example = ">>> tf.random.categorical([[0., -1e9]], 3).numpy().tolist()\n"
                "[[0, 0, 0]]"},
    {.names = "random.gamma",
     .args = DRAWN "alpha: native(T); beta: native(T) = None; dtype: type(T) = "
                   "float32; seed: seed = None",
     .scope = "random_gamma",
     .build = Gamma,
     .doc = "Gamma distributed numbers, of shape `shape` + that of alpha / "
            "beta.",
     .example = ">>> tf.random.gamma([2], [1., 2.]).shape\n"
                "TensorShape([2, 2])"},
    {.names = "random.poisson",
     .args = DRAWN "lam: tensor; dtype: type = float32; seed: seed = None",
     .scope = "random_poisson",
     .build = Poisson,
     .doc = "Poisson distributed numbers, of shape `shape` + that of `lam`.",
     .example = ">>> tf.random.poisson([3], 0.).numpy().tolist()\n"
                "[0.0, 0.0, 0.0]"},
    {.names = "random.stateless_uniform",
     .args = DRAWN SEEDED "; " LIMITS BY_ALGORITHM,
     .scope = "stateless_random_uniform",
     .build = StatelessUniform,
     .doc = "Uniform numbers in [minval, maxval), a function of `seed` "
            "alone.\n\nArgs:\n  seed: two integers.\n  minval, maxval: both "
            "None for integers: the whole range.",
     .example = ">>> tf.random.stateless_uniform([], seed=[1, 2]).numpy()"
                ".item() < 1\nTrue"},
    {.names = "random.stateless_normal",
     .args = DRAWN SEEDED "; " MOMENTS BY_ALGORITHM,
     .scope = "stateless_random_normal",
     .build = StatelessNormal,
     .doc = "Normal numbers, a function of `seed` alone.",
     .example = ">>> tf.random.stateless_normal([2], seed=[1, 2]).shape\n"
                "TensorShape([2])"},
    {.names = "random.stateless_truncated_normal",
     .args = DRAWN SEEDED "; " MOMENTS BY_ALGORITHM,
     .scope = "stateless_truncated_normal",
     .build = StatelessTruncatedNormal,
     .doc = "Truncated normal numbers, a function of `seed` alone.",
     .example = ">>> tf.random.stateless_truncated_normal([2], seed=[1, 2])"
                ".shape\nTensorShape([2])"},
    {.names = "random.stateless_categorical",
     .args = "logits: tensor; num_samples: tensor(int32!); seed: "
             "tensor(int32); dtype: type? = int64",
     .scope = "stateless_categorical",
     .build = StatelessCategorical,
     .doc = "Class numbers of unnormalised log probabilities, by `seed` "
            "alone.",
     .example = ">>> tf.random.stateless_categorical([[0., -1e9]], 2, [1, 2])"
                ".shape\nTensorShape([1, 2])"},
    {.names = "random.experimental.stateless_shuffle",
     .args = "value: tensor; " SEEDED "; alg: native = 'auto_select'",
     .scope = "stateless_shuffle",
     .build = StatelessShuffle,
     .doc = "The slices along the first dimension in an order given by "
            "`seed`.",
     .example = ">>> tf.random.experimental.stateless_shuffle([0, 1, 2, 3, 4, "
                "5],\n...     seed=[1, 2]).numpy().tolist()\n"
                "[4, 5, 0, 3, 1, 2]"},

    {.names = "random.split|random.experimental.stateless_split",
     .args = SEEDED "; num: native = 2; alg: native = 'auto_select'",
     .scope = "stateless_random_uniform",
     .build = SplitKey,
     .doc = "`num` new seeds [num, 2] of one.",
     .example = ">>> tf.random.split([1, 2], 2).numpy().tolist()\n"
                "[[1105988140, 1738052849], [-335576002, 370444179]]",
     .takes_name = false},
    {.names = "random.fold_in|random.experimental.stateless_fold_in",
     .args = SEEDED "; data: tensor; alg: native = 'auto_select'",
     .scope = "stateless_random_uniform",
     .build = FoldIn,
     .doc = "A new seed of a seed and a number.",
     .example = ">>> tf.random.fold_in([1, 2], 3).numpy().tolist()\n"
                "[1105988140, 3]",
     .takes_name = false},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_random)

}  // namespace gk
