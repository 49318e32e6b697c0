#include "ops/data/saved_elements.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <optional>

#include "base/hash.h"
#include "base/wall_time.h"
#include "io/files.h"
#include "io/path.h"
#include "ops/data/component_message.h"
#include "ops/data/elements_dataset.h"

namespace gk {
namespace {

constexpr int64_t kVersion = 2;
constexpr std::string_view kShard = ".shard", kFile = ".snapshot";

std::string MetadataFile(const std::string& folder) {
  return io::ChildPath(folder, "snapshot.metadata");
}
// "00000007.shard"
std::string Numbered(int64_t number, std::string_view ending) {
  std::string digits = Format("{}", number);
  digits.insert(0, 8 - std::min<size_t>(digits.size(), 8), '0');
  return digits + std::string(ending);
}

std::string UnfinishedFile(const std::string& folder) {
  return io::ChildPath(folder, "unfinished_run");
}
std::string OrderFile(const std::string& run) {
  return io::ChildPath(run, "order");
}
// Of the folder of a run.
std::string ShardFolder(const std::string& run, int64_t shard) {
  return io::ChildPath(run, Numbered(shard, kShard));
}
// Of an element that is none.
constexpr int64_t kNoShard = -1;

// The folder of the run that a folder says is unfinished; empty: there is none.
std::string UnfinishedRun(const std::string& folder) {
  const StatusOr<std::string> name = io::ReadFile(UnfinishedFile(folder));
  if (!name.ok() || name->empty() || name->front() == '.' ||
      name->find('/') != std::string::npos) {
    return "";
  }
  return io::ChildPath(folder, *name);
}

// The elements of an unfinished run, in the order in which they came.
class UnfinishedElements {
 public:
  UnfinishedElements(std::string run, size_t components,
                     io::Compression compression)
      : run_(std::move(run)),
        components_(components),
        compression_(compression) {}

  // False behind the last one that is whole. kNoShard: there is no element.
  bool Next(int64_t* shard, std::vector<std::string>* records) {
    if (!order_) {
      StatusOr<io::RecordReader> order =
          io::RecordReader::Open(OrderFile(run_));
      if (!order.ok()) return false;
      order_.emplace(*std::move(order));
    }
    std::string number;
    if (!order_->Read(&number).ok() || number.size() != sizeof(*shard)) {
      return false;
    }
    std::memcpy(shard, number.data(), sizeof(*shard));
    records->assign(*shard == kNoShard ? 0 : components_, "");
    for (std::string& record : *records) {
      if (!ReadOf(*shard, &record)) return false;
    }
    return true;
  }

 private:
  bool ReadOf(int64_t shard, std::string* record) {
    auto at = shards_.find(shard);
    if (at == shards_.end()) {
      std::string path =
          io::ChildPath(ShardFolder(run_, shard), Numbered(0, kFile));
      StatusOr<io::BufferedReader> file = io::OpenInflated(path, compression_);
      if (!file.ok()) return false;
      at = shards_.emplace(shard, io::RecordReader(path, *std::move(file)))
               .first;
    }
    return at->second.Read(record).ok();
  }

  const std::string run_;
  const size_t components_;
  const io::Compression compression_;
  std::optional<io::RecordReader> order_;
  std::map<int64_t, io::RecordReader> shards_;
};

// One that no other run has.
std::string NewRun() {
  static std::atomic<uint64_t> count{0};
  const size_t own = HashCombine(
      static_cast<size_t>(WallTime() * 1e6),
      HashCombine(static_cast<size_t>(getpid()), count.fetch_add(1)));
  return Format("{}", own);
}

// The elements in the files of one shard.
class SavedShard final : public Dataset {
 public:
  SavedShard(ElementSignature signature, std::vector<std::string> files,
             io::Compression compression)
      : Dataset(std::move(signature), {}),
        files_(std::move(files)),
        compression_(compression) {}

  std::string_view kind() const override { return "SnapshotDatasetReader"; }
  int64_t Cardinality() const override { return kUnknownCardinality; }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef&) const override {
    return IteratorPtr(new Iterator(this));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(const SavedShard* d) : dataset_(d) {}
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      const SavedShard& d = *dataset_;
      for (;;) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        if (!records_) {
          if (next_ == d.files_.size()) {
            *end = true;
            return OkStatus();
          }
          const std::string& name = d.files_[next_++];
          GK_ASSIGN_OR_RETURN(io::BufferedReader file,
                              io::OpenInflated(name, d.compression_));
          records_.emplace(name, std::move(file));
        }
        bool ended = false;
        const Status read = Read(element, &ended);
        if (!read.ok() || ended) records_.reset();
        if (!ended) return read;
      }
    }

