// Datasets of what is in files: framed records, lines, records of one length.
#include <optional>

#include "framework/op_registry.h"
#include "io/compression.h"
#include "io/files.h"
#include "io/record_io.h"
#include "ops/data/dataset_kernel.h"

namespace gk {
namespace {

// Which files there are, and how each is read.
struct FileList {
  std::vector<std::string> names;
  std::vector<int64_t> offsets;  // where reading begins; empty: at 0
  io::Compression compression = io::Compression::kNone;
  size_t piece = 0;

  StatusOr<io::BufferedReader> Open(size_t i) const {
    GK_ASSIGN_OR_RETURN(io::BufferedReader reader,
                        io::OpenInflated(names[i], compression, piece));
    if (!offsets.empty()) reader.Seek(static_cast<uint64_t>(offsets[i]));
    return reader;
  }
};

// One file from its beginning.
class FilePass {
 public:
  virtual ~FilePass() = default;
  virtual StatusOr<bool> Next(std::string* record) = 0;
  // Behind an error, is the next file's first record the next one?
  virtual bool drops_file() const { return true; }
};
using FilePassPtr = std::unique_ptr<FilePass>;

class FilesDataset : public Dataset {
 public:
  FilesDataset(std::string_view kind, FileList files)
      : Dataset({{DataType::kString}, {TensorShape()}}, {}),
        kind_(kind),
        files_(std::move(files)) {}

  std::string_view kind() const final { return kind_; }
  int64_t Cardinality() const final { return kUnknownCardinality; }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef&) const final {
    return IteratorPtr(new Iterator(this));
  }

 protected:
  const FileList& files() const { return files_; }
  virtual StatusOr<FilePassPtr> Open(size_t i) const = 0;

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(const FilesDataset* d) : dataset_(d) {}
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      GK_ASSIGN_OR_RETURN(Tensor record,
                          Tensor::Allocate(DataType::kString, TensorShape()));
      GK_RETURN_IF_ERROR(Read(cancellation, record.data<std::string>(), end));
      if (!*end) *element = {std::move(record)};
      return OkStatus();
    }
    const ElementSignature* RowsNow() override {
      return &dataset_->signature();
    }

   protected:
    Status GetRows(const CancellationToken* cancellation, int64_t n,
                   std::span<void* const> rows, int64_t* count,
                   bool* end) override {
      for (; *count < n; ++*count) {
        GK_RETURN_IF_ERROR(Read(
            cancellation, static_cast<std::string*>(rows[0]) + *count, end));
        if (*end) break;
      }
      return OkStatus();
    }

   private:
    Status Read(const CancellationToken* cancellation, std::string* record,
                bool* end) {
      for (;;) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        if (!pass_) {
          if (next_ == dataset_->files_.names.size()) {
            *end = true;
            return OkStatus();
          }
          GK_ASSIGN_OR_RETURN(pass_, dataset_->Open(next_));
        }
        const StatusOr<bool> more = pass_->Next(record);
        if (more.ok() && *more) return OkStatus();
        if (more.ok() || pass_->drops_file()) {
          pass_.reset();
          ++next_;
        }
        GK_RETURN_IF_ERROR(more.status());
      }
    }

    const Ref<const FilesDataset> dataset_;
    FilePassPtr pass_;
    size_t next_ = 0;
  };

  const std::string_view kind_;
  const FileList files_;
};

class RecordsDataset final : public FilesDataset {
 public:
  static constexpr int64_t kBestBufferSize = -1;
  using FilesDataset::FilesDataset;

 protected:
  StatusOr<FilePassPtr> Open(size_t i) const override {
    GK_ASSIGN_OR_RETURN(io::BufferedReader file, files().Open(i));
    return FilePassPtr(
        new Pass(io::RecordReader(files().names[i], std::move(file))));
  }

 private:
  class Pass final : public FilePass {
   public:
    explicit Pass(io::RecordReader file) : file_(std::move(file)) {}
    StatusOr<bool> Next(std::string* record) override {
      const Status status = file_.Read(record);
      if (status.code() == Code::kOutOfRange) return false;
      GK_RETURN_IF_ERROR(status);
      return true;
    }

   private:
    io::RecordReader file_;
  };
};

class LinesDataset final : public FilesDataset {
 public:
  static constexpr int64_t kBestBufferSize = 0;
  using FilesDataset::FilesDataset;

