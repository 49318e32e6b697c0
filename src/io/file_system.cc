#include "io/file_system.h"

#include <algorithm>
#include <utility>

#include "base/interrupt.h"
#include "framework/text_memory.h"
#include "io/path.h"

namespace gk::io {
namespace {

class BytesInMemory final : public MappedFile {
 public:
  explicit BytesInMemory(std::string bytes) : bytes_(std::move(bytes)) {}
  std::string_view bytes() const override { return bytes_; }

 private:
  const std::string bytes_;
};

constexpr size_t kLeastPiece = 4096;
constexpr size_t kBytesAtOnce = size_t{1} << 20;
// A file may have holes: its length alone claims no more memory than this.
constexpr uint64_t kMostExpected = uint64_t{1} << 30;

}  // namespace

std::unique_ptr<MappedFile> BytesAsMapped(std::string bytes) {
  return std::make_unique<BytesInMemory>(std::move(bytes));
}

StatusOr<std::unique_ptr<WritableFile>> FileSystem::OpenToReplace(
    const std::string& path) {
  return OpenToWrite(path, WriteMode::kTruncate);
}

StatusOr<std::unique_ptr<MappedFile>> FileSystem::Map(const std::string& path) {
  GK_ASSIGN_OR_RETURN(const std::unique_ptr<RandomAccessFile> file,
                      OpenToRead(path));
  GK_ASSIGN_OR_RETURN(std::string bytes, ReadToEnd(*file));
  return BytesAsMapped(std::move(bytes));
}

Status FileSystem::Copy(const std::string& from, const std::string& to) {
  GK_ASSIGN_OR_RETURN(const std::unique_ptr<RandomAccessFile> source,
                      OpenToRead(from));
  GK_ASSIGN_OR_RETURN(const std::unique_ptr<WritableFile> target,
                      OpenToReplace(to));
  return CopyBytes(*source, target.get());
}

StatusOr<bool> FileSystem::IsFolderItself(const std::string& path) {
  GK_ASSIGN_OR_RETURN(const FileStatistics facts, Stat(path));
  return facts.is_directory;
}

Status FileSystem::DeleteRecursively(const std::string& path) {
  GK_ASSIGN_OR_RETURN(const bool is_folder, IsFolderItself(path));
  if (!is_folder) return DeleteFile(path);
  Status first;
  const auto keep = [&first](Status status) {
    if (first.ok()) first = std::move(status);
  };
  std::vector<std::string> folders = {path};
  for (size_t i = 0; i < folders.size(); ++i) {
    GK_RETURN_IF_ERROR(CheckInterrupt());
    StatusOr<std::vector<std::string>> names = List(folders[i]);
    if (!names.ok()) {
      keep(names.status());
      continue;
    }
    for (const std::string& name : *names) {
      std::string child = ChildPath(folders[i], name);
      const StatusOr<bool> holds_others = IsFolderItself(child);
      if (holds_others.ok() && *holds_others) {
        folders.push_back(std::move(child));
      } else {
        keep(DeleteFile(child));
      }
    }
  }
  while (!folders.empty()) {
    keep(DeleteDirectory(folders.back()));
    folders.pop_back();
  }
  return first;
}

StatusOr<std::string> ReadToEnd(const RandomAccessFile& file, uint64_t expected,
                                uint64_t offset) {
  // What is said of a file's length may be wrong: of /proc it is 0, and a file
  // may grow. The last read finds the end. What is read goes through a piece
  // that the processor keeps near: to fill all of the text with zeros first
  // costs as much as to read it.
  expected = std::min<uint64_t>(expected, kMostExpected);
  GK_RETURN_IF_ERROR(CheckTextBytes(static_cast<int64_t>(expected)));
  std::string bytes;
  std::string piece(
      std::clamp<size_t>(expected + 1, kLeastPiece,
                         std::max(file.best_piece(), kLeastPiece)),
      '\0');
  if (piece.size() <= expected) bytes.reserve(static_cast<size_t>(expected));
  for (;;) {
    GK_ASSIGN_OR_RETURN(const size_t got, file.Read(offset, piece));
    if (bytes.size() + got > bytes.capacity()) {
      GK_RETURN_IF_ERROR(
          CheckTextBytes(static_cast<int64_t>(bytes.size() + got)));
    }
    if (bytes.empty() && got < piece.size()) {
      piece.resize(got);
      return piece;
    }
    bytes.append(piece, 0, got);
    if (got < piece.size()) return bytes;
    offset += got;
    GK_RETURN_IF_ERROR(CheckInterrupt());
    if (bytes.size() > expected && piece.size() < file.best_piece()) {
      piece.resize(std::min(2 * piece.size(), file.best_piece()));
    }
  }
}

Status CopyBytes(const RandomAccessFile& from, WritableFile* to) {
  std::string piece(kBytesAtOnce, '\0');
  for (uint64_t offset = 0;;) {
    GK_ASSIGN_OR_RETURN(const size_t got, from.Read(offset, piece));
    GK_RETURN_IF_ERROR(to->Append(std::string_view(piece.data(), got)));
    if (got < piece.size()) return to->Close();
    offset += got;
    GK_RETURN_IF_ERROR(CheckInterrupt());
  }
}

}  // namespace gk::io
