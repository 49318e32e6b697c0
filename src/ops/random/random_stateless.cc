// Random ops that are pure functions of a seed, or of a key and a counter.
#include "ops/fn/random_stateless.h"

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/random/random_fill.h"
#include "ops/random/random_gamma_grad.h"
#include "ops/random/random_samples.h"

namespace gk {
namespace {

// The generator of ops with a seed input, or with key, counter and alg.
template <bool kKeyed, int kFirst = 1>
StatusOr<Philox> Generator(KernelContext& c) {
  if constexpr (kKeyed) {
    return GeneratorOfKeyCounter(c.input(kFirst), c.input(kFirst + 1),
                                 c.input(kFirst + 2));
  } else {
    return GeneratorOfSeed(c.input(kFirst));
  }
}

template <RandomKind kKind, bool kKeyed>
Status ComputeFloats(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Philox gen, Generator<kKeyed>(c));
  GK_ASSIGN_OR_RETURN(TensorShape shape, ShapeFromInput(c.input(0)));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, c.attr<DataType>("dtype"), shape, &out));
  return FillRandom(kKind, gen, out);
}

template <bool kKeyed>
Status ComputeInts(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Philox gen, Generator<kKeyed>(c));
  GK_ASSIGN_OR_RETURN(TensorShape shape, ShapeFromInput(c.input(0)));
  const int low = kKeyed ? 4 : 2;
  GK_RETURN_IF_ERROR(CheckIntRange(c.input(low), c.input(low + 1)));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, c.attr<DataType>("dtype"), shape, &out));
  return FillRandomInt(gen, c.input(low), c.input(low + 1), out);
}

template <bool kKeyed>
Status ComputeFullInts(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Philox gen, Generator<kKeyed>(c));
  GK_ASSIGN_OR_RETURN(TensorShape shape, ShapeFromInput(c.input(0)));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, c.attr<DataType>("dtype"), shape, &out));
  return FillRandomFullInt(gen, out);
}

Status ComputeKeyCounter(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Philox gen, GeneratorOfSeed(c.input(0)));
  Tensor *key, *counter;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kUint64, TensorShape({1}), &key));
  GK_RETURN_IF_ERROR(
      c.Allocate(1, DataType::kUint64, TensorShape({2}), &counter));
  key->data<uint64_t>()[0] = gen.Key();
  counter->data<uint64_t>()[0] = gen.CounterLow();
  counter->data<uint64_t>()[1] = gen.CounterHigh();
  if (c.num_outputs() == 3) c.set_output(2, Tensor::Scalar<int32_t>(1));
  return OkStatus();
}

Status KeyCounterShape(InferenceContext& c) {
  PartialTensorShape seed;
  GK_RETURN_IF_ERROR(c.WithRank(0, 1, &seed));
  int64_t two;
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(seed.dim(0), 2, &two));
  c.set_output(0, {1});
  c.set_output(1, {2});
  if (c.num_outputs() == 3) c.set_output(2, PartialTensorShape(TensorShape()));
  return OkStatus();
}

Status ComputeAlg(KernelContext& c) {
  c.set_output(0, Tensor::Scalar<int32_t>(1));
  return OkStatus();
}

Status KeyedShape(InferenceContext& c) {
  PartialTensorShape key, counter, alg;
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &key));
  GK_RETURN_IF_ERROR(c.WithRank(2, 1, &counter));
  GK_RETURN_IF_ERROR(c.WithRank(3, 0, &alg));
  int64_t one;
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(key.dim(0), 1, &one));
  return ShapeOfInput0(c);
}

Status ComputeCategorical(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(CategoricalSizes sizes,
                      CheckCategorical(c.input(0), c.input(1)));
  GK_ASSIGN_OR_RETURN(Philox gen, (Generator<false, 2>(c)));
  return SampleCategorical(gen, sizes, c);
}

template <bool kKeyed>
Status ComputeGamma(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Philox gen, Generator<kKeyed>(c));
  const Tensor& alpha = c.input(kKeyed ? 4 : 2);
  GK_ASSIGN_OR_RETURN(PerParameter sizes, CheckWholeShape(c.input(0), alpha));
  return SampleGamma(sizes, gen, alpha, c);
}

Status ComputePoisson(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Philox gen, Generator<false>(c));
  GK_ASSIGN_OR_RETURN(PerParameter sizes,
                      CheckWholeShape(c.input(0), c.input(2)));
  return SamplePoisson(sizes, gen, c.input(2), c);
}

Status ComputeBinomial(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Philox gen, Generator<false>(c));
  GK_ASSIGN_OR_RETURN(TensorShape shape, ShapeFromInput(c.input(0)));
  GK_RETURN_IF_ERROR(AllocateBinomial(shape, c.input(2), c.input(3), c));
  return SampleBinomial(shape, gen, c.input(2), c.input(3), c);
}

Status ComputeShuffle(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Philox gen, Generator<true>(c));
  const Tensor& value = c.input(0);
  if (value.rank() == 0 || value.dim(0) < 2) {
    c.set_output(0, value.Alias());
    return OkStatus();
  }
  return ShuffleRows(gen, value, c);
}

