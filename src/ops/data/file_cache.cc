#include "ops/data/file_cache.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <ctime>
#include <optional>

#include "io/files.h"
#include "io/record_io.h"
#include "ops/data/component_message.h"
#include "ops/data/dataset_kernel.h"

namespace gk {
namespace {

constexpr std::string_view kHeader = "graphkiln dataset cache 2";

std::string DataFile(const std::string& prefix) {
  return prefix + ".data-00000-of-00001";
}
std::string IndexFile(const std::string& prefix) { return prefix + ".index"; }

// The right to write a cache: a file that only one can make.
class WriteLock {
 public:
  explicit WriteLock(const std::string& prefix)
      : name_(prefix + "_0.lockfile") {}
  ~WriteLock() {
    // A forked child has the same object, but it is not its lock.
    if (held_ && process_ == getpid()) io::DeleteFile(name_).ok();
  }

  Status Take() {
    StatusOr<std::unique_ptr<io::WritableFile>> file =
        io::OpenToWrite(name_, io::WriteMode::kCreate);
    if (file.status().code() == Code::kAlreadyExists) {
      return AlreadyExists(
          "There appears to be a concurrent caching iterator running - cache "
          "lockfile already exists ('{}'). If you are sure no other running "
          "TF computations are using this cache prefix, delete the lockfile "
          "and re-initialize the iterator. Lockfile contents: {}",
          name_, Contents());
    }
    GK_RETURN_IF_ERROR(file.status());
    held_ = true;
    // Who finds the file without its contents is told the same.
    (*file)->Append(Format("Created at: {}", time(nullptr))).ok();
    (*file)->Close().ok();
    return OkStatus();
  }

 private:
  std::string Contents() const {
    StatusOr<io::BufferedReader> file = io::BufferedReader::Open(name_);
    if (!file.ok()) return "";
    StatusOr<std::string> text = file->Read(64);
    return text.ok() ? *text : "";
  }

  const pid_t process_ = getpid();
  const std::string name_;
  bool held_ = false;
};

// The files of a cache in the making: they take their names when they are
// whole, and are gone else.
class NewFiles {
 public:
  explicit NewFiles(const std::string& prefix)
      : prefix_(prefix),
        own_(Format("{}.tempstate{}-{}", DataFile(prefix + "_0"), process_,
                    counter_.fetch_add(1))),
        lock_(prefix) {}
  ~NewFiles() {
    if (!writer_ || process_ != getpid()) return;
    writer_.reset();
    io::DeleteFile(own_).ok();
  }

  Status Open() {
    GK_RETURN_IF_ERROR(lock_.Take());
    GK_ASSIGN_OR_RETURN(io::RecordWriter writer, io::RecordWriter::Open(own_));
    writer_.emplace(std::move(writer));
    return OkStatus();
  }
  Status Write(const TensorVector& element) {
    for (const Tensor& t : element) {
      GK_ASSIGN_OR_RETURN(const proto::TensorProto message,
                          MessageOfComponent(t));
      GK_RETURN_IF_ERROR(writer_->Write(message.Serialize()));
    }
    ++elements_;
    return OkStatus();
  }
  int64_t elements() const { return elements_; }

  Status Finish() {
    GK_RETURN_IF_ERROR(writer_->Close());
    GK_RETURN_IF_ERROR(io::Rename(own_, DataFile(prefix_), /*overwrite=*/true));
    writer_.reset();
    // The index comes last: whoever finds it finds the whole cache.
    GK_ASSIGN_OR_RETURN(io::RecordWriter index, io::RecordWriter::Open(own_));
    writer_.emplace(std::move(index));
    GK_RETURN_IF_ERROR(writer_->Write(kHeader));
    GK_RETURN_IF_ERROR(writer_->Write(Format("{}", elements_)));
    GK_RETURN_IF_ERROR(writer_->Close());
    GK_RETURN_IF_ERROR(
        io::Rename(own_, IndexFile(prefix_), /*overwrite=*/true));
    writer_.reset();
    return OkStatus();
  }

