// Datasets that are saved to the files of a folder, and read again.
#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/saved_elements.h"

namespace gk {
namespace {

StatusOr<std::string> PathInput(KernelContext& c, int i) {
  if (c.input(i).shape().IsScalar()) return c.input(i).scalar<std::string>();
  return InvalidArgument("`path` must be a scalar");
}

Status ComputeSave(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<const Dataset> dataset, InputDataset(c));
  GK_ASSIGN_OR_RETURN(std::string folder, PathInput(c, 1));
  GK_ASSIGN_OR_RETURN(const io::Compression compression,
                      SavedCompression(c.attr<std::string>("compression")));
  const ElementSignature& signature = dataset->signature();
  const bool sharded = c.attr<bool>("use_shard_func");
  CapturedFunction shard_of;
  if (sharded) {
    GK_RETURN_IF_ERROR(CaptureFunction(c, "shard_func", 2,
                                       ListLength(c, "Tshard_func_args"),
                                       signature.types.size(), &shard_of));
  }
  GK_ASSIGN_OR_RETURN(const IteratorPtr iterator, dataset->Begin());
  GK_ASSIGN_OR_RETURN(
      ElementsWriter writer,
      ElementsWriter::Open(std::move(folder), signature.types, compression));
  for (;;) {
    TensorVector element;
    bool end = false;
    GK_RETURN_IF_ERROR(iterator->Next(c.cancellation(), &element, &end));
    if (end) return writer.Finish();
    int64_t shard = 0;
    if (sharded) {
      GK_RETURN_IF_ERROR(ShardOf(shard_of, element, c.cancellation(), &shard));
    }
    GK_RETURN_IF_ERROR(writer.Write(shard, element));
  }
}

class LoadedDataset final : public Dataset {
 public:
  LoadedDataset(ElementSignature signature, std::string folder,
                io::Compression compression, CapturedFunction reader,
                int64_t count)
      : Dataset(std::move(signature), {}),
        folder_(std::move(folder)),
        compression_(compression),
        reader_(std::move(reader)),
        count_(count) {}

  std::string_view kind() const override { return "LoadDataset"; }
  int64_t Cardinality() const override { return count_; }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef& context) const override {
    return IteratorPtr(new Iterator(this, context));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const LoadedDataset* d, ContextRef context)
        : dataset_(d), context_(std::move(context)) {}
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      if (!read_) {
        GK_ASSIGN_OR_RETURN(read_, Begin(cancellation));
      }
      GK_RETURN_IF_ERROR(read_->Next(cancellation, element, end));
      return *end ? OkStatus() : CheckElement(dataset_->signature(), *element);
    }

   private:
    StatusOr<IteratorPtr> Begin(const CancellationToken* cancellation) {
      const LoadedDataset& d = *dataset_;
      GK_ASSIGN_OR_RETURN(const proto::SnapshotMetadataRecord metadata,
                          ReadSavedMetadata(d.folder_, d.signature().types));
      return ReadSaved(d, d.folder_, metadata, d.compression_, d.reader_,
                       context_, cancellation);
    }

    const Ref<const LoadedDataset> dataset_;
    const ContextRef context_;
    IteratorPtr read_;
  };

  const std::string folder_;
  const io::Compression compression_;
  const CapturedFunction reader_;
  const int64_t count_;  // when it was made
};

Status ComputeLoad(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const std::string folder, PathInput(c, 0));
  const ElementSignature signature = SignatureAttrs(c);
  GK_ASSIGN_OR_RETURN(const io::Compression compression,
                      SavedCompression(c.attr<std::string>("compression")));
  CapturedFunction reader;
  GK_RETURN_IF_ERROR(CaptureFunction(
      c, "reader_func", 1, ListLength(c, "Treader_func_args"), 1, &reader));
  GK_ASSIGN_OR_RETURN(const proto::SnapshotMetadataRecord metadata,
                      ReadSavedMetadata(folder, signature.types));
  return SetDataset(
      c, MakeRef<LoadedDataset>(signature, folder, compression,
                                std::move(reader), metadata.num_elements));
}

const OpRecord kRecords[] = {
    {.name = "SaveDataset",
     .inputs = "input_dataset: variant; path: string; shard_func_other_args: "
               "Tshard_func_args",
     .outputs = "",
     .attrs = "compression: string = ''; shard_func: func; use_shard_func: "
              "bool = True; Tshard_func_args: list(type) >= 0",
     // It writes, whatever its function does.
     .traits = kStateful | kNoGradient | kCallsFunction | kWritesResource,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeSave},
     .doc = "Writes the elements of a dataset to the files of a folder."},

    {.name = "LoadDataset",
     .inputs = "path: string; reader_func_other_args: Treader_func_args",
     .outputs = "handle: variant",
     .attrs = GK_ELEMENT_ATTRS
     "; compression: string = ''; reader_func: func; Treader_func_args: "
     "list(type) >= 0",
     .traits = kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeLoad},
     .doc = "The dataset whose elements are in the files of a folder."},
};

}  // namespace

GK_REGISTER_OPS(data_save)

}  // namespace gk