   private:
    Status Read(TensorVector* element, bool* ended) {
      const ElementSignature& signature = dataset_->signature();
      const std::string& name = dataset_->files_[next_ - 1];
      element->clear();
      for (size_t i = 0; i < signature.types.size(); ++i) {
        std::string record;
        const Status status = records_->Read(&record);
        if (status.code() == Code::kOutOfRange) {
          *ended = i == 0;
          return *ended ? OkStatus()
                        : DataLoss("{} ends within an element", name);
        }
        GK_RETURN_IF_ERROR(status);
        proto::TensorProto message;
        GK_RETURN_IF_ERROR(message.Parse(record).Prepend(name + ": "));
        GK_ASSIGN_OR_RETURN(Tensor t, ComponentOfMessage(message));
        element->push_back(std::move(t));
      }
      return CheckElement(signature, *element);
    }

    const Ref<const SavedShard> dataset_;
    std::optional<io::RecordReader> records_;
    size_t next_ = 0;
  };

  const std::vector<std::string> files_;
  const io::Compression compression_;
};

// The whole paths of what a folder has with this ending, sorted.
StatusOr<std::vector<std::string>> Ending(const std::string& folder,
                                          std::string_view ending) {
  GK_ASSIGN_OR_RETURN(const std::vector<std::string> names, io::List(folder));
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (name.ends_with(ending)) found.push_back(io::ChildPath(folder, name));
  }
  return found;
}

}  // namespace

StatusOr<io::Compression> SavedCompression(std::string_view name) {
  if (name == "SNAPPY") return io::Compression::kSnappy;
  return io::CompressionOf(name == "AUTO" ? "" : name);
}

StatusOr<ElementsWriter> ElementsWriter::Open(std::string folder,
                                              std::vector<DataType> types,
                                              io::Compression compression) {
  proto::SnapshotMetadataRecord metadata;
  metadata.run_id = NewRun();
  metadata.creation_timestamp = static_cast<int64_t>(WallTime() * 1e6);
  metadata.version = kVersion;
  for (const DataType type : types) {
    metadata.dtype.push_back(static_cast<proto::DataType>(type));
  }
  GK_RETURN_IF_ERROR(
      io::MakeDirectories(io::ChildPath(folder, metadata.run_id)));
  return ElementsWriter(std::move(folder), std::move(metadata), compression);
}

StatusOr<ElementsWriter> ElementsWriter::OpenResumable(
    std::string folder, std::vector<DataType> types,
    io::Compression compression) {
  int64_t passed = 0;
  return GoOn(std::move(folder), std::move(types), compression, 0, &passed);
}

StatusOr<ElementsWriter> ElementsWriter::GoOn(std::string folder,
                                              std::vector<DataType> types,
                                              io::Compression compression,
                                              int64_t most, int64_t* passed) {
  *passed = 0;
  const std::string old = UnfinishedRun(folder);
  UnfinishedElements elements(old, types.size(), compression);
  GK_ASSIGN_OR_RETURN(ElementsWriter writer,
                      Open(std::move(folder), std::move(types), compression));
  GK_ASSIGN_OR_RETURN(writer.order_,
                      io::RecordWriter::Open(OrderFile(writer.RunFolder())));
  int64_t shard = 0;
  std::vector<std::string> records;
  while (!old.empty() && *passed < most && elements.Next(&shard, &records)) {
    GK_RETURN_IF_ERROR(shard == kNoShard ? writer.WriteNone()
                                         : writer.WriteRecords(shard, records));
    ++*passed;
  }
  GK_RETURN_IF_ERROR(
      io::WriteFile(UnfinishedFile(writer.folder_), writer.metadata_.run_id));
  if (!old.empty()) GK_RETURN_IF_ERROR(io::DeleteRecursively(old));
  return writer;
}

std::string ElementsWriter::RunFolder() const {
  return io::ChildPath(folder_, metadata_.run_id);
}

Status ElementsWriter::Write(int64_t shard, const TensorVector& element) {
  std::vector<std::string> records;
  for (const Tensor& t : element) {
    GK_ASSIGN_OR_RETURN(const proto::TensorProto message,
                        MessageOfComponent(t));
    records.push_back(message.Serialize());
  }
  return WriteRecords(shard, records);
}

Status ElementsWriter::WriteNone() { return WriteOrder(kNoShard); }

Status ElementsWriter::WriteOrder(int64_t shard) {
  if (!order_) return OkStatus();
  char number[sizeof(shard)];
  std::memcpy(number, &shard, sizeof(shard));
  return order_->Write({number, sizeof(number)});
}

Status ElementsWriter::WriteRecords(int64_t shard,
                                    const std::vector<std::string>& records) {
  auto at = shards_.find(shard);
  if (at == shards_.end()) {
    if (shard < 0) {
      return InvalidArgument(
          "`shard_func` must give numbers of shards, which are not below 0, "
          "but gave {}",
          shard);
    }
    const std::string own = ShardFolder(RunFolder(), shard);
    GK_RETURN_IF_ERROR(io::MakeDirectories(own));
    const std::string path = io::ChildPath(own, Numbered(0, kFile));
    GK_ASSIGN_OR_RETURN(std::unique_ptr<io::WritableFile> file,
                        io::OpenDeflated(path, {.compression = compression_}));
    at = shards_.emplace(shard, io::RecordWriter(path, std::move(file))).first;
  }
  for (const std::string& record : records) {
    GK_RETURN_IF_ERROR(at->second.Write(record));
  }
  ++metadata_.num_elements;
  return WriteOrder(shard);
}

