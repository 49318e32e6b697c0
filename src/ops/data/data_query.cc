// Questions to a whole dataset.
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

    {.name = "DatasetToSingleElement",
     .inputs = "dataset: variant",
     .outputs = "components: output_types",
     .attrs = GK_ELEMENT_ATTRS "; metadata: string = ''",
     .traits = kStateful | kCallsFunction,
     .shape = SingleShape,
     .kernel = {.compute = ComputeSingle},
     .doc = "The one element of a dataset."},

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