 protected:
  StatusOr<FilePassPtr> Open(size_t i) const override {
    GK_ASSIGN_OR_RETURN(io::BufferedReader file, files().Open(i));
    return FilePassPtr(new Pass(std::move(file)));
  }

 private:
  class Pass final : public FilePass {
   public:
    explicit Pass(io::BufferedReader file) : file_(std::move(file)) {}
    StatusOr<bool> Next(std::string* record) override {
      return file_.ReadLine(record);
    }
    bool drops_file() const override { return false; }

   private:
    io::BufferedReader file_;
  };
};

struct FixedSizes {
  int64_t header = 0, record = 0, footer = 0;
};

class FixedRecordsDataset final : public FilesDataset {
 public:
  FixedRecordsDataset(std::string_view kind, FileList files, FixedSizes sizes)
      : FilesDataset(kind, std::move(files)), sizes_(sizes) {}

 protected:
  StatusOr<FilePassPtr> Open(size_t i) const override {
    const std::string& name = files().names[i];
    std::optional<int64_t> records;
    if (files().compression == io::Compression::kNone) {
      GK_ASSIGN_OR_RETURN(const io::FileStatistics known, io::Stat(name));
      // Sizes are not negative, but their sum may be too large.
      const int64_t body = known.length - sizes_.header < sizes_.footer
                               ? -1
                               : known.length - sizes_.header - sizes_.footer;
      if (body < 0 || body % sizes_.record != 0) {
        return WrongLength(Code::kInvalidArgument, name, body);
      }
      records = body / sizes_.record;
    }
    GK_ASSIGN_OR_RETURN(io::BufferedReader file, files().Open(i));
    file.Seek(static_cast<uint64_t>(sizes_.header));
    return FilePassPtr(new Pass(this, name, std::move(file), records));
  }

 private:
  Status WrongLength(Code code, const std::string& name, int64_t body) const {
    return Status(
        code,
        Format("Excluding the header ({} bytes) and footer ({} bytes), input "
               "file \"{}\" has body length {} bytes, which is not an exact "
               "multiple of the record length ({} bytes).",
               sizes_.header, sizes_.footer, name,
               body < 0 ? "less than 0" : Format("{}", body), sizes_.record));
  }

  class Pass final : public FilePass {
   public:
    // `records`: how many there are, where that is known.
    Pass(const FixedRecordsDataset* dataset, std::string name,
         io::BufferedReader file, std::optional<int64_t> records)
        : dataset_(dataset),
          name_(std::move(name)),
          file_(std::move(file)),
          left_(records) {}
    StatusOr<bool> Next(std::string* record) override {
      const FixedSizes& sizes = dataset_->sizes_;
      const auto size = static_cast<size_t>(sizes.record);
      if (left_) {
        if (*left_ == 0) return false;
        GK_ASSIGN_OR_RETURN(*record, file_.Read(size));
        if (record->size() < size) {
          return DataLoss("{} was cut off while it was read", name_);
        }
        --*left_;
        return true;
      }
      // The footer is known by the end behind it.
      GK_ASSIGN_OR_RETURN(
          const std::string more,
          file_.Read(static_cast<uint64_t>(sizes.record) +
                     static_cast<uint64_t>(sizes.footer) - ahead_.size()));
      ahead_ += more;
      if (ahead_.size() < size + static_cast<size_t>(sizes.footer)) {
        if (ahead_.size() == static_cast<size_t>(sizes.footer)) return false;
        const int64_t body =
            read_ + static_cast<int64_t>(ahead_.size()) - sizes.footer;
        return dataset_->WrongLength(Code::kDataLoss, name_, body);
      }
      *record = ahead_.substr(0, size);
      ahead_.erase(0, size);
      read_ += sizes.record;
      return true;
    }
    bool drops_file() const override { return !left_; }

   private:
    const Ref<const FixedRecordsDataset> dataset_;
    const std::string name_;
    io::BufferedReader file_;
    std::optional<int64_t> left_;
    std::string ahead_;
    int64_t read_ = 0;
  };

  const FixedSizes sizes_;
};

