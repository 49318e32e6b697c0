// Datasets of what a function makes of each element.
#include "framework/op_registry.h"
#include "ops/data/element_steps.h"

namespace gk {
namespace {

Status MakeMap(KernelContext& c, int64_t parallel) {
  GK_ASSIGN_OR_RETURN(Ref<const Dataset> input, InputDataset(c));
  CapturedFunction f;
  GK_RETURN_IF_ERROR(CaptureFunction(c, "f", 1, ListLength(c, "Targuments"),
                                     input->signature().types.size(), &f));
  ElementSteps steps{
      {.function = std::move(f),
       .preserve_cardinality = c.attr<bool>("preserve_cardinality")}};
  return SetDataset(
      c, MakeRef<StepsDataset>(c.record().name, SignatureAttrs(c),
                               std::move(input), std::move(steps), parallel));
}

Status ComputeMap(KernelContext& c) { return MakeMap(c, 0); }

Status ComputeParallelMap(KernelContext& c) {
  int64_t parallel = 0;
  GK_RETURN_IF_ERROR(
      ScalarInput(c, c.num_inputs() - 1, "num_parallel_calls", &parallel));
  if (parallel <= 0 && parallel != -1) {
    return InvalidArgument("num_parallel_calls must be greater than zero.");
  }
  return MakeMap(c, parallel);
}

const OpRecord kRecords[] = {
    {.name = "MapDataset",
     .inputs = "input_dataset: variant; other_arguments: Targuments",
     .outputs = "handle: variant",
     .attrs = "f: func; Targuments: list(type) >= 0; " GK_ELEMENT_ATTRS
              "; use_inter_op_parallelism: bool = True; "
              "preserve_cardinality: bool = False; force_synchronous: bool = "
              "False; metadata: string = ''",
     .traits = kCallsFunction,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeMap},
     .doc = "A dataset of `f` of each element."},

    {.name = "ParallelMapDatasetV2",
     .inputs = "input_dataset: variant; other_arguments: Targuments;"
               "num_parallel_calls: int64",
     .outputs = "handle: variant",
     .attrs = "f: func; Targuments: list(type) >= 0; " GK_ELEMENT_ATTRS
              "; use_inter_op_parallelism: bool = True; deterministic: "
              "string = 'default'; preserve_cardinality: bool = False; "
              "use_unbounded_threadpool: bool = False; metadata: string = ''",
     .traits = kCallsFunction,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeParallelMap},
     .doc = "A dataset of `f` of each element, several at a time, in order."},
};

}  // namespace

GK_REGISTER_OPS(data_map)

}  // namespace gk
