#include "io/record_io.h"

#include <cstring>

#include "io/files.h"
#include "proto/crc32c.h"

namespace gk::io {
namespace {

using proto::MaskedCrc32c;

constexpr size_t kHeader = 12;
constexpr size_t kFooter = 4;

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

}  // namespace

StatusOr<RecordWriter> RecordWriter::Open(const std::string& path,
                                          bool append) {
  GK_ASSIGN_OR_RETURN(
      std::unique_ptr<WritableFile> file,
      OpenToWrite(path, append ? WriteMode::kAppend : WriteMode::kTruncate));
  return RecordWriter(path, std::move(file));
}

Status RecordWriter::Write(std::string_view record) {
  if (!file_) return FailedPrecondition("{} is closed", path_);
  uint64_t size = record.size();
  uint32_t size_crc = MaskedCrc32c(BytesOf(size));
  uint32_t data_crc = MaskedCrc32c(record);
  for (std::string_view part :
       {BytesOf(size), BytesOf(size_crc), record, BytesOf(data_crc)}) {
    GK_RETURN_IF_ERROR(file_->Append(part));
  }
  return OkStatus();
}

Status RecordWriter::Flush() {
  if (!file_) return FailedPrecondition("{} is closed", path_);
  return file_->Flush();
}

Status RecordWriter::Close() {
  if (!file_) return OkStatus();
  const std::unique_ptr<WritableFile> file = std::move(file_);
  return file->Close();
}

StatusOr<RecordReader> RecordReader::Open(const std::string& path) {
  GK_ASSIGN_OR_RETURN(BufferedReader file, BufferedReader::Open(path));
  return RecordReader(path, std::move(file));
}

Status RecordReader::Read(std::string* record) {
  const uint64_t start = offset();
  Status status = ReadAt(record);
  if (!status.ok()) {
    record->clear();
    Seek(start);
  }
  return status;
}

Status RecordReader::ReadAt(std::string* record) {
  const uint64_t start = offset();
  char header[kHeader];
  GK_ASSIGN_OR_RETURN(const size_t got, file_.ReadInto(header));
  if (got < kHeader) return OutOfRange("{}: eof", path_);
  const uint64_t size = Load<uint64_t>(header);
  if (Load<uint32_t>(header + 8) != MaskedCrc32c({header, 8})) {
    return DataLoss("{}: corrupted record at {}{}", path_, start,
                    start == 0 ? " (Is this even a TFRecord file?)" : "");
  }
  GK_ASSIGN_OR_RETURN(*record, file_.Read(size));
  char footer[kFooter];
  GK_ASSIGN_OR_RETURN(const size_t end, file_.ReadInto(footer));
  if (record->size() < size || end < kFooter) {
    return DataLoss("{}: truncated record at {}", path_, start);
  }
  if (Load<uint32_t>(footer) != MaskedCrc32c(*record)) {
    return DataLoss("{}: corrupted record at {}", path_, start);
  }
  return OkStatus();
}

}  // namespace gk::io