// Inputs by name, where the op has them. `best_size`: the buffer size that
// stands for what is best.
StatusOr<FileList> ReadFileList(KernelContext& c, int64_t best_size) {
  FileList files;
  const Tensor& names = c.input(0);
  if (names.rank() > 1) {
    return InvalidArgument(
        "`filenames` must be a scalar or a vector, but has shape {}",
        names.shape().DebugString());
  }
  const std::string* first = names.data<std::string>();
  files.names.assign(first, first + names.num_elements());
  const OpDef& def = *c.record().def;
  if (const int i = def.FindInput("compression_type"); i >= 0) {
    if (!c.input(i).shape().IsScalar()) {
      return InvalidArgument("`compression_type` must be a scalar");
    }
    GK_ASSIGN_OR_RETURN(files.compression,
                        io::CompressionOf(c.input(i).scalar<std::string>()));
  }
  const int buffer = def.FindInput("buffer_size");
  int64_t size = 0;
  GK_RETURN_IF_ERROR(ScalarInput(c, buffer, "buffer_size", &size));
  if (size < best_size) {
    return InvalidArgument(
        "`buffer_size` must be >= 0 (0 == no buffering), but is {}", size);
  }
  files.piece = io::PieceSize(size);
  if (const int i = def.FindInput("byte_offsets"); i >= 0) {
    const Tensor& offsets = c.input(i);
    const auto* at = offsets.data<int64_t>();
    files.offsets.assign(at, at + offsets.num_elements());
    if (!files.offsets.empty() && files.offsets.size() != files.names.size()) {
      return InvalidArgument(
          "`byte_offsets` must have one number for each of {} files, but has "
          "{}",
          files.names.size(), files.offsets.size());
    }
    for (const int64_t offset : files.offsets) {
      if (offset >= 0) continue;
      return InvalidArgument("`byte_offsets` must be >= 0, but one is {}",
                             offset);
    }
  }
  return files;
}

template <class D>
Status ComputeFiles(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(FileList files, ReadFileList(c, D::kBestBufferSize));
  return SetDataset(c, MakeRef<D>(c.record().name, std::move(files)));
}

Status ComputeFixed(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(FileList files, ReadFileList(c, 0));
  FixedSizes sizes;
  GK_RETURN_IF_ERROR(ScalarInput(c, 1, "header_bytes", &sizes.header));
  GK_RETURN_IF_ERROR(ScalarInput(c, 2, "record_bytes", &sizes.record));
  GK_RETURN_IF_ERROR(ScalarInput(c, 3, "footer_bytes", &sizes.footer));
  if (sizes.header < 0) return InvalidArgument("`header_bytes` must be >= 0");
  if (sizes.record <= 0) return InvalidArgument("`record_bytes` must be > 0");
  if (sizes.footer < 0) return InvalidArgument("`footer_bytes` must be >= 0");
  return SetDataset(c, MakeRef<FixedRecordsDataset>(c.record().name,
                                                    std::move(files), sizes));
}

#define GK_FILES_INPUTS \
  "filenames: string; compression_type: string; buffer_size: int64"
#define GK_FIXED_INPUTS                                           \
  "filenames: string; header_bytes: int64; record_bytes: int64; " \
  "footer_bytes: int64; buffer_size: int64"

const OpRecord kRecords[] = {
    {.name = "TFRecordDataset",
     .inputs = GK_FILES_INPUTS,
     .outputs = "handle: variant",
     .attrs = "metadata: string = ''",
     .traits = kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeFiles<RecordsDataset>},
     .doc = "A dataset of the framed records of files."},

    {.name = "TFRecordDatasetV2",
     .inputs = GK_FILES_INPUTS "; byte_offsets: int64",
     .outputs = "handle: variant",
     .attrs = "metadata: string = ''",
     .traits = kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeFiles<RecordsDataset>},
     .doc =
         "A dataset of the framed records of files, each from an offset on."},

    {.name = "TextLineDataset",
     .inputs = GK_FILES_INPUTS,
     .outputs = "handle: variant",
     .attrs = "metadata: string = ''",
     .traits = kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeFiles<LinesDataset>},
     .doc = "A dataset of the lines of files."},

    {.name = "FixedLengthRecordDataset",
     .inputs = GK_FIXED_INPUTS,
     .outputs = "handle: variant",
     .attrs = "metadata: string = ''",
     .traits = kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeFixed},
     .doc = "A dataset of the records of `record_bytes` bytes of files."},

    {.name = "FixedLengthRecordDatasetV2",
     .inputs = GK_FIXED_INPUTS "; compression_type: string",
     .outputs = "handle: variant",
     .attrs = "metadata: string = ''",
     .traits = kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeFixed},
     .doc = "A dataset of the records of `record_bytes` bytes of files, which "
            "may be compressed."},
};

}  // namespace

GK_REGISTER_OPS(data_files)

}  // namespace gk