const OpRecord kRecords[] = {
    {.name = "StatelessRandomUniform",
     .inputs = "shape: T; seed: Tseed",
     .outputs = "output: dtype",
     .attrs = "dtype: type in [half, bfloat16, float, double] = float; T: type "
              "in [int32, int64] = int32; Tseed: type in [int32, int64] = "
              "int64",
     .traits = kNoGradient,
     .shape = SeededShape,
     .kernel = {.compute = ComputeFloats<RandomKind::kUniform, false>},
     .doc = "Values uniform in [0, 1), determined by the seed."},

    {.name = "StatelessRandomNormal",
     .inputs = "shape: T; seed: Tseed",
     .outputs = "output: dtype",
     .attrs = "dtype: type in [half, bfloat16, float, double] = float; T: type "
              "in [int32, int64] = int32; Tseed: type in [int32, int64] = "
              "int64",
     .traits = kNoGradient,
     .shape = SeededShape,
     .kernel = {.compute = ComputeFloats<RandomKind::kNormal, false>},
     .doc = "Normal values of mean 0 and deviation 1, determined by the "
            "seed."},

    {.name = "StatelessTruncatedNormal",
     .inputs = "shape: T; seed: Tseed",
     .outputs = "output: dtype",
     .attrs = "dtype: type in [half, bfloat16, float, double] = float; T: type "
              "in [int32, int64] = int32; Tseed: type in [int32, int64] = "
              "int64",
     .traits = kNoGradient,
     .shape = SeededShape,
     .kernel = {.compute = ComputeFloats<RandomKind::kTruncatedNormal, false>},
     .doc = "Normal values within two deviations, determined by the seed."},

    {.name = "StatelessRandomUniformInt",
     .inputs = "shape: T; seed: Tseed; minval: dtype; maxval: dtype",
     .outputs = "output: dtype",
     .attrs = "dtype: type in [int32, int64]; T: type in [int32, int64]; "
              "Tseed: type in [int32, int64] = int64",
     .traits = kNoGradient,
     .shape = SeededShape,
     .kernel = {.compute = ComputeInts<false>},
     .doc = "Integers uniform in [minval, maxval), determined by the seed."},

    {.name = "StatelessRandomUniformFullInt",
     .inputs = "shape: T; seed: Tseed",
     .outputs = "output: dtype",
     .attrs = "dtype: type in [int32, int64, uint32, uint64] = uint64; T: type "
              "in [int32, int64] = int32; Tseed: type in [int32, int64, "
              "uint32, uint64] = int64",
     .traits = kNoGradient,
     .shape = SeededShape,
     .kernel = {.compute = ComputeFullInts<false>},
     .doc = "Integers of the whole range of the type, determined by the "
            "seed."},

    {.name = "StatelessRandomUniformV2",
     .inputs = "shape: Tshape; key: uint64; counter: uint64; alg: int32",
     .outputs = "output: dtype",
     .attrs = "dtype: type in [half, bfloat16, float, double] = float; Tshape: "
              "type in [int32, int64] = int32",
     .traits = kNoGradient,
     .shape = KeyedShape,
     .kernel = {.compute = ComputeFloats<RandomKind::kUniform, true>},
     .doc = "Values uniform in [0, 1), determined by key and counter."},

    {.name = "StatelessRandomNormalV2",
     .inputs = "shape: Tshape; key: uint64; counter: uint64; alg: int32",
     .outputs = "output: dtype",
     .attrs = "dtype: type in [half, bfloat16, float, double] = float; Tshape: "
              "type in [int32, int64] = int32",
     .traits = kNoGradient,
     .shape = KeyedShape,
     .kernel = {.compute = ComputeFloats<RandomKind::kNormal, true>},
     .doc = "Normal values of mean 0 and deviation 1, determined by key and "
            "counter."},

    {.name = "StatelessTruncatedNormalV2",
     .inputs = "shape: Tshape; key: uint64; counter: uint64; alg: int32",
     .outputs = "output: dtype",
     .attrs = "dtype: type in [half, bfloat16, float, double] = float; Tshape: "
              "type in [int32, int64] = int32",
     .traits = kNoGradient,
     .shape = KeyedShape,
     .kernel = {.compute = ComputeFloats<RandomKind::kTruncatedNormal, true>},
     .doc = "Normal values within two deviations, determined by key and "
            "counter."},

    {.name = "StatelessRandomUniformIntV2",
     .inputs = "shape: Tshape; key: uint64; counter: uint64; alg: int32; "
               "minval: dtype; maxval: dtype",
     .outputs = "output: dtype",
     .attrs = "dtype: type in [int32, int64, uint32, uint64]; Tshape: type in "
              "[int32, int64] = int32",
     .traits = kNoGradient,
     .shape = KeyedShape,
     .kernel = {.compute = ComputeInts<true>},
     .doc = "Integers uniform in [minval, maxval), determined by key and "
            "counter."},

    {.name = "StatelessRandomUniformFullIntV2",
     .inputs = "shape: Tshape; key: uint64; counter: uint64; alg: int32",
     .outputs = "output: dtype",
     .attrs = "dtype: type in [int32, int64, uint32, uint64] = uint64; Tshape: "
              "type in [int32, int64] = int32",
     .traits = kNoGradient,
     .shape = KeyedShape,
     .kernel = {.compute = ComputeFullInts<true>},
     .doc = "Integers of the whole range of the type, determined by key and "
            "counter."},

    {.name = "StatelessRandomGetKeyCounter",
     .inputs = "seed: Tseed",
     .outputs = "key: uint64; counter: uint64",
     .attrs = "Tseed: type in [int32, int64] = int64",
     .traits = kNoGradient,
     .shape = KeyCounterShape,
     .kernel = {.compute = ComputeKeyCounter},
     .doc = "The key and counter that a seed stands for."},

    {.name = "StatelessRandomGetKeyCounterAlg",
     .inputs = "seed: Tseed",
     .outputs = "key: uint64; counter: uint64; alg: int32",
     .attrs = "Tseed: type in [int32, int64] = int64",
     .traits = kNoGradient,
     .shape = KeyCounterShape,
     .kernel = {.compute = ComputeKeyCounter},
     .doc = "The key, counter and algorithm that a seed stands for."},

    {.name = "StatelessRandomGetAlg",
     .inputs = "",
     .outputs = "alg: int32",
     .attrs = "",
     .traits = kStateful | kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeAlg},
     .doc = "The algorithm of stateless random ops: 1, which is Philox."},

    {.name = "StatelessMultinomial",
     .inputs = "logits: T; num_samples: int32; seed: Tseed",
     .outputs = "output: output_dtype",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, int64, "
              "bfloat16, uint16, half, uint32, uint64]; Tseed: type in [int32, "
              "int64] = int64; output_dtype: type in [int32, int64] = int64",
     .traits = kNoGradient,
     .shape = CategoricalShape,
     .kernel = {.compute = ComputeCategorical},
     .doc = "Classes drawn for each row of unnormalised log probabilities, "
            "determined by the seed."},

    {.name = "StatelessRandomGammaV2",
     .inputs = "shape: T; seed: Tseed; alpha: dtype",
     .outputs = "output: dtype",
     .attrs = "dtype: type in [half, float, double]; T: type in [int32, "
              "int64]; Tseed: type in [int32, int64] = int64",
     .shape = SeededShape,
     .kernel = {.compute = ComputeGamma<false>},
     .gradient = [](GradContext& g) { SetGammaGradient(g, 2); },
     .doc = "Gamma deviates of rate 1, determined by the seed; the shape ends "
            "with that of alpha.",
     // Not the slope of the sampler, which rejects.
     .test = {.skip_gradient = true}},

    {.name = "StatelessRandomGammaV3",
     .inputs = "shape: shape_dtype; key: uint64; counter: uint64; alg: int32; "
               "alpha: dtype",
     .outputs = "output: dtype",
     .attrs = "dtype: type in [half, float, double]; shape_dtype: type in "
              "[int32, int64] = int32",
     .shape = KeyedShape,
     .kernel = {.compute = ComputeGamma<true>},
     .gradient = [](GradContext& g) { SetGammaGradient(g, 4); },
     .doc = "Gamma deviates of rate 1, determined by key and counter; the "
            "shape ends with that of alpha.",
     // Not the slope of the sampler, which rejects.
     .test = {.skip_gradient = true}},

    {.name = "StatelessRandomPoisson",
     .inputs = "shape: T; seed: Tseed; lam: Rtype",
     .outputs = "output: dtype",
     .attrs = "Rtype: type in [half, float, double, int32, int64]; dtype: type "
              "in [half, float, double, int32, int64]; T: type in [int32, "
              "int64]; Tseed: type in [int32, int64] = int64",
     .traits = kNoGradient,
     .shape = SeededShape,
     .kernel = {.compute = ComputePoisson},
     .doc = "Poisson deviates, determined by the seed; the shape ends with "
            "that of lam."},

    {.name = "StatelessRandomBinomial",
     .inputs = "shape: S; seed: Tseed; counts: T; probs: T",
     .outputs = "output: dtype",
     .attrs = "S: type in [int32, int64]; Tseed: type in [int32, int64] = "
              "int64; T: type in [half, float, double, int32, int64] = double; "
              "dtype: type in [half, float, double, int32, int64] = int64",
     .traits = kNoGradient,
     .shape = SeededShape,
     .kernel = {.compute = ComputeBinomial},
     .doc = "Binomial deviates, determined by the seed; the shape ends with "
            "that of counts and probs together."},

    {.name = "StatelessShuffle",
     .inputs = "value: T; key: uint64; counter: uint64; alg: int32",
     .outputs = "output: T",
     .attrs = "T: type",
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeShuffle},
     .doc = "The input with the slices of its first dimension in an order "
            "determined by key and counter."},
};

}  // namespace

GK_REGISTER_OPS(random_stateless)

}  // namespace gk
