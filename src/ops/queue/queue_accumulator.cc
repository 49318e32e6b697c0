// Accumulators of gradients, those whose handles are resources and those of
// graphs of version 1, whose handles are names.
#include "framework/op_registry.h"
#include "ops/named_resource.h"
#include "ops/queue/accumulator.h"
#include "ops/queue/named_handles.h"

namespace gk {
namespace {

using Accumulator = AccumulatorResource;

StatusOr<Ref<Accumulator>> AccumulatorOf(KernelContext& c) {
  if (c.input(0).dtype() == DataType::kResource) {
    return ResourceOf<Accumulator>(c.input(0), "conditional accumulator");
  }
  return NamedHandles<Accumulator>::Get().Find(
      c.input(0), "N10tensorflow26ConditionalAccumulatorBaseE");
}

template <bool kSparse, bool kNamed>
Status ComputeAccumulator(KernelContext& c) {
  const Accumulator::Traits traits{
      c.attr<DataType>("dtype"), c.attr<PartialTensorShape>("shape"),
      c.attr<std::string>("reduction_type") == "MEAN", kSparse};
  if (traits.dtype != DataType::kHalf && traits.dtype != DataType::kFloat &&
      traits.dtype != DataType::kDouble) {
    return c.NoKernel();
  }
  GK_RETURN_IF_ERROR(
      OutputResource(c, kSparse ? "sparse_accumulator" : "accumulator", {},
                     [&](const std::string& name) -> StatusOr<Ref<Resource>> {
                       return Ref<Resource>(MakeRef<Accumulator>(name, traits));
                     }));
  const ResourceHandle handle = c.output(0).scalar<ResourceHandle>();
  Ref<Accumulator> accumulator(handle.As<Accumulator>());
  if (!(accumulator->traits() == traits)) {
    return InvalidArgument(
        "Shared conditional accumulator '{}' is of {} and shape {}, but {} and "
        "shape {} were requested, or another reduction",
        accumulator->name(), DataTypeString(accumulator->traits().dtype),
        accumulator->traits().shape.DebugString(), DataTypeString(traits.dtype),
        traits.shape.DebugString());
  }
  if (kNamed) {
    const std::string name = accumulator->name();
    c.set_output(0, NamedHandles<Accumulator>::Get().Add(
                        handle.container(), name, std::move(accumulator)));
  }
  return OkStatus();
}

Status ReadStep(KernelContext& c, const char* what, int64_t* value) {
  const Tensor& t = c.input(1);
  if (t.rank() != 0) {
    return InvalidArgument("Argument {} must be scalar, but had bad shape {}",
                           what, t.shape().DebugString());
  }
  *value =
      t.dtype() == DataType::kInt32 ? t.scalar<int32_t>() : t.scalar<int64_t>();
  return OkStatus();
}

Status CheckKind(const Accumulator& accumulator, bool sparse) {
  if (accumulator.traits().sparse == sparse) return OkStatus();
  return InvalidArgument("Accumulator '{}' is one of {} gradients",
                         accumulator.name(),
                         accumulator.traits().sparse ? "sparse" : "dense");
}

Status ApplyGradient(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<Accumulator> accumulator, AccumulatorOf(c));
  GK_RETURN_IF_ERROR(CheckKind(*accumulator, false));
  int64_t step;
  GK_RETURN_IF_ERROR(ReadStep(c, "local_step", &step));
  return accumulator->Apply(step, c.input(2));
}

Status ApplySparseGradient(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<Accumulator> accumulator, AccumulatorOf(c));
  GK_RETURN_IF_ERROR(CheckKind(*accumulator, true));
  int64_t step;
  GK_RETURN_IF_ERROR(ReadStep(c, "local_step", &step));
  SparseGradient gradient{c.input(2), c.input(3), {}};
  if (c.attr<bool>("has_known_shape")) gradient.shape = c.input(4);
  return accumulator->Apply(step, gradient);
}

