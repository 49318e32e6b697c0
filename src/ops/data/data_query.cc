// Questions to a whole dataset.
#include <algorithm>
#include <span>
#include <string_view>

#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"

namespace gk {
namespace {

Status ComputeCardinality(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<const Dataset> dataset, InputDataset(c));
  c.set_output(0, Tensor::Scalar<int64_t>(dataset->Cardinality()));
  return OkStatus();
}

Status ComputeGetOptions(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<const Dataset> dataset, InputDataset(c));
  const auto& options = dataset->options();
  c.set_output(0, Tensor::Scalar(options != nullptr ? options->Serialize()
                                                    : std::string()));
  return OkStatus();
}

constexpr int64_t kUnknownBatchSize = -1;

// What TensorFlow looks through on its way to what batches, and what batches
// by its second input.
constexpr std::string_view kSameBatches[] = {"AssertCardinalityDataset",
                                             "CacheDatasetV2",
                                             "FilterDataset",
                                             "OptionsDataset",
                                             "PrefetchDataset",
                                             "RepeatDataset",
                                             "ShardDataset",
                                             "ShuffleAndRepeatDatasetV2",
                                             "ShuffleDatasetV2",
                                             "ShuffleDatasetV3",
                                             "SkipDataset",
                                             "TakeDataset"};
constexpr std::string_view kBatches[] = {"BatchDataset", "BatchDatasetV2",
                                         "PaddedBatchDatasetV2"};
constexpr std::string_view kSeveralInputs[] = {"ConcatenateDataset",
                                               "ZipDataset"};

bool Holds(std::span<const std::string_view> kinds, std::string_view kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

StatusOr<int64_t> BatchSizeOf(const Dataset& dataset) {
  const DatasetOrigin* origin = dataset.origin();
  if (origin == nullptr) return kUnknownBatchSize;
  const std::string_view kind = origin->op->name;
  if (Holds(kBatches, kind)) return origin->inputs[1].scalar<int64_t>();
  size_t read = 0;
  if (Holds(kSameBatches, kind)) read = 1;
  if (Holds(kSeveralInputs, kind)) read = origin->inputs.size();
  int64_t all = kUnknownBatchSize;
  for (size_t i = 0; i < read; ++i) {
    GK_ASSIGN_OR_RETURN(const Ref<const Dataset> input,
                        Dataset::Of(origin->inputs[i]));
    GK_ASSIGN_OR_RETURN(const int64_t size, BatchSizeOf(*input));
    if (i > 0 && size != all) return kUnknownBatchSize;
    all = size;
  }
  return all;
}

Status ComputeBatchSize(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<const Dataset> dataset, InputDataset(c));
  GK_ASSIGN_OR_RETURN(const int64_t size, BatchSizeOf(*dataset));
  c.set_output(0, Tensor::Scalar<int64_t>(size));
  return OkStatus();
}

Status ComputeSingle(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<const Dataset> dataset, InputDataset(c));
  GK_ASSIGN_OR_RETURN(const IteratorPtr iterator, dataset->Begin());
  TensorVector element, another;
  bool end = false;
  GK_RETURN_IF_ERROR(iterator->Next(c.cancellation(), &element, &end));
  if (end) return InvalidArgument("Dataset was empty.");
  GK_RETURN_IF_ERROR(CheckElement(SignatureAttrs(c), element));
  GK_RETURN_IF_ERROR(iterator->Next(c.cancellation(), &another, &end));
  if (!end) return InvalidArgument("Dataset had more than one element.");
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, HandOut(std::move(element[i])));
  }
  return OkStatus();
}

Status ComputeElementAt(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<const Dataset> dataset, InputDataset(c));
  int64_t index = 0;
  GK_RETURN_IF_ERROR(ScalarInput(c, 1, "index", &index));
  const int64_t known = dataset->Cardinality();
  const auto out_of_range = [&] {
    return OutOfRange("Index out of range{}: {}",
                      known >= 0 ? Format(" [0, {})", known) : "", index);
  };
  if (index < 0 || (known >= 0 && index >= known)) return out_of_range();
  GK_ASSIGN_OR_RETURN(const IteratorPtr iterator, dataset->Begin());
  TensorVector element;
  bool end = false;
  for (int64_t left = index, passed = 0; left > 0 && !end; left -= passed) {
    GK_RETURN_IF_ERROR(iterator->Skip(c.cancellation(), left,
                                      SkipErrors::kGiven, &passed, &end));
  }
  if (!end) {
    GK_RETURN_IF_ERROR(iterator->Next(c.cancellation(), &element, &end));
  }
  if (end) return out_of_range();
  GK_RETURN_IF_ERROR(CheckElement(SignatureAttrs(c), element));
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, HandOut(std::move(element[i])));
  }
  return OkStatus();
}

Status SingleShape(InferenceContext& c) {
  const auto shapes = c.attr<std::vector<PartialTensorShape>>("output_shapes");
  for (int i = 0; i < c.num_outputs() && i < int(shapes.size()); ++i) {
    c.set_output(i, shapes[i]);
  }
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "DatasetCardinality",
     .inputs = "input_dataset: variant",
     .outputs = "cardinality: int64",
     .attrs = "cardinality_options: string = ''",
     .traits = kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeCardinality},
     .doc = "The number of elements; -1 if infinite, -2 if unknown."},

    {.name = "ComputeBatchSize",
     .inputs = "input_dataset: variant",
     .outputs = "batch_size: int64",
     .attrs = "",
     .traits = kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeBatchSize},
     .doc = "The size of a dataset's full batches; -1 if it is not known."},

    {.name = "DatasetToSingleElement",
     .inputs = "dataset: variant",
     .outputs = "components: output_types",
     .attrs = GK_ELEMENT_ATTRS "; metadata: string = ''",
     .traits = kStateful | kCallsFunction,
     .shape = SingleShape,
     .kernel = {.compute = ComputeSingle},
     .doc = "The one element of a dataset."},

    {.name = "GetElementAtIndex",
     .inputs = "dataset: variant; index: int64",
     .outputs = "components: output_types",
     .attrs = GK_ELEMENT_ATTRS,
     .traits = kStateful | kCallsFunction,
     .shape = SingleShape,
     .kernel = {.compute = ComputeElementAt},
     .doc = "The element of a number, from 0 on; OutOfRange if there is none."},

    {.name = "GetOptions",
     .inputs = "input_dataset: variant",
     .outputs = "serialized_options: string",
     .attrs = "",
     .traits = kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeGetOptions},
     .doc = "What was said of how a dataset is run, as a message Options."},
};

}  // namespace

GK_REGISTER_OPS(data_query)

}  // namespace gk
