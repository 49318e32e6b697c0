#include "ops/data/file_cache.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "graph/tensor_proto.h"
#include "ops/data/dataset_kernel.h"
#include "proto/record_io.h"

namespace gk {
namespace {

constexpr std::string_view kHeader = "graphkiln dataset cache 1";

// A file that takes its name when it is whole, and is gone else.
class NewFile {
 public:
  explicit NewFile(std::string name)
      : name_(std::move(name)),
        own_(Format("{}.tmp-{}-{}", name_, process_, counter_.fetch_add(1))) {}
  ~NewFile() {
    // A forked child has the same object, but it is not its file.
    if (!writer_ || process_ != getpid()) return;
    writer_.reset();
    std::remove(own_.c_str());
  }

  Status Open() {
    GK_ASSIGN_OR_RETURN(proto::RecordWriter writer,
                        proto::RecordWriter::Open(own_));
    writer_.emplace(std::move(writer));
    return writer_->Write(kHeader);
  }
  Status Write(const TensorVector& element) {
    for (const Tensor& t : element) {
      GK_ASSIGN_OR_RETURN(const proto::TensorProto message, TensorToProto(t));
      GK_RETURN_IF_ERROR(writer_->Write(message.Serialize()));
    }
    return OkStatus();
  }
  Status Finish() {
    GK_RETURN_IF_ERROR(writer_->Close());
    if (std::rename(own_.c_str(), name_.c_str()) != 0) {
      return Internal("{} cannot be renamed to {}: {}", own_, name_,
                      std::strerror(errno));
    }
    writer_.reset();
    return OkStatus();
  }

 private:
  inline static std::atomic<int> counter_{0};
  const pid_t process_ = getpid();
  const std::string name_, own_;
  std::optional<proto::RecordWriter> writer_;
};

class FileCacheDataset final : public DatasetOfInput {
 public:
  FileCacheDataset(ElementSignature signature, Ref<const Dataset> input,
                   std::string name)
      : DatasetOfInput(std::move(signature), std::move(input)),
        name_(std::move(name) + ".index") {}

  std::string_view kind() const override { return "CacheDatasetV2"; }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef& context) const override {
    return IteratorPtr(new Iterator(this, context));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const FileCacheDataset* d, ContextRef context)
        : dataset_(d), context_(std::move(context)) {}

    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      GK_RETURN_IF_ERROR(broken_);
      if (ended_) {
        *end = true;
        return OkStatus();
      }
      if (!reader_ && !input_) broken_ = Begin();
      GK_RETURN_IF_ERROR(broken_);
      if (reader_) {
        Status status = Read(element, end);
        ended_ = *end;
        if (!status.ok()) broken_ = status;
        return status;
      }
      GK_RETURN_IF_ERROR(input_->GetNext(cancellation, element, end));
      ended_ = *end;
      broken_ = ended_ ? file_->Finish() : file_->Write(*element);
      return broken_;
    }

   private:
    // Reads the file if there is one, else writes it.
    Status Begin() {
      StatusOr<proto::RecordReader> reader =
          proto::RecordReader::Open(dataset_->name_);
      if (reader.ok()) {
        reader_.emplace(*std::move(reader));
        std::string header;
        Status status = reader_->Read(&header);
        if (!status.ok() || header != kHeader) {
          return DataLoss("{} is not the cache of a dataset", dataset_->name_);
        }
        return OkStatus();
      }
      if (reader.status().code() != Code::kNotFound) return reader.status();
      file_.emplace(dataset_->name_);
      GK_RETURN_IF_ERROR(file_->Open());
      GK_ASSIGN_OR_RETURN(input_, dataset_->input().MakeIterator(context_));
      return OkStatus();
    }

    Status Read(TensorVector* element, bool* end) {
      element->clear();
      const ElementSignature& signature = dataset_->signature();
      for (size_t i = 0; i < signature.types.size(); ++i) {
        std::string record;
        Status status = reader_->Read(&record);
        if (status.code() == Code::kOutOfRange && i == 0) {
          *end = true;
          return OkStatus();
        }
        if (status.code() == Code::kOutOfRange) {
          return DataLoss("{} ends inside of an element", dataset_->name_);
        }
        GK_RETURN_IF_ERROR(status);
        proto::TensorProto message;
        GK_RETURN_IF_ERROR(message.Parse(record));
        GK_ASSIGN_OR_RETURN(Tensor t, TensorFromProto(message));
        element->push_back(std::move(t));
      }
      return CheckElement(signature, *element);
    }

    const Ref<const FileCacheDataset> dataset_;
    const ContextRef context_;
    std::optional<proto::RecordReader> reader_;
    std::optional<NewFile> file_;
    IteratorPtr input_;
    Status broken_;
    bool ended_ = false;
  };

  const std::string name_;
};

}  // namespace

Ref<const Dataset> NewFileCache(ElementSignature signature,
                                Ref<const Dataset> input, std::string name) {
  return MakeRef<FileCacheDataset>(std::move(signature), std::move(input),
                                   std::move(name));
}

}  // namespace gk
