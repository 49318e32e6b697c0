// Datasets that are saved to the files of a folder, and read again.
#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/elements_dataset.h"
#include "ops/data/saved_elements.h"

namespace gk {
namespace {

StatusOr<std::string> PathInput(KernelContext& c, int i) {
  if (c.input(i).shape().IsScalar()) return c.input(i).scalar<std::string>();
  return InvalidArgument("`path` must be a scalar");
}

// The shard of an element, by a function.
Status ShardOf(const CapturedFunction& f, const TensorVector& element,
               const CancellationToken* cancellation, int64_t* shard) {
  TensorVector results;
  GK_RETURN_IF_ERROR(f.Run(element, cancellation, &results));
  if (results.size() != 1 || results[0].dtype() != DataType::kInt64 ||
      results[0].num_elements() != 1) {
    return InvalidArgument("`shard_func` must return a scalar int64.");
  }
  *shard = results[0].data<int64_t>()[0];
  return OkStatus();
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
      GK_ASSIGN_OR_RETURN(Tensor shards, dataset_->Shards());
      TensorVector results;
      GK_RETURN_IF_ERROR(dataset_->reader_.In(context_).Run(
          {std::move(shards)}, cancellation, &results));
      if (results.size() != 1) {
        return InvalidArgument("`reader_func` must return one dataset");
      }
      GK_ASSIGN_OR_RETURN(const Ref<const Dataset> read, Of(results[0]));
      GK_RETURN_IF_ERROR(
          CheckSignature(dataset_->signature(), read->signature()));
      return read->NewIterator(context_->Part(0));
    }

    const Ref<const LoadedDataset> dataset_;
    const ContextRef context_;
    IteratorPtr read_;
  };

  // Those that are there now.
  StatusOr<Tensor> Shards() const {
    GK_ASSIGN_OR_RETURN(const proto::SnapshotMetadataRecord metadata,
                        ReadSavedMetadata(folder_, signature().types));
    GK_ASSIGN_OR_RETURN(
        std::vector<Ref<const Dataset>> datasets,
        SavedShards(folder_, metadata, signature(), compression_));
    std::vector<TensorVector> shards;
    for (Ref<const Dataset>& d : datasets) {
      GK_ASSIGN_OR_RETURN(Tensor shard, Wrap(std::move(d)));
      shards.push_back({std::move(shard)});
    }
    return Wrap(MakeRef<ElementsDataset>(
        "TensorSliceDataset",
        ElementSignature{{DataType::kVariant}, {TensorShape()}},
        std::move(shards)));
  }

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
     .traits = kStateful | kNoGradient | kCallsFunction,
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
