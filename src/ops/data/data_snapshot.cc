// A dataset whose elements are written to files while the first pass goes
// through them, and read from there by later passes.
#include <optional>

#include "framework/op_registry.h"
#include "io/path.h"
#include "ops/data/dataset_fingerprint.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/saved_elements.h"

namespace gk {
namespace {

struct SnapshotFiles {
  std::string folder;
  io::Compression compression = io::Compression::kNone;
  CapturedFunction reader, shard;
};

// Whether a pass reads what was written, for one that is gone through again:
// what stands in files then may be what the pass itself wrote.
class Reading final : public SeedSource {
 public:
  explicit Reading(bool now) { now_.seed = now ? 1 : 0; }
  Seeds Now() const override { return now_; }
  void Continue(const Seeds&) override {}
  void Advance() override {}

 private:
  Seeds now_;
};

class SnapshotDataset final : public DatasetOfInput {
 public:
  SnapshotDataset(ElementSignature signature, Ref<const Dataset> input,
                  SnapshotFiles files)
      : DatasetOfInput(std::move(signature), std::move(input)),
        files_(std::move(files)) {}

  std::string_view kind() const override { return "SnapshotDatasetV2"; }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef& context) const override {
    return IteratorPtr(new Iterator(this, context));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const SnapshotDataset* d, ContextRef context)
        : dataset_(d),
          context_(std::move(context)),
          shard_(d->files_.shard.In(context_)) {}
    ~Iterator() override {
      if (writer_) writer_->Abandon();
    }
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      if (!elements_) GK_RETURN_IF_ERROR(Begin(cancellation));
      const Status status = elements_->Next(cancellation, element, end);
      if (!status.ok()) {
        Stop();
        return status;
      }
      if (reads_ && !*end) {
        return CheckElement(dataset_->signature(), *element);
      }
      if (!writer_) return OkStatus();
      const Status written =
          *end ? writer_->Finish() : Write(*element, cancellation);
      if (*end && written.ok()) {
        writer_.reset();
      } else if (!written.ok()) {
        Stop();
      }
      return written;
    }

   private:
    Status Begin(const CancellationToken* cancellation) {
      const SnapshotFiles& files = dataset_->files_;
      const auto& types = dataset_->signature().types;
      const StatusOr<proto::SnapshotMetadataRecord> metadata =
          ReadSavedMetadata(files.folder, types);
      Reading reading(metadata.ok());
      reads_ = context_->Draw(dataset_->depth(), reading).seed != 0;
      if (reads_) {
        GK_RETURN_IF_ERROR(metadata.status());
        GK_ASSIGN_OR_RETURN(
            elements_,
            ReadSaved(*dataset_, files.folder, *metadata, files.compression,
                      files.reader, context_, cancellation));
        return OkStatus();
      }
      const Code code = metadata.status().code();
      if (!metadata.ok() && code != Code::kNotFound &&
          code != Code::kFailedPrecondition) {
        return metadata.status();
      }
      if (!metadata.ok()) {
        GK_ASSIGN_OR_RETURN(
            ElementsWriter writer,
            ElementsWriter::Open(files.folder, types, files.compression));
        writer_.emplace(std::move(writer));
      }
      GK_ASSIGN_OR_RETURN(elements_, dataset_->input().NewIterator(context_));
      return OkStatus();
    }

    Status Write(const TensorVector& element,
                 const CancellationToken* cancellation) {
      int64_t shard = 0;
      GK_RETURN_IF_ERROR(ShardOf(shard_, element, cancellation, &shard));
      return writer_->Write(shard, element);
    }

    // Elements go on, but this pass has not all of them.
    void Stop() {
      if (writer_) writer_->Abandon();
      writer_.reset();
    }

    const Ref<const SnapshotDataset> dataset_;
    const ContextRef context_;
    const CapturedFunction shard_;
    IteratorPtr elements_;
    std::optional<ElementsWriter> writer_;
    bool reads_ = false;
  };

  const SnapshotFiles files_;
};

Status ComputeSnapshot(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Ref<const Dataset> input, InputDataset(c));
  if (!c.input(1).shape().IsScalar()) {
    return InvalidArgument("`path` must be a scalar");
  }
  SnapshotFiles files;
  const std::string& compression = c.attr<std::string>("compression");
  GK_ASSIGN_OR_RETURN(
      files.compression,
      SavedCompression(compression == "AUTO" ? "SNAPPY" : compression));
  const int readers = ListLength(c, "Treader_func_args"),
            shards = ListLength(c, "Tshard_func_args");
  GK_RETURN_IF_ERROR(
      CaptureFunction(c, "reader_func", 2, readers, 1, &files.reader));
  GK_RETURN_IF_ERROR(CaptureFunction(c, "shard_func", 2 + readers, shards,
                                     input->signature().types.size(),
                                     &files.shard));
  uint64_t hash = static_cast<uint64_t>(c.attr<int64_t>("hash"));
  if (!c.attr<bool>("hash_valid")) {
    GK_ASSIGN_OR_RETURN(hash, FingerprintOf(*input));
  }
  files.folder =
      io::ChildPath(c.input(1).scalar<std::string>(), Format("{}", hash));
  return SetDataset(
      c, MakeRef<SnapshotDataset>(SignatureAttrs(c), std::move(input),
                                  std::move(files)));
}

Status ComputeFingerprint(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<const Dataset> dataset, InputDataset(c));
  GK_ASSIGN_OR_RETURN(const uint64_t fingerprint, FingerprintOf(*dataset));
  c.set_output(0, Tensor::Scalar<uint64_t>(fingerprint));
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "SnapshotDatasetV2",
     .inputs = "input_dataset: variant; path: string; reader_func_other_args: "
               "Treader_func_args; shard_func_other_args: Tshard_func_args",
     .outputs = "handle: variant",
     .attrs = GK_ELEMENT_ATTRS
     "; compression: string = ''; reader_prefix: string = ''; writer_prefix: "
     "string = ''; hash_valid: bool = False; hash: int = 0; reader_func: func; "
     "shard_func: func; Treader_func_args: list(type) >= 0; Tshard_func_args: "
     "list(type) >= 0; metadata: string = ''",
     .traits = kCallsFunction,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeSnapshot},
     .doc = "A dataset whose elements are written to files once and read from "
            "there later."},

    {.name = "DatasetFingerprint",
     .inputs = "input_dataset: variant",
     .outputs = "fingerprint: uint64",
     .attrs = "",
     .traits = kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeFingerprint},
     .doc = "A number for what a dataset is made of."},
};

}  // namespace

GK_REGISTER_OPS(data_snapshot)

}  // namespace gk
