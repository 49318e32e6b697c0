// The part of a dataset that one of several workers reads: of its files, or of
// its elements.
#include <algorithm>

#include "framework/graph.h"
#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"

namespace gk {
namespace {

// TensorFlow's AutoShardPolicy.
enum Policy : int64_t { kOff = -1, kAuto = 0, kFile = 1, kData = 2, kHint = 3 };

constexpr std::string_view kReaders[] = {
    "TextLineDataset", "TFRecordDataset", "TFRecordDatasetV2",
    "FixedLengthRecordDataset", "FixedLengthRecordDatasetV2"};

// Does its function, or one of a dataset that it makes, read files?
bool ReadsFiles(const AttrMap& attrs, int depth = 0) {
  constexpr int kMostDeep = 20;  // a function may name itself
  const auto* f = attrs.Get<FunctionAttr>("f");
  if (f == nullptr || !f->definition || depth > kMostDeep) return false;
  const auto& nodes = f->definition->graph().nodes();
  return std::ranges::any_of(nodes, [=](const auto& node) {
    return std::ranges::find(kReaders, node->type()) != std::end(kReaders) ||
           ReadsFiles(node->attrs(), depth + 1);
  });
}

class Sharding {
 public:
  Sharding(int64_t workers, int64_t index) : workers_(workers), index_(index) {}

  // This worker's elements of a dataset.
  StatusOr<Tensor> Over(const Tensor& handle) const {
    GK_ASSIGN_OR_RETURN(const Ref<const Dataset> dataset, Dataset::Of(handle));
    AttrMap attrs;
    attrs.Set("require_non_empty", true);
    attrs.Set("output_types", dataset->signature().types);
    attrs.Set("output_shapes", dataset->signature().shapes);
    attrs.Set("metadata", std::string());
    return MakeDataset(
        "ShardDataset", attrs,
        {handle, Tensor::Scalar(workers_), Tensor::Scalar(index_)});
  }

  // The same dataset over this worker's files; none if one of its sources are
  // not files.
  StatusOr<Tensor> OverFiles(const Tensor& handle) const {
    GK_ASSIGN_OR_RETURN(const Ref<const Dataset> dataset, Dataset::Of(handle));
    const DatasetOrigin* origin = dataset->origin();
    if (origin == nullptr) return Tensor();
    const bool* is_files = origin->attrs.Get<bool>("is_files");
    if (is_files != nullptr && *is_files) return Over(handle);
    TensorVector inputs = origin->inputs;
    bool any = false;
    for (Tensor& input : inputs) {
      if (!Dataset::Of(input).ok()) continue;
      GK_ASSIGN_OR_RETURN(Tensor sharded, OverFiles(input));
      if (!sharded && ReadsFiles(origin->attrs)) {
        GK_ASSIGN_OR_RETURN(sharded, Over(input));
      }
      if (!sharded) return Tensor();
      input = std::move(sharded);
      any = true;
    }
    if (!any) return Tensor();
    return MakeDataset(*origin->op, origin->attrs, inputs);
  }

 private:
  const int64_t workers_, index_;
};

Status ComputeAutoShard(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<const Dataset> input, InputDataset(c));
  int64_t workers = 0, index = 0;
  GK_RETURN_IF_ERROR(ScalarInput(c, 1, "num_workers", &workers));
  GK_RETURN_IF_ERROR(ScalarInput(c, 2, "index", &index));
  if (workers <= 0) {
    return InvalidArgument("num_workers must be >= 1, but is {}", workers);
  }
  if (index < 0 || index >= workers) {
    return InvalidArgument("index must be between 0 and {}", workers - 1);
  }
  GK_RETURN_IF_ERROR(CheckSignature(SignatureAttrs(c), input->signature()));
  const auto policy = c.attr<int64_t>("auto_shard_policy");
  const Sharding sharding(workers, index);
  Tensor made;
  switch (workers == 1 ? kOff : policy) {
    case kOff:
    case kHint:
      made = c.input(0);
      break;
    case kAuto:
    case kFile: {
      GK_ASSIGN_OR_RETURN(made, sharding.OverFiles(c.input(0)));
      if (!made && policy == kFile) {
        return NotFound("Found an unshardable source dataset: {}",
                        input->kind());
      }
      break;
    }
    case kData:
      break;
    default:
      return InvalidArgument("There is no auto_shard_policy {}", policy);
  }
  if (!made) {
    GK_ASSIGN_OR_RETURN(made, sharding.Over(c.input(0)));
  }
  c.set_output(0, HandOut(std::move(made)));
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "AutoShardDataset",
     .inputs = "input_dataset: variant; num_workers: int64; index: int64",
     .outputs = "handle: variant",
     .attrs = "auto_shard_policy: int = 0; " GK_ELEMENT_ATTRS
              "; num_replicas: int = 0",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeAutoShard},
     .doc = "What one of `num_workers` workers reads of a dataset: every "
            "`num_workers`-th of its files, or of its elements."},
};

}  // namespace

GK_REGISTER_OPS(data_auto_shard)

}  // namespace gk
