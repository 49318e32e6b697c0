#include "proto/record_io.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "proto/crc32c.h"

namespace gk::proto {
namespace {

constexpr size_t kHeader = 12;
constexpr size_t kFooter = 4;
// Data is read in pieces: a damaged length must not claim memory that the
// file cannot fill.
constexpr size_t kPiece = size_t{1} << 20;

template <class T>
T Load(const char* p) {
  T value;
  std::memcpy(&value, p, sizeof(T));
  return value;
}

template <class T>
std::string_view BytesOf(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

Status FileError(std::string_view what, const std::string& path, int error) {
  std::string text = Format("{}; {} {}", path, what, std::strerror(error));
  if (error == ENOENT) return Status(Code::kNotFound, text);
  if (error == EACCES || error == EPERM) {
    return Status(Code::kPermissionDenied, text);
  }
  if (error == ENOSPC) return Status(Code::kResourceExhausted, text);
  return Status(Code::kUnknown, text);
}

}  // namespace

StatusOr<RecordWriter> RecordWriter::Open(const std::string& path,
                                          bool append) {
  FilePtr file(std::fopen(path.c_str(), append ? "ab" : "wb"));
  if (!file) return FileError("cannot be written:", path, errno);
  return RecordWriter(path, std::move(file));
}

Status RecordWriter::Write(std::string_view record) {
  if (!file_) return FailedPrecondition("{} is closed", path_);
  uint64_t size = record.size();
  uint32_t size_crc = MaskedCrc32c(BytesOf(size));
  uint32_t data_crc = MaskedCrc32c(record);
  for (std::string_view part :
       {BytesOf(size), BytesOf(size_crc), record, BytesOf(data_crc)}) {
    if (!part.empty() &&
        std::fwrite(part.data(), 1, part.size(), file_.get()) != part.size()) {
      return FileError("writing failed:", path_, errno);
    }
  }
  return OkStatus();
}

Status RecordWriter::Close() {
  if (!file_) return OkStatus();
  if (std::fclose(file_.release()) != 0) {
    return FileError("closing failed:", path_, errno);
  }
  return OkStatus();
}

StatusOr<RecordReader> RecordReader::Open(const std::string& path) {
  FilePtr file(std::fopen(path.c_str(), "rb"));
  if (!file) return FileError("cannot be read:", path, errno);
  return RecordReader(path, std::move(file));
}

Status RecordReader::Seek(uint64_t offset) {
  if (offset > INT64_MAX ||
      fseeko(file_.get(), static_cast<off_t>(offset), SEEK_SET) != 0) {
    return InvalidArgument("{}: cannot seek to {}", path_, offset);
  }
  offset_ = offset;
  return OkStatus();
}

Status RecordReader::Read(std::string* record) {
  uint64_t start = offset_;
  Status status = ReadAt(record);
  if (!status.ok()) {
    record->clear();
    std::clearerr(file_.get());
    GK_RETURN_IF_ERROR(Seek(start));
  }
  return status;
}

Status RecordReader::ReadAt(std::string* record) {
  std::FILE* file = file_.get();
  char header[kHeader];
  size_t got = std::fread(header, 1, kHeader, file);
  if (std::ferror(file)) return FileError("reading failed:", path_, errno);
  if (got == 0) return OutOfRange("eof");
  if (got < kHeader) return DataLoss("truncated record at {}", offset_);
  uint64_t size = Load<uint64_t>(header);
  if (Load<uint32_t>(header + 8) != MaskedCrc32c({header, 8})) {
    return DataLoss("corrupted record at {}", offset_);
  }
  record->clear();
  while (record->size() < size) {
    size_t piece = static_cast<size_t>(
        std::min<uint64_t>(size - record->size(), kPiece));
    size_t before = record->size();
    record->resize(before + piece);
    if (std::fread(record->data() + before, 1, piece, file) != piece) {
      return DataLoss("truncated record at {}", offset_);
    }
  }
  char footer[kFooter];
  if (std::fread(footer, 1, kFooter, file) != kFooter) {
    return DataLoss("truncated record at {}", offset_);
  }
  if (Load<uint32_t>(footer) != MaskedCrc32c(*record)) {
    return DataLoss("corrupted record at {}", offset_);
  }
  offset_ += kHeader + size + kFooter;
  return OkStatus();
}

}  // namespace gk::proto
