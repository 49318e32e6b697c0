// Random ops of a generator whose state is a variable: counter and key.
#include "ops/fn/random_generator.h"

#include "framework/op_registry.h"
#include "framework/variable.h"
#include "ops/random/random_fill.h"
#include "ops/random/random_samples.h"

namespace gk {
namespace {

constexpr int64_t kStateSize = 3;  // counter low and high, key

int64_t IntegerOf(const Tensor& scalar) {
  int64_t v = 0;
  VisitType<int32_t, int64_t, uint64_t>(scalar.dtype(), [&](auto tag) {
    v = static_cast<int64_t>(scalar.scalar<decltype(tag)>());
  });
  return v;
}

Status CheckAlgorithm(const Tensor& alg) {
  if (!alg.shape().IsScalar()) {
    return InvalidArgument("algorithm must be of shape [], not {}",
                           alg.shape().DebugString());
  }
  const int64_t id = IntegerOf(alg);
  if (id != 1 && id != 3) {
    return InvalidArgument("Unsupported algorithm id: {}", id);
  }
  return OkStatus();
}

Status CheckState(const Tensor& state) {
  if (state.dtype() != DataType::kInt64) {
    return InvalidArgument("dtype of RNG state variable must be int64, not {}",
                           DataTypeString(state.dtype()));
  }
  if (state.rank() != 1) {
    return InvalidArgument(
        "RNG state must have one and only one dimension, "
        "not {}",
        state.rank());
  }
  if (state.dim(0) < kStateSize) {
    return InvalidArgument(
        "For the Philox algorithm, the size of state must be at least {}; got "
        "{}",
        kStateSize, state.dim(0));
  }
  return OkStatus();
}

// The generator in the variable, which then moves past n values. `before`
// receives the state as it was.
StatusOr<Philox> TakeValues(const Tensor& handle, uint64_t n,
                            Tensor* before = nullptr) {
  GK_ASSIGN_OR_RETURN(VariableResource * v, VariableOf(handle));
  if (v->dtype() != DataType::kInt64) {
    return InvalidArgument("dtype of RNG state variable must be int64, not {}",
                           DataTypeString(v->dtype()));
  }
  Philox gen;
  GK_RETURN_IF_ERROR(v->Update([&](Tensor& state) -> Status {
    GK_RETURN_IF_ERROR(CheckState(state));
    if (before) {
      // Philox has counter and key in three; what follows is not told.
      GK_ASSIGN_OR_RETURN(
          *before, Tensor::Allocate(DataType::kInt64, TensorShape({3})));
      std::copy_n(state.data<int64_t>(), 3, before->data<int64_t>());
    }
    int64_t* s = state.data<int64_t>();
    gen = Philox::FromKeyCounter(static_cast<uint64_t>(s[2]),
                                 static_cast<uint64_t>(s[0]),
                                 static_cast<uint64_t>(s[1]));
    Philox after = gen;
    after.Skip(n * 256);  // its low 64 bits, as TensorFlow counts
    s[0] = static_cast<int64_t>(after.CounterLow());
    s[1] = static_cast<int64_t>(after.CounterHigh());
    return OkStatus();
  }));
  return gen;
}

Status ComputeSkip(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckAlgorithm(c.input(1)));
  if (!c.input(2).shape().IsScalar()) {
    return InvalidArgument("delta must be of shape [], not {}",
                           c.input(2).shape().DebugString());
  }
  const auto n = static_cast<uint64_t>(IntegerOf(c.input(2)));
  const bool reads = c.num_outputs() == 1;
  Tensor before;
  GK_RETURN_IF_ERROR(
      TakeValues(c.input(0), n, reads ? &before : nullptr).status());
  if (reads) c.set_output(0, std::move(before));
  return OkStatus();
}

Status SkipShape(InferenceContext& c) {
  PartialTensorShape scalar;
  for (int i = 0; i < 3; ++i) GK_RETURN_IF_ERROR(c.WithRank(i, 0, &scalar));
  if (c.num_outputs() == 1) c.set_output(0, {3});
  return OkStatus();
}

Status DrawShape(InferenceContext& c) {
  PartialTensorShape shape, algorithm;
  GK_RETURN_IF_ERROR(c.WithRank(1, 0, &algorithm));
  GK_RETURN_IF_ERROR(c.WithRank(2, 1, &shape));
  c.set_output(0, c.ValueAsShape(2));
  return OkStatus();
}

Status AllocateDraw(KernelContext& c, Tensor** out) {
  GK_RETURN_IF_ERROR(CheckAlgorithm(c.input(1)));
  GK_ASSIGN_OR_RETURN(TensorShape shape, ShapeFromInput(c.input(2)));
  return c.Allocate(0, c.attr<DataType>("dtype"), shape, out);
}

template <RandomKind kKind>
Status ComputeFloats(KernelContext& c) {
  Tensor* out;
  GK_RETURN_IF_ERROR(AllocateDraw(c, &out));
  if (!IsFloating(out->dtype())) {
    return c.NoKernel();
  }
  GK_ASSIGN_OR_RETURN(Philox gen, TakeValues(c.input(0), out->num_elements()));
  return FillRandom(kKind, gen, out);
}

Status ComputeInts(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckIntRange(c.input(3), c.input(4)));
  Tensor* out;
  GK_RETURN_IF_ERROR(AllocateDraw(c, &out));
  GK_ASSIGN_OR_RETURN(Philox gen, TakeValues(c.input(0), out->num_elements()));
  return FillRandomInt(gen, c.input(3), c.input(4), out);
}

