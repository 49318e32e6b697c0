// Ops that later ones took the place of, and pairs of ops in one: graphs that
// were saved have them. What they make is made by the ops of today.
#include <string>
#include <utility>

#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"

namespace gk {
namespace {

TensorVector FormerInputs(KernelContext& c, int n) {
  TensorVector inputs;
  for (int i = 0; i < n; ++i) inputs.push_back(c.input(i));
  return inputs;
}
TensorVector FormerInputs(KernelContext& c) {
  return FormerInputs(c, c.num_inputs());
}

AttrMap With(const AttrMap& attrs,
             std::initializer_list<AttrMap::Entry> others) {
  AttrMap all = attrs;
  for (const auto& [name, value] : others) all.Set(name, value);
  return all;
}

// Output 0 is what `op` makes.
Status Become(KernelContext& c, std::string_view op, const AttrMap& attrs,
              const TensorVector& inputs) {
  GK_ASSIGN_OR_RETURN(Tensor made, MakeDataset(op, attrs, inputs));
  c.set_output(0, std::move(made));
  return OkStatus();
}

StatusOr<Tensor> MadeStandIn(std::string_view op) {
  return MakeDataset(op, AttrMap(), {});
}

StatusOr<Tensor> FormerShuffled(KernelContext& c) {
  TensorVector inputs = FormerInputs(c, 4);
  GK_ASSIGN_OR_RETURN(Tensor seeds, MadeStandIn("DummySeedGenerator"));
  inputs.push_back(std::move(seeds));
  return MakeDataset("ShuffleDatasetV3", c.attrs(), inputs);
}

Status ComputeFormerShuffle(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Tensor made, FormerShuffled(c));
  c.set_output(0, std::move(made));
  return OkStatus();
}

Status ComputeFormerShuffleAndRepeat(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Tensor shuffled, FormerShuffled(c));
  return Become(c, "RepeatDataset", c.attrs(),
                {std::move(shuffled), c.input(4)});
}

Status ComputeFormerCache(KernelContext& c) {
  TensorVector inputs = FormerInputs(c);
  GK_ASSIGN_OR_RETURN(Tensor cache, MadeStandIn("DummyMemoryCache"));
  inputs.push_back(std::move(cache));
  return Become(c, "CacheDatasetV2", c.attrs(), inputs);
}

Status ComputeFormerBatch(KernelContext& c) {
  TensorVector inputs = FormerInputs(c);
  inputs.push_back(Tensor::Scalar(false));
  return Become(c, "BatchDatasetV2", c.attrs(), inputs);
}

Status ComputeFormerPaddedBatch(KernelContext& c) {
  TensorVector inputs = FormerInputs(c);
  inputs.push_back(Tensor::Scalar(false));
  return Become(c, "PaddedBatchDatasetV2", c.attrs(), inputs);
}

// What `deterministic` is today.
AttrMap InOrderUnless(const AttrMap& attrs, bool sloppy) {
  return With(attrs,
              {{"deterministic", std::string(sloppy ? "false" : "default")}});
}

Status ComputeFormerParallelMap(KernelContext& c) {
  TensorVector inputs = FormerInputs(c);
  const Tensor& calls = inputs.back();
  if (!calls.shape().IsScalar()) {
    return InvalidArgument("num_parallel_calls must be a scalar");
  }
  inputs.back() = Tensor::Scalar<int64_t>(calls.scalar<int32_t>());
  return Become(c, "ParallelMapDatasetV2",
                InOrderUnless(c.attrs(), c.attr<bool>("sloppy")), inputs);
}

// `other_arguments` and three numbers, the last how many are worked on.
Status ComputeFormerParallelInterleave(KernelContext& c, const AttrMap& attrs) {
  TensorVector inputs = FormerInputs(c);
  const Tensor unsaid = Tensor::Scalar<int64_t>(-1);
  inputs.insert(inputs.end() - 1, {unsaid, unsaid});
  return Become(c, "ParallelInterleaveDatasetV4", attrs, inputs);
}
Status ComputeFormerParallelInterleaveV2(KernelContext& c) {
  return ComputeFormerParallelInterleave(
      c, InOrderUnless(c.attrs(), c.attr<bool>("sloppy")));
}
Status ComputeFormerParallelInterleaveV3(KernelContext& c) {
  return ComputeFormerParallelInterleave(c, c.attrs());
}