Status ElementsWriter::Finish() {
  for (auto& [number, shard] : shards_) GK_RETURN_IF_ERROR(shard.Close());
  metadata_.finalized = true;
  GK_RETURN_IF_ERROR(
      io::WriteFile(MetadataFile(folder_), metadata_.Serialize()));
  if (!order_) return OkStatus();
  GK_RETURN_IF_ERROR(order_->Close());
  GK_RETURN_IF_ERROR(io::DeleteFile(OrderFile(RunFolder())));
  return io::DeleteFile(UnfinishedFile(folder_));
}

void ElementsWriter::Abandon() {
  for (auto& [number, shard] : shards_) shard.Close().ok();
  shards_.clear();
  io::DeleteRecursively(RunFolder()).ok();
}

StatusOr<proto::SnapshotMetadataRecord> ReadSavedMetadata(
    const std::string& folder, const std::vector<DataType>& types) {
  const std::string name = MetadataFile(folder);
  GK_ASSIGN_OR_RETURN(const std::string bytes, io::ReadFile(name));
  proto::SnapshotMetadataRecord metadata;
  if (!metadata.Parse(bytes).ok() || metadata.run_id.empty() ||
      metadata.run_id.find('/') != std::string::npos ||
      metadata.run_id.starts_with('.') || metadata.num_elements < 0) {
    return DataLoss("{} does not say what elements are saved", name);
  }
  if (metadata.version != kVersion) {
    return Unimplemented(
        "{} is of version {} of the format, of which only {} is read", name,
        metadata.version, kVersion);
  }
  if (!metadata.finalized) {
    return FailedPrecondition(
        "The elements in {} are not complete: who saves them is not done, or "
        "failed",
        folder);
  }
  std::vector<DataType> saved;
  for (const auto type : metadata.dtype) {
    saved.push_back(static_cast<DataType>(type));
  }
  if (saved == types) return metadata;
  const auto text = [](const std::vector<DataType>& of) {
    std::string all;
    for (const DataType type : of) {
      all += (all.empty() ? "" : ", ") + std::string(DataTypeString(type));
    }
    return all;
  };
  return InvalidArgument(
      "The elements in {} have components of types ({}), not ({})", folder,
      text(saved), text(types));
}

StatusOr<IteratorPtr> ReadSaved(const Dataset& user, const std::string& folder,
                                const proto::SnapshotMetadataRecord& metadata,
                                io::Compression compression,
                                const CapturedFunction& reader,
                                const ContextRef& context,
                                const CancellationToken* cancellation) {
  GK_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                      Ending(io::ChildPath(folder, metadata.run_id), kShard));
  std::vector<TensorVector> shards;
  for (const std::string& name : names) {
    GK_ASSIGN_OR_RETURN(std::vector<std::string> files, Ending(name, kFile));
    GK_ASSIGN_OR_RETURN(Tensor shard,
                        Dataset::Wrap(MakeRef<SavedShard>(
                            user.signature(), std::move(files), compression)));
    shards.push_back({std::move(shard)});
  }
  GK_ASSIGN_OR_RETURN(
      Tensor all, Dataset::Wrap(MakeRef<ElementsDataset>(
                      "TensorSliceDataset",
                      ElementSignature{{DataType::kVariant}, {TensorShape()}},
                      std::move(shards))));
  TensorVector results;
  GK_RETURN_IF_ERROR(
      reader.In(context).Run({std::move(all)}, cancellation, &results));
  if (results.size() != 1) {
    return InvalidArgument("`reader_func` must return one dataset");
  }
  GK_ASSIGN_OR_RETURN(const Ref<const Dataset> read, Dataset::Of(results[0]));
  GK_RETURN_IF_ERROR(CheckSignature(user.signature(), read->signature()));
  return read->NewIterator(
      context->Within(user.depth())->Opened(0, read->seed_sources()));
}

Status ShardOf(const CapturedFunction& f, const TensorVector& element,
               const CancellationToken* cancellation, int64_t* shard) {
  TensorVector results;
  GK_RETURN_IF_ERROR(f.Run(element, cancellation, &results));
  const DataType type =
      results.size() == 1 ? results[0].dtype() : DataType::kInvalid;
  if ((type != DataType::kInt64 && type != DataType::kInt32) ||
      results[0].num_elements() != 1) {
    return InvalidArgument("`shard_func` must return a scalar int64.");
  }
  *shard = type == DataType::kInt64 ? results[0].data<int64_t>()[0]
                                    : results[0].data<int32_t>()[0];
  return OkStatus();
}

}  // namespace gk