Status CheckTaken(const Accumulator& accumulator, DataType dtype) {
  if (accumulator.traits().dtype == dtype) return OkStatus();
  return InvalidArgument(
      "Accumulator '{}' is of type {}, not {}", accumulator.name(),
      DataTypeString(accumulator.traits().dtype), DataTypeString(dtype));
}

Status TakeGradient(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<Accumulator> accumulator, AccumulatorOf(c));
  GK_RETURN_IF_ERROR(CheckKind(*accumulator, false));
  GK_RETURN_IF_ERROR(CheckTaken(*accumulator, c.attr<DataType>("dtype")));
  int64_t required;
  GK_RETURN_IF_ERROR(ReadStep(c, "num_required", &required));
  Tensor average;
  GK_RETURN_IF_ERROR(accumulator->Take(required, c.cancellation(), &average));
  c.set_output(0, std::move(average));
  return OkStatus();
}

Status TakeSparseGradient(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<Accumulator> accumulator, AccumulatorOf(c));
  GK_RETURN_IF_ERROR(CheckKind(*accumulator, true));
  GK_RETURN_IF_ERROR(CheckTaken(*accumulator, c.attr<DataType>("dtype")));
  int64_t required;
  GK_RETURN_IF_ERROR(ReadStep(c, "num_required", &required));
  SparseGradient average;
  GK_RETURN_IF_ERROR(accumulator->Take(required, c.cancellation(), &average));
  c.set_output(0, std::move(average.indices));
  c.set_output(1, std::move(average.values));
  c.set_output(2, std::move(average.shape));
  return OkStatus();
}

Status CountGradients(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<Accumulator> accumulator, AccumulatorOf(c));
  c.set_output(
      0, Tensor::Scalar(static_cast<int32_t>(accumulator->num_accumulated())));
  return OkStatus();
}

Status ComputeSetStep(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<Accumulator> accumulator, AccumulatorOf(c));
  int64_t step;
  GK_RETURN_IF_ERROR(ReadStep(c, "new_global_step", &step));
  accumulator->set_step(step);
  return OkStatus();
}

Status TwoNamesShape(InferenceContext& c) {
  c.set_output(0, {2});
  return OkStatus();
}
Status StepShape(InferenceContext& c) {
  PartialTensorShape scalar;
  return c.WithRank(1, 0, &scalar);
}

constexpr uint64_t kMakesAccumulator = kStateful | kNoGradient;
constexpr uint64_t kUsesAccumulator =
    kStateful | kReadsResource | kWritesResource | kNoGradient;

#define GK_ACCUMULATED                                                    \
  "dtype: type in [float, double, int32, uint8, int16, int8, complex64, " \
  "int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "     \
  "complex128, half, uint32, uint64]"
#define GK_ACCUMULATOR                                                 \
  GK_ACCUMULATED                                                       \
  "; shape: shape; container: string = ''; shared_name: string = ''; " \
  "reduction_type: string in [MEAN, SUM] = 'MEAN'"