// All of the cycle are worked on. `with_sloppy`: an input says whether they
// may come in any order, which an attribute says today.
Status ComputeFormerWholeCycle(KernelContext& c, bool with_sloppy) {
  TensorVector inputs = FormerInputs(c);
  AttrMap attrs = c.attrs();
  if (with_sloppy) {
    const int at = c.num_inputs() - 3;
    bool sloppy = false;
    GK_RETURN_IF_ERROR(ScalarInput(c, at, "sloppy", &sloppy));
    attrs = With(attrs,
                 {{"deterministic", std::string(sloppy ? "false" : "true")}});
    inputs.erase(inputs.begin() + at);
  }
  inputs.push_back(inputs[1 + ListLength(c, "Targuments")]);
  return Become(c, "ParallelInterleaveDatasetV4", attrs, inputs);
}
Status ComputeFormerLegacyInterleave(KernelContext& c) {
  return ComputeFormerWholeCycle(c, /*with_sloppy=*/true);
}
Status ComputeFormerLegacyInterleaveV2(KernelContext& c) {
  return ComputeFormerWholeCycle(c, /*with_sloppy=*/false);
}

Status ComputeFormerMapAndBatch(KernelContext& c) {
  const int n = c.num_inputs();
  // What the function gives has no dimension of a batch.
  std::vector<PartialTensorShape> shapes;
  for (const PartialTensorShape& shape :
       c.attr<std::vector<PartialTensorShape>>("output_shapes")) {
    if (shape.unknown_rank() || shape.rank() == 0) {
      shapes.emplace_back();
    } else {
      GK_ASSIGN_OR_RETURN(PartialTensorShape inner,
                          PartialTensorShape::Make(
                              {shape.dims().begin() + 1, shape.dims().end()}));
      shapes.push_back(std::move(inner));
    }
  }
  TensorVector inputs = FormerInputs(c, n - 3);
  inputs.push_back(c.input(n - 2));
  GK_ASSIGN_OR_RETURN(
      Tensor mapped,
      MakeDataset("ParallelMapDatasetV2",
                  With(c.attrs(), {{"output_shapes", std::move(shapes)},
                                   {"deterministic", std::string("default")}}),
                  inputs));
  return Become(c, "BatchDatasetV2", c.attrs(),
                {std::move(mapped), c.input(n - 3), c.input(n - 1)});
}

#define GK_SHUFFLE_INPUTS \
  "input_dataset: variant; buffer_size: int64; seed: int64; seed2: int64"
#define GK_CYCLE_INPUTS                                   \
  "input_dataset: variant; other_arguments: Targuments; " \
  "cycle_length: int64; block_length: int64; "

