// Elements in random order, TensorFlow's for the same seeds.
#include <utility>

#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/seed_generator.h"
#include "ops/data/shuffle_dataset.h"

namespace gk {
namespace {

Status ComputeShuffle(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(OneInput in, ReadOneInput(c));
  int64_t size = 0;
  GK_RETURN_IF_ERROR(ScalarInput(c, 1, "buffer_size", &size));
  if (size <= 0 && size != kUnknownCardinality) {
    return InvalidArgument(
        "buffer_size must be greater than zero or UNKNOWN_CARDINALITY");
  }
  GK_ASSIGN_OR_RETURN(
      std::shared_ptr<SeedGenerator> seeds,
      ReadSeeds(c, 2, c.attr<bool>("reshuffle_each_iteration")));
  return SetDataset(c, ShuffleOf(std::move(in), size, std::move(seeds)));
}

// Stands where a generator of seeds could be given: the dataset has its own.
Status ComputeStandIn(KernelContext& c) {
  return SetStandIn(c, "DummySeedGenerator", "tensorflow::data::SeedGenerator");
}

const OpRecord kRecords[] = {
    {.name = "ShuffleDatasetV3",
     .inputs = "input_dataset: variant; buffer_size: int64; seed: int64;"
               "seed2: int64; seed_generator: resource",
     .outputs = "handle: variant",
     .attrs = "reshuffle_each_iteration: bool = True; " GK_ELEMENT_ATTRS
              "; metadata: string = ''",
     .traits = kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeShuffle},
     .doc = "A dataset in random order: each element is drawn from the next "
            "`buffer_size`."},

    {.name = "DummySeedGenerator",
     .inputs = "",
     .outputs = "handle: resource",
     .attrs = "",
     .traits = kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeStandIn},
     .doc = "Stands for the generator of seeds that a dataset makes itself."},
};

}  // namespace

GK_REGISTER_OPS(data_shuffle)

}  // namespace gk