 private:
  inline static std::atomic<int> counter_{0};
  const pid_t process_ = getpid();
  const std::string prefix_, own_;
  WriteLock lock_;
  std::optional<io::RecordWriter> writer_;
  int64_t elements_ = 0;
};

// What NewFiles wrote.
class Reader {
 public:
  static StatusOr<Reader> Open(const std::string& prefix) {
    const std::string name = IndexFile(prefix);
    GK_ASSIGN_OR_RETURN(io::RecordReader index, io::RecordReader::Open(name));
    std::string header, count;
    if (!index.Read(&header).ok() || header != kHeader ||
        !index.Read(&count).ok()) {
      return DataLoss(
          "{} is not the cache of a dataset; remove it to have the cache "
          "written again",
          name);
    }
    StatusOr<io::RecordReader> data = io::RecordReader::Open(DataFile(prefix));
    if (data.status().code() == Code::kNotFound) {
      return DataLoss("{} is there, but {} is not", name, DataFile(prefix));
    }
    GK_RETURN_IF_ERROR(data.status());
    return Reader(DataFile(prefix), *std::move(data),
                  std::strtoll(count.c_str(), nullptr, 10));
  }

  Status Read(const ElementSignature& signature, TensorVector* element,
              bool* end) {
    element->clear();
    if (next_ == elements_) {
      *end = true;
      return OkStatus();
    }
    for (size_t i = 0; i < signature.types.size(); ++i) {
      std::string record;
      const Status status = records_.Read(&record);
      if (status.code() == Code::kOutOfRange) {
        return DataLoss("{} has {} of {} elements", name_, next_, elements_);
      }
      GK_RETURN_IF_ERROR(status);
      proto::TensorProto message;
      GK_RETURN_IF_ERROR(message.Parse(record));
      GK_ASSIGN_OR_RETURN(Tensor t, ComponentOfMessage(message));
      element->push_back(std::move(t));
    }
    ++next_;
    return CheckElement(signature, *element);
  }

 private:
  Reader(std::string name, io::RecordReader records, int64_t elements)
      : name_(std::move(name)),
        records_(std::move(records)),
        elements_(elements) {}

  std::string name_;
  io::RecordReader records_;
  int64_t elements_, next_ = 0;
};

class FileCacheDataset final : public DatasetOfInput {
 public:
  FileCacheDataset(ElementSignature signature, Ref<const Dataset> input,
                   std::string name)
      : DatasetOfInput(std::move(signature), std::move(input)),
        name_(std::move(name)) {}

  std::string_view kind() const override { return "CacheDatasetV2"; }
  void AppendText(std::string* text, size_t) const override {
    *text += "CacheDatasetOp::FileDataset";
  }
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
      if (!reader_ && !input_) GK_RETURN_IF_ERROR(Kept(Begin()));
      if (reader_) {
        const Status status =
            Kept(reader_->Read(dataset_->signature(), element, end));
        ended_ = *end;
        return status;
      }
      GK_RETURN_IF_ERROR(input_->Next(cancellation, element, end));
      if (*end) return Kept(End());
      GK_RETURN_IF_ERROR(Kept(files_->Write(*element)));
      // Who knows how many elements there are need not ask for one more.
      const bool last = files_->elements() == dataset_->input().Cardinality();
      return last ? Kept(End()) : OkStatus();
    }

   private:
    // Reads the file if there is one, else writes it.
    Status Begin() {
      StatusOr<Reader> reader = Reader::Open(dataset_->name_);
      if (reader.ok()) {
        reader_.emplace(*std::move(reader));
        return OkStatus();
      }
      if (reader.status().code() != Code::kNotFound) return reader.status();
      files_.emplace(dataset_->name_);
      GK_RETURN_IF_ERROR(files_->Open());
      GK_ASSIGN_OR_RETURN(input_, dataset_->input().NewIterator(context_));
      return OkStatus();
    }

    // What went wrong with the files stays so; others may write them now.
    Status Kept(Status status) {
      if (!status.ok()) {
        broken_ = status;
        files_.reset();
      }
      return status;
    }

    Status End() {
      ended_ = true;
      const Status status = files_->Finish();
      files_.reset();
      return status;
    }

    const Ref<const FileCacheDataset> dataset_;
    const ContextRef context_;
    std::optional<Reader> reader_;
    std::optional<NewFiles> files_;
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