const OpRecord kRecords[] = {
    {.name = "ShuffleDataset",
     .inputs = GK_SHUFFLE_INPUTS,
     .outputs = "handle: variant",
     .attrs = "reshuffle_each_iteration: bool = True; " GK_ELEMENT_ATTRS
              "; metadata: string = ''",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeFormerShuffle},
     .doc = "ShuffleDatasetV3."},

    {.name = "ShuffleAndRepeatDataset",
     .inputs = GK_SHUFFLE_INPUTS "; count: int64",
     .outputs = "handle: variant",
     .attrs = GK_ELEMENT_ATTRS
     "; reshuffle_each_iteration: bool = True; metadata: string = ''",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeFormerShuffleAndRepeat},
     .doc = "RepeatDataset of ShuffleDatasetV3."},

    {.name = "ShuffleAndRepeatDatasetV2",
     .inputs = GK_SHUFFLE_INPUTS "; count: int64; seed_generator: resource",
     .outputs = "handle: variant",
     .attrs = "reshuffle_each_iteration: bool = True; " GK_ELEMENT_ATTRS
              "; metadata: string = ''",
     .traits = kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeFormerShuffleAndRepeat},
     .doc = "RepeatDataset of ShuffleDatasetV3."},

    {.name = "CacheDataset",
     .inputs = "input_dataset: variant; filename: string",
     .outputs = "handle: variant",
     .attrs = GK_ELEMENT_ATTRS "; metadata: string = ''",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeFormerCache},
     .doc = "CacheDatasetV2."},

    {.name = "BatchDataset",
     .inputs = "input_dataset: variant; batch_size: int64",
     .outputs = "handle: variant",
     .attrs = GK_ELEMENT_ATTRS "; metadata: string = ''",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeFormerBatch},
     .doc = "BatchDatasetV2 that keeps a smaller last batch."},

    {.name = "PaddedBatchDataset",
     .inputs = "input_dataset: variant; batch_size: int64;"
               "padded_shapes: N * int64; padding_values: Toutput_types",
     .outputs = "handle: variant",
     .attrs = "Toutput_types: list(type) >= 1; output_shapes: list(shape) >= "
              "1; N: int >= 1; metadata: string = ''",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeFormerPaddedBatch},
     .doc = "PaddedBatchDatasetV2 that keeps a smaller last batch."},

    {.name = "ParallelMapDataset",
     .inputs = "input_dataset: variant; other_arguments: Targuments;"
               "num_parallel_calls: int32",
     .outputs = "handle: variant",
     .attrs = "f: func; Targuments: list(type) >= 0; " GK_ELEMENT_ATTRS
              "; use_inter_op_parallelism: bool = True; sloppy: bool = False; "
              "preserve_cardinality: bool = False; metadata: string = ''",
     .traits = kCallsFunction,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeFormerParallelMap},
     .doc = "ParallelMapDatasetV2."},

    {.name = "MapAndBatchDataset",
     .inputs = "input_dataset: variant; other_arguments: Targuments;"
               "batch_size: int64; num_parallel_calls: int64;"
               "drop_remainder: bool",
     .outputs = "handle: variant",
     .attrs = "f: func; Targuments: list(type) >= 0; " GK_ELEMENT_ATTRS
              "; preserve_cardinality: bool = False; metadata: string = ''",
     .traits = kCallsFunction,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeFormerMapAndBatch},
     .doc = "BatchDatasetV2 of ParallelMapDatasetV2."},

    {.name = "ParallelInterleaveDatasetV2",
     .inputs = GK_CYCLE_INPUTS "num_parallel_calls: int64",
     .outputs = "handle: variant",
     .attrs = "f: func; Targuments: list(type) >= 0; " GK_ELEMENT_ATTRS
              "; sloppy: bool = False; metadata: string = ''",
     .traits = kCallsFunction,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeFormerParallelInterleaveV2},
     .doc = "ParallelInterleaveDatasetV4."},

    {.name = "ParallelInterleaveDatasetV3",
     .inputs = GK_CYCLE_INPUTS "num_parallel_calls: int64",
     .outputs = "handle: variant",
     .attrs = "f: func; deterministic: string = 'default'; Targuments: "
              "list(type) >= 0; " GK_ELEMENT_ATTRS "; metadata: string = ''",
     .traits = kCallsFunction,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeFormerParallelInterleaveV3},
     .doc = "ParallelInterleaveDatasetV4."},

    {.name = "ParallelInterleaveDataset",
     .inputs = GK_CYCLE_INPUTS "sloppy: bool; buffer_output_elements: int64; "
                               "prefetch_input_elements: int64",
     .outputs = "handle: variant",
     .attrs = "f: func; Targuments: list(type) >= 0; " GK_ELEMENT_ATTRS
              "; metadata: string = ''",
     .traits = kCallsFunction,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeFormerLegacyInterleave},
     .doc = "ParallelInterleaveDatasetV4 that works on the whole cycle."},

    {.name = "LegacyParallelInterleaveDatasetV2",
     .inputs = GK_CYCLE_INPUTS
     "buffer_output_elements: int64; prefetch_input_elements: int64",
     .outputs = "handle: variant",
     .attrs = "f: func; deterministic: string = 'default'; Targuments: "
              "list(type) >= 0; " GK_ELEMENT_ATTRS "; metadata: string = ''",
     .traits = kCallsFunction,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeFormerLegacyInterleaveV2},
     .doc = "ParallelInterleaveDatasetV4 that works on the whole cycle."},
};

}  // namespace

GK_REGISTER_OPS(data_former)

}  // namespace gk
