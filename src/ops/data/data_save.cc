// Datasets that are saved to the files of a folder, and read again.
#include <optional>

#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/saved_elements.h"

namespace gk {
namespace {

StatusOr<std::string> PathInput(KernelContext& c, int i) {
  if (c.input(i).shape().IsScalar()) return c.input(i).scalar<std::string>();
  return InvalidArgument("`path` must be a scalar");
}

// Where elements are written to, from the inputs and attributes of an op.
struct SavedTo {
  std::string folder;
  io::Compression compression = {};
  std::optional<CapturedFunction> shard;  // none: there is one
};

StatusOr<SavedTo> ReadSavedTo(KernelContext& c, const Dataset& dataset) {
  SavedTo to;
  GK_ASSIGN_OR_RETURN(to.folder, PathInput(c, 1));
  GK_ASSIGN_OR_RETURN(to.compression,
                      SavedCompression(c.attr<std::string>("compression")));
  if (c.attr<bool>("use_shard_func")) {
    GK_RETURN_IF_ERROR(
        CaptureFunction(c, "shard_func", 2, ListLength(c, "Tshard_func_args"),
                        dataset.signature().types.size(), &to.shard.emplace()));
  }
  return to;
}

Status WriteTo(const SavedTo& to, const TensorVector& element,
               const CancellationToken* cancellation, ElementsWriter* writer) {
  int64_t shard = 0;
  if (to.shard) {
    GK_RETURN_IF_ERROR(ShardOf(*to.shard, element, cancellation, &shard));
  }
  return writer->Write(shard, element);
}

Status ComputeSave(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<const Dataset> dataset, InputDataset(c));
  GK_ASSIGN_OR_RETURN(const SavedTo to, ReadSavedTo(c, *dataset));
  GK_ASSIGN_OR_RETURN(const IteratorPtr iterator, dataset->Begin());
  GK_ASSIGN_OR_RETURN(
      ElementsWriter writer,
      ElementsWriter::Open(to.folder, dataset->signature().types,
                           to.compression));
  for (;;) {
    TensorVector element;
    bool end = false;
    GK_RETURN_IF_ERROR(iterator->Next(c.cancellation(), &element, &end));
    if (end) return writer.Finish();
    GK_RETURN_IF_ERROR(WriteTo(to, element, c.cancellation(), &writer));
  }
}

// Its input's elements, which are written as they are asked for. An iterator
// that goes on where one was saved has those that were written before.
class SavingDataset final : public OneInputDataset {
 public:
  SavingDataset(OneInput in, SavedTo to)
      : OneInputDataset(std::move(in)), to_(std::move(to)) {}

 private:
  class Iterator final : public OneInputIterator<SavingDataset> {
   public:
    using OneInputIterator::OneInputIterator;
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      const SavedTo& to = dataset().to_;
      if (!has_input()) {
        *end = true;
        return OkStatus();
      }
      // Files that lack an element would be taken for whole ones.
      GK_RETURN_IF_ERROR(failed_);
      if (!writer_) {
        GK_ASSIGN_OR_RETURN(writer_, ElementsWriter::OpenResumable(
                                         to.folder, types(), to.compression));
      }
      const Status made = input().Next(cancellation, element, end);
      if (!made.ok()) {
        failed_ = writer_->WriteNone();
        return made;
      }
      if (*end) {
        DropInput();
        return writer_->Finish();
      }
      failed_ = WriteTo(to, *element, cancellation, &*writer_);
      return failed_;
    }

   protected:
    Status DoSkip(const CancellationToken* cancellation, int64_t n,
                  SkipErrors errors, int64_t* passed, bool* end) override {
      if (!failed_.ok()) {  // the next element says so
        *passed = n;
        return OkStatus();
      }
      if (!writer_ && errors == SkipErrors::kPassed) {
        failed_ = GoOn(cancellation, n, passed, end);
        if (!failed_.ok() || *passed > 0 || *end) return failed_;
      }
      return DatasetIterator::DoSkip(cancellation, n, errors, passed, end);
    }

   private:
    const std::vector<DataType>& types() const {
      return dataset().signature().types;
    }

    // Passes over up to `n` elements that were written before.
    Status GoOn(const CancellationToken* cancellation, int64_t n,
                int64_t* passed, bool* end) {
      const SavedTo& to = dataset().to_;
      int64_t written = 0;
      GK_ASSIGN_OR_RETURN(
          writer_, ElementsWriter::GoOn(to.folder, types(), to.compression, n,
                                        &written));
      if (written == 0) return OkStatus();
      GK_RETURN_IF_ERROR(input().Skip(cancellation, written,
                                      SkipErrors::kPassed, passed, end));
      if (*passed == written) return OkStatus();
      return FailedPrecondition(
          "{} elements are saved in {}, but the dataset has {}: it is not the "
          "one that was saved",
          written, to.folder, *passed);
    }

    std::optional<ElementsWriter> writer_;
    Status failed_;
  };

  IteratorPtr Over(IteratorPtr input, const ContextRef&) const override {
    return std::make_unique<Iterator>(this, std::move(input));
  }

  const SavedTo to_;
};

Status ComputeSaving(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(OneInput in, ReadOneInput(c));
  GK_ASSIGN_OR_RETURN(SavedTo to, ReadSavedTo(c, *in.dataset));
  return SetDataset(c, MakeRef<SavingDataset>(std::move(in), std::move(to)));
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

    {.name = "SaveDatasetV2",
     .inputs = "input_dataset: variant; path: string; shard_func_other_args: "
               "Tshard_func_args",
     .outputs = "handle: variant",
     .attrs = "compression: string = ''; shard_func: func; use_shard_func: "
              "bool = True; Tshard_func_args: list(type) >= "
              "0; " GK_ELEMENT_ATTRS,
     .traits = kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeSaving},
     .doc = "The dataset, whose elements are written to the files of a folder "
            "as they are asked for."},

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
