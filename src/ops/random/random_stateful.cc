// Random ops that keep their place in a stream of their own.
#include "ops/fn/random_stateful.h"

#include <cmath>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/random/random_fill.h"
#include "ops/random/random_gamma_grad.h"
#include "ops/random/random_place.h"
#include "ops/random/random_samples.h"

namespace gk {
namespace {

template <RandomKind kKind>
Status ComputeStatefulFloats(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(TensorShape shape, ShapeFromInput(c.input(0)));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, c.attr<DataType>("dtype"), shape, &out));
  if (shape.num_elements() == 0) return OkStatus();
  const Philox gen = TakePlaceForValues(c, shape.num_elements());
  return FillRandom(kKind, gen, out);
}

Status ComputeStatefulInts(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(TensorShape shape, ShapeFromInput(c.input(0)));
  GK_RETURN_IF_ERROR(CheckIntRange(c.input(1), c.input(2)));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, c.attr<DataType>("Tout"), shape, &out));
  if (shape.num_elements() == 0) return OkStatus();
  const Philox gen = TakePlaceForValues(c, shape.num_elements());
  return FillRandomInt(gen, c.input(1), c.input(2), out);
}

Status ComputeStatefulShuffle(KernelContext& c) {
  const Tensor& value = c.input(0);
  if (value.rank() == 0 || value.dim(0) < 2 || value.num_elements() == 0) {
    c.set_output(0, value.Alias());
    return OkStatus();
  }
  const int64_t n = value.dim(0);
  // One word for each element but the last, in whole blocks.
  const Philox gen = TakePlace(c, [n](Philox& g) { g.Skip((n - 1 + 3) / 4); });
  return ShuffleRows(gen, value, c);
}

Status ComputeMultinomial(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(CategoricalSizes sizes,
                      CheckCategorical(c.input(0), c.input(1)));
  // Draws of a row are set aside in groups of four, two words each.
  const int64_t drawn =
      MultiplyWithoutOverflow(sizes.rows, (sizes.samples + 3) / 4 * 8);
  if (drawn < 0) return InvalidArgument("num_samples is too large");
  if (sizes.rows == 0 || sizes.samples == 0) {
    return SampleCategorical(Philox(), sizes, c);
  }
  return SampleCategorical(TakePlaceForValues(c, drawn), sizes, c);
}

Status ComputeGamma(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(PerParameter sizes,
                      CheckPerParameter(c.input(0), c.input(1)));
  return SampleGamma(sizes, TakePlaceForValues(c, sizes.shape.num_elements()),
                     c.input(1), c);
}

Status ComputeStatefulPoisson(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(PerParameter sizes,
                      CheckPerParameter(c.input(0), c.input(1)));
  return SamplePoisson(sizes, TakePlaceForValues(c, sizes.shape.num_elements()),
                       c.input(1), c);
}

Status PerParameterShape(InferenceContext& c) {
  PartialTensorShape shape;
  GK_RETURN_IF_ERROR(c.WithRank(0, 1, &shape));
  PartialTensorShape out = c.ValueAsShape(0);
  if (out.unknown_rank() || c.input(1).unknown_rank()) {
    c.set_output(0, PartialTensorShape());
    return OkStatus();
  }
  for (int64_t d : c.input(1).dims()) out.AddDim(d);
  c.set_output(0, out);
  return OkStatus();
}

Status ComputeNonDeterministic(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(TensorShape shape, ShapeFromInput(c.input(0)));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, c.attr<DataType>("dtype"), shape, &out));
  return FillRandomFullInt(
      Philox::FromKeyCounter(RandomSeed(), RandomSeed(), RandomSeed()), out);
}