const OpRecord kRecords[] = {
    {.name = "ConditionalAccumulator",
     .inputs = "",
     .outputs = "handle: string",
     .attrs = GK_ACCUMULATOR,
     .traits = kMakesAccumulator,
     .shape = TwoNamesShape,
     .kernel = {.compute = ComputeAccumulator<false, true>},
     .doc = "What gathers gradients and gives their mean or sum once "
            "there are enough."},

    {.name = "AccumulatorApplyGradient",
     .inputs = "handle: string; local_step: int64; gradient: dtype",
     .outputs = "",
     .attrs = GK_ACCUMULATED,
     .traits = kUsesAccumulator,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ApplyGradient},
     .doc = "Gives an accumulator a gradient, which is not counted if "
            "its step is over."},

    {.name = "AccumulatorTakeGradient",
     .inputs = "handle: string; num_required: int32",
     .outputs = "average: dtype",
     .attrs = GK_ACCUMULATED,
     .traits = kUsesAccumulator,
     .shape = shape_fn::Unknown,
     .kernel = {.compute = TakeGradient},
     .doc = "The mean or sum of the gradients of an accumulator; "
            "waits until there are so many. The next step begins."},

    {.name = "AccumulatorNumAccumulated",
     .inputs = "handle: string",
     .outputs = "num_accumulated: int32",
     .attrs = "",
     .traits = kUsesAccumulator,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = CountGradients},
     .doc = "How many gradients an accumulator has."},

    {.name = "AccumulatorSetGlobalStep",
     .inputs = "handle: string; new_global_step: int64",
     .outputs = "",
     .attrs = "",
     .traits = kUsesAccumulator,
     .shape = StepShape,
     .kernel = {.compute = ComputeSetStep},
     .doc = "Sets the step of an accumulator: gradients of earlier "
            "ones do not count."},

    {.name = "ResourceConditionalAccumulator",
     .inputs = "",
     .outputs = "handle: resource",
     .attrs = GK_ACCUMULATOR,
     .traits = kMakesAccumulator,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeAccumulator<false, false>},
     .doc = "What gathers gradients and gives their mean or sum once "
            "there are enough."},

    {.name = "ResourceAccumulatorApplyGradient",
     .inputs = "handle: resource; local_step: int64; gradient: dtype",
     .outputs = "",
     .attrs = GK_ACCUMULATED,
     .traits = kUsesAccumulator,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ApplyGradient},
     .doc = "Gives an accumulator a gradient, which is not counted if "
            "its step is over."},

    {.name = "ResourceAccumulatorTakeGradient",
     .inputs = "handle: resource; num_required: int32",
     .outputs = "average: dtype",
     .attrs = GK_ACCUMULATED,
     .traits = kUsesAccumulator,
     .shape = shape_fn::Unknown,
     .kernel = {.compute = TakeGradient},
     .doc = "The mean or sum of the gradients of an accumulator; "
            "waits until there are so many. The next step begins."},

    {.name = "ResourceAccumulatorNumAccumulated",
     .inputs = "handle: resource",
     .outputs = "num_accumulated: int32",
     .attrs = "",
     .traits = kUsesAccumulator,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = CountGradients},
     .doc = "How many gradients an accumulator has."},

    {.name = "ResourceAccumulatorSetGlobalStep",
     .inputs = "handle: resource; new_global_step: int64",
     .outputs = "",
     .attrs = "",
     .traits = kUsesAccumulator,
     .shape = StepShape,
     .kernel = {.compute = ComputeSetStep},
     .doc = "Sets the step of an accumulator: gradients of earlier "
            "ones do not count."},

    {.name = "SparseConditionalAccumulator",
     .inputs = "",
     .outputs = "handle: string",
     .attrs = GK_ACCUMULATOR,
     .traits = kMakesAccumulator,
     .shape = TwoNamesShape,
     .kernel = {.compute = ComputeAccumulator<true, true>},
     .doc = "What gathers gradients of rows and gives their means or "
            "sums once there are enough."},

    {.name = "SparseAccumulatorApplyGradient",
     .inputs = "handle: string; local_step: int64; gradient_indices: int64; "
               "gradient_values: dtype; gradient_shape: int64",
     .outputs = "",
     .attrs = GK_ACCUMULATED "; has_known_shape: bool",
     .traits = kUsesAccumulator,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ApplySparseGradient},
     .doc = "Gives an accumulator the rows of a gradient at rising "
            "indices, which are not counted if their step is over."},

    {.name = "SparseAccumulatorTakeGradient",
     .inputs = "handle: string; num_required: int32",
     .outputs = "indices: int64; values: dtype; shape: int64",
     .attrs = GK_ACCUMULATED,
     .traits = kUsesAccumulator,
     .shape = shape_fn::Unknown,
     .kernel = {.compute = TakeSparseGradient},
     .doc = "The mean of each row of the gradients of an accumulator, "
            "or its sum; waits until there are so many. The next step "
            "begins."},
};

}  // namespace

GK_REGISTER_OPS(queue_accumulator)

}  // namespace gk