Status ComputeFullInts(KernelContext& c) {
  Tensor* out;
  GK_RETURN_IF_ERROR(AllocateDraw(c, &out));
  GK_ASSIGN_OR_RETURN(Philox gen, TakeValues(c.input(0), out->num_elements()));
  return FillRandomFullInt(gen, out);
}

// TensorFlow sets this many values aside for a draw from each of `batch`
// pairs of parameters.
StatusOr<uint64_t> ValuesOfBinomial(const TensorShape& shape, const Tensor& n,
                                    const Tensor& p) {
  GK_ASSIGN_OR_RETURN(const TensorShape batch,
                      BroadcastShapes(n.shape(), p.shape()));
  const auto pairs = static_cast<uint64_t>(batch.num_elements());
  const auto samples = static_cast<uint64_t>(
      pairs == 0 ? 0 : shape.num_elements() / static_cast<int64_t>(pairs));
  return pairs * 200 * (samples + 3) / 4;
}

Status ComputeBinomialDraw(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckAlgorithm(c.input(1)));
  GK_ASSIGN_OR_RETURN(TensorShape shape, ShapeFromInput(c.input(2)));
  GK_RETURN_IF_ERROR(AllocateBinomial(shape, c.input(3), c.input(4), c));
  GK_ASSIGN_OR_RETURN(const uint64_t values,
                      ValuesOfBinomial(shape, c.input(3), c.input(4)));
  GK_ASSIGN_OR_RETURN(Philox gen, TakeValues(c.input(0), values));
  return SampleBinomial(shape, gen, c.input(3), c.input(4), c);
}

// Not kRandom: a draw that nobody uses still moves the generator.
constexpr uint32_t kTraits =
    kStateful | kReadsResource | kWritesResource | kNoGradient;

const OpRecord kRecords[] = {
    {.name = "RngSkip",
     .inputs = "resource: resource; algorithm: int64; delta: int64",
     .outputs = "",
     .attrs = "",
     .traits = kStateful | kReadsResource | kWritesResource | kNoGradient,
     .shape = SkipShape,
     .kernel = {.compute = ComputeSkip},
     .doc = "Moves a generator past delta values."},

    {.name = "RngReadAndSkip",
     .inputs = "resource: resource; alg: int32; delta: uint64",
     .outputs = "value: int64",
     .attrs = "",
     .traits = kStateful | kReadsResource | kWritesResource | kNoGradient,
     .shape = SkipShape,
     .kernel = {.compute = ComputeSkip},
     .doc = "The state of a generator, which then moves past delta values."},

    {.name = "StatefulUniform",
     .inputs = "resource: resource; algorithm: int64; shape: shape_dtype",
     .outputs = "output: dtype",
     .attrs = "dtype: type = float; shape_dtype: type = int64",
     .traits = kTraits,
     .shape = DrawShape,
     .kernel = {.compute = ComputeFloats<RandomKind::kUniform>},
     .doc = "Values uniform in [0, 1) from a generator."},

    {.name = "StatefulStandardNormalV2",
     .inputs = "resource: resource; algorithm: int64; shape: shape_dtype",
     .outputs = "output: dtype",
     .attrs = "dtype: type = float; shape_dtype: type = int64",
     .traits = kTraits,
     .shape = DrawShape,
     .kernel = {.compute = ComputeFloats<RandomKind::kNormal>},
     .doc = "Normal values of mean 0 and deviation 1 from a generator."},

    {.name = "StatefulRandomBinomial",
     .inputs = "resource: resource; algorithm: int64; shape: S; counts: T; "
               "probs: T",
     .outputs = "output: dtype",
     .attrs = "S: type in [int32, int64]; T: type in [half, float, double, "
              "int32, int64] = double; dtype: type in [half, float, double, "
              "int32, int64] = int64",
     .traits = kTraits,
     .shape = DrawShape,
     .kernel = {.compute = ComputeBinomialDraw},
     .doc = "Binomial deviates from a generator; the shape ends with that of "
            "counts and probs together."},

    {.name = "StatefulTruncatedNormal",
     .inputs = "resource: resource; algorithm: int64; shape: shape_dtype",
     .outputs = "output: dtype",
     .attrs = "dtype: type = float; shape_dtype: type = int64",
     .traits = kTraits,
     .shape = DrawShape,
     .kernel = {.compute = ComputeFloats<RandomKind::kTruncatedNormal>},
     .doc = "Normal values within two deviations from a generator."},

    {.name = "StatefulUniformInt",
     .inputs = "resource: resource; algorithm: int64; shape: shape_dtype; "
               "minval: dtype; maxval: dtype",
     .outputs = "output: dtype",
     .attrs = "dtype: type = int64; shape_dtype: type = int64",
     .traits = kTraits,
     .shape = DrawShape,
     .kernel = {.compute = ComputeInts},
     .doc = "Integers uniform in [minval, maxval) from a generator."},

    {.name = "StatefulUniformFullInt",
     .inputs = "resource: resource; algorithm: int64; shape: shape_dtype",
     .outputs = "output: dtype",
     .attrs = "dtype: type = uint64; shape_dtype: type = int64",
     .traits = kTraits,
     .shape = DrawShape,
     .kernel = {.compute = ComputeFullInts},
     .doc = "Integers of the whole range of the type from a generator."},
};

}  // namespace

GK_REGISTER_OPS(random_generator)

}  // namespace gk
