// Datasets of strings, written to a file of framed records.
#include "framework/op_registry.h"
#include "io/compression.h"
#include "io/record_io.h"
#include "ops/data/dataset_kernel.h"

namespace gk {
namespace {

Status ComputeToRecords(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<const Dataset> dataset, InputDataset(c));
  for (int i = 1; i <= 2; ++i) {
    if (c.input(i).shape().IsScalar()) continue;
    return InvalidArgument("`{}` must be a scalar",
                           i == 1 ? "filename" : "compression_type");
  }
  const std::string& path = c.input(1).scalar<std::string>();
  GK_ASSIGN_OR_RETURN(const io::Compression compression,
                      io::CompressionOf(c.input(2).scalar<std::string>()));
  GK_ASSIGN_OR_RETURN(const IteratorPtr iterator, dataset->Begin());
  GK_ASSIGN_OR_RETURN(std::unique_ptr<io::WritableFile> file,
                      io::OpenDeflated(path, {.compression = compression}));
  io::RecordWriter writer(path, std::move(file));
  for (;;) {
    TensorVector element;
    bool end = false;
    GK_RETURN_IF_ERROR(iterator->Next(c.cancellation(), &element, &end));
    if (end) return writer.Close();
    GK_RETURN_IF_ERROR(
        CheckElement({{DataType::kString}, {TensorShape()}}, element));
    GK_RETURN_IF_ERROR(writer.Write(element[0].scalar<std::string>()));
  }
}

const OpRecord kRecords[] = {
    {.name = "DatasetToTFRecord",
     .inputs = "input_dataset: variant; filename: string; compression_type: "
               "string",
     .outputs = "",
     .attrs = "",
     .traits = kStateful | kNoGradient | kCallsFunction,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeToRecords},
     .doc = "Writes the elements of a dataset, scalar strings, to a file of "
            "framed records."},
};

}  // namespace

GK_REGISTER_OPS(data_to_records)

}  // namespace gk
