#include "io/gfile.h"

#include <algorithm>

#include "io/file_error.h"
#include "io/files.h"

namespace gk::io {

GFile::GFile(std::string name, std::string mode)
    : name_(std::move(name)), mode_(std::move(mode)) {}
GFile::~GFile() = default;

StatusOr<std::shared_ptr<GFile>> GFile::Make(std::string name,
                                             std::string mode) {
  GK_RETURN_IF_ERROR(CheckPath(name));
  std::string kind = mode;
  const bool binary = std::erase(kind, 'b') > 0;
  const bool both = kind.ends_with('+');
  if (both) kind.pop_back();
  if (kind != "r" && kind != "w" && kind != "a") {
    return InvalidArgument(
        "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+': it is '{}', "
        "for {}",
        mode, name);
  }
  std::shared_ptr<GFile> made(new GFile(std::move(name), std::move(mode)));
  made->binary_ = binary;
  made->reads_ = both || kind == "r";
  made->writes_ = both || kind != "r";
  made->appends_ = kind == "a";
  return made;
}

Status GFile::OpenReader() {
  if (!reads_) {
    return Status(Code::kPermissionDenied,
                  Format("File isn't open for reading: {} has mode '{}'; open "
                         "it with 'r' or '{}+'",
                         name_, mode_, appends_ ? 'a' : 'w'));
  }
  if (writer_) GK_RETURN_IF_ERROR(writer_->Flush());
  if (reader_) return OkStatus();
  GK_ASSIGN_OR_RETURN(BufferedReader reader, BufferedReader::Open(name_));
  reader_.emplace(std::move(reader));
  return OkStatus();
}

Status GFile::OpenWriter() {
  if (!writes_) {
    return Status(Code::kPermissionDenied,
                  Format("File isn't open for writing: {} has mode '{}'; open "
                         "it with 'w' or 'a'",
                         name_, mode_));
  }
  if (writer_) return OkStatus();
  GK_ASSIGN_OR_RETURN(
      writer_,
      OpenToWrite(name_, appends_ ? WriteMode::kAppend : WriteMode::kTruncate));
  return OkStatus();
}

StatusOr<std::string> GFile::Read(int64_t n) {
  const std::lock_guard lock(mutex_);
  GK_RETURN_IF_ERROR(OpenReader());
  if (n < -1) {
    return InvalidArgument(
        "Can't read a negative number of bytes: {} of {}; -1 means all", n,
        name_);
  }
  if (n >= 0) return reader_->Read(static_cast<uint64_t>(n));
  const StatusOr<int64_t> size = Size();
  return reader_->ReadRest(size.ok() && *size > 0 ? static_cast<uint64_t>(*size)
                                                  : 0);
}

StatusOr<std::string> GFile::ReadLine() {
  const std::lock_guard lock(mutex_);
  GK_RETURN_IF_ERROR(OpenReader());
  std::string line;
  bool ended = false;
  GK_RETURN_IF_ERROR(reader_->ReadLine(&line, &ended).status());
  if (ended) line += '\n';
  return line;
}

Status GFile::Seek(int64_t offset, int whence) {
  const std::lock_guard lock(mutex_);
  GK_RETURN_IF_ERROR(OpenReader());
  if (whence < 0 || whence > 2) {
    return InvalidArgument(
        "Invalid whence argument: {}. Valid values are 0, 1, or 2.", whence);
  }
  GK_ASSIGN_OR_RETURN(const int64_t size, Size());
  const int64_t from = whence == 0   ? 0
                       : whence == 1 ? static_cast<int64_t>(reader_->offset())
                                     : size;
  int64_t position;
  if (__builtin_add_overflow(from, offset, &position)) position = INT64_MAX;
  if (position < 0) {
    return InvalidArgument("Seeking to a negative position: {} of {}", position,
                           name_);
  }
  reader_->Seek(static_cast<uint64_t>(std::min(position, size)));
  if (position <= size) return OkStatus();
  return OutOfRange("reached end of file: {} has {} bytes, not {}", name_, size,
                    position);
}

StatusOr<int64_t> GFile::Tell() {
  const std::lock_guard lock(mutex_);
  if (reads_) {
    GK_RETURN_IF_ERROR(OpenReader());
    return static_cast<int64_t>(reader_->offset());
  }
  GK_RETURN_IF_ERROR(OpenWriter());
  return writer_->Tell();
}

StatusOr<int64_t> GFile::Size() const {
  GK_ASSIGN_OR_RETURN(const FileStatistics facts, Stat(name_));
  return facts.length;
}

Status GFile::Write(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  GK_RETURN_IF_ERROR(OpenWriter());
  return writer_->Append(bytes);
}

Status GFile::Flush() {
  const std::lock_guard lock(mutex_);
  return writer_ ? writer_->Flush() : OkStatus();
}

Status GFile::Close() {
  const std::lock_guard lock(mutex_);
  reader_.reset();
  if (!writer_) return OkStatus();
  // What fails to close is closed all the same.
  const std::unique_ptr<WritableFile> writer = std::move(writer_);
  return writer->Close();
}

}  // namespace gk::io