const OpRecord kRecords[] = {
    {.name = "RandomUniform",
     .inputs = "shape: T",
     .outputs = "output: dtype",
     .attrs = "seed: int = 0; seed2: int = 0; dtype: type in [half, bfloat16, "
              "float, double]; T: type in [int32, int64]",
     .traits = kStateful | kRandom | kNoGradient,
     .shape = ShapeOfInput0,
     .kernel = {.compute = ComputeStatefulFloats<RandomKind::kUniform>},
     .doc = "Values uniform in [0, 1)."},

    {.name = "RandomStandardNormal",
     .inputs = "shape: T",
     .outputs = "output: dtype",
     .attrs = "seed: int = 0; seed2: int = 0; dtype: type in [half, bfloat16, "
              "float, double]; T: type in [int32, int64]",
     .traits = kStateful | kRandom | kNoGradient,
     .shape = ShapeOfInput0,
     .kernel = {.compute = ComputeStatefulFloats<RandomKind::kNormal>},
     .doc = "Normal values of mean 0 and deviation 1."},

    {.name = "TruncatedNormal",
     .inputs = "shape: T",
     .outputs = "output: dtype",
     .attrs = "seed: int = 0; seed2: int = 0; dtype: type in [half, bfloat16, "
              "float, double]; T: type in [int32, int64]",
     .traits = kStateful | kRandom | kNoGradient,
     .shape = ShapeOfInput0,
     .kernel = {.compute = ComputeStatefulFloats<RandomKind::kTruncatedNormal>},
     .doc = "Normal values, those beyond two deviations drawn again."},

    {.name = "RandomUniformInt",
     .inputs = "shape: T; minval: Tout; maxval: Tout",
     .outputs = "output: Tout",
     .attrs = "seed: int = 0; seed2: int = 0; Tout: type in [int32, int64]; T: "
              "type in [int32, int64]",
     .traits = kStateful | kRandom | kNoGradient,
     .shape = ShapeOfInput0,
     .kernel = {.compute = ComputeStatefulInts},
     .doc = "Integers uniform in [minval, maxval)."},

    {.name = "RandomShuffle",
     .inputs = "value: T",
     .outputs = "output: T",
     .attrs = "seed: int = 0; seed2: int = 0; T: type",
     .traits = kStateful | kRandom | kNoGradient,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeStatefulShuffle},
     .doc = "The input with the slices of its first dimension in random "
            "order."},

    {.name = "Multinomial",
     .inputs = "logits: T; num_samples: int32",
     .outputs = "output: output_dtype",
     .attrs = "seed: int = 0; seed2: int = 0; T: type in [float, double, "
              "int32, uint8, int16, int8, int64, bfloat16, uint16, half, "
              "uint32, uint64]; output_dtype: type in [int32, int64] = int64",
     .traits = kStateful | kRandom | kNoGradient,
     .shape = CategoricalShape,
     .kernel = {.compute = ComputeMultinomial},
     .doc = "Classes drawn for each row of unnormalised log probabilities."},

    {.name = "RandomGamma",
     .inputs = "shape: S; alpha: T",
     .outputs = "output: T",
     .attrs = "seed: int = 0; seed2: int = 0; S: type in [int32, int64]; T: "
              "type in [half, float, double]",
     .traits = kStateful | kRandom,
     .shape = PerParameterShape,
     .kernel = {.compute = ComputeGamma},
     .gradient = [](GradContext& g) { SetGammaGradient(g, 1); },
     .doc = "Gamma deviates of rate 1 for each shape parameter in alpha."},

    {.name = "RandomPoissonV2",
     .inputs = "shape: S; rate: R",
     .outputs = "output: dtype",
     .attrs = "seed: int = 0; seed2: int = 0; S: type in [int32, int64]; R: "
              "type in [half, float, double, int32, int64] = double; dtype: "
              "type in [half, float, double, int32, int64] = int64",
     .traits = kStateful | kRandom | kNoGradient,
     .shape = PerParameterShape,
     .kernel = {.compute = ComputeStatefulPoisson},
     .doc = "Poisson deviates for each mean in rate."},

    {.name = "NonDeterministicInts",
     .inputs = "shape: shape_dtype",
     .outputs = "output: dtype",
     .attrs = "dtype: type = int64; shape_dtype: type = int64",
     .traits = kStateful | kRandom | kNoGradient,
     .shape = ShapeOfInput0,
     .kernel = {.compute = ComputeNonDeterministic},
     .doc = "Integers that no seed determines."},
};

}  // namespace

GK_REGISTER_OPS(random_stateful)

}  // namespace gk
