// FileSystem: where files are, behind one interface for each scheme of URLs
// ("memory://a/b"), and the open files that it gives.
//
// File systems and RandomAccessFiles are thread-safe; a WritableFile is one
// writer's. io/file_systems.h knows which ones there are.
#ifndef GK_IO_FILE_SYSTEM_H_
#define GK_IO_FILE_SYSTEM_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "framework/allocator.h"

namespace gk::io {

struct FileStatistics {
  int64_t length = 0;
  int64_t mtime_nsec = 0;
  bool is_directory = false;
};

class RandomAccessFile {
 public:
  virtual ~RandomAccessFile() = default;
  // Fills `to` with what is at `offset`; gives how much there was, less only at
  // the end of the file.
  virtual StatusOr<size_t> Read(uint64_t offset, std::span<char> to) const = 0;
  // What is there as the memory of a tensor, unchanged by what becomes of the
  // file. Null if it has to be read: by default, and for many reasons.
  virtual Ref<Buffer> Map([[maybe_unused]] uint64_t offset,
                          [[maybe_unused]] size_t size) const {
    return nullptr;
  }
  // Of a long file, how much is best read at once.
  virtual size_t best_piece() const { return size_t{1} << 30; }
  // Do reads of several threads go on at once? Those that the host language
  // serves take turns.
  virtual bool reads_at_once() const { return false; }
};

// The bytes of a file, in memory as long as this lives.
class MappedFile {
 public:
  virtual ~MappedFile() = default;
  virtual std::string_view bytes() const = 0;
};

// Destroyed without Close(), it keeps what was written as far as it can be
// written, unless it is one to replace a file.
class WritableFile {
 public:
  virtual ~WritableFile() = default;
  virtual Status Append(std::string_view bytes) = 0;
  // Readers see what was appended.
  virtual Status Flush() = 0;
  // What was appended outlives a power cut.
  virtual Status Sync() = 0;
  // Once; nothing is appended afterwards.
  virtual Status Close() = 0;
  // Sync() will be called: the disk may begin with what is appended.
  virtual void ExpectSync() {}
  // How many bytes are before the next one.
  virtual StatusOr<int64_t> Tell() = 0;
};

enum class WriteMode {
  kTruncate,
  kAppend,
  kCreate,  // AlreadyExists if there is one: only one of several makes it
};

// Paths are whole, with their scheme.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // NotFound, PermissionDenied, FailedPrecondition of a folder.
  virtual StatusOr<std::unique_ptr<RandomAccessFile>> OpenToRead(
      const std::string& path) = 0;
  // Made if it is not there; its folder must be.
  virtual StatusOr<std::unique_ptr<WritableFile>> OpenToWrite(
      const std::string& path, WriteMode mode) = 0;
  // One whose Close() puts all that was written, on the disk, in place of the
  // old file; until then, and if it is never closed, the old one stays whole.
  // By default for systems whose files appear when they are closed:
  // OpenToWrite.
  virtual StatusOr<std::unique_ptr<WritableFile>> OpenToReplace(
      const std::string& path);
  // Local ones are mapped: a page is read when it is looked at. A file that
  // others may cut off while it is mapped must not be read so. By default it
  // is read.
  virtual StatusOr<std::unique_ptr<MappedFile>> Map(const std::string& path);

  // NotFound if there is nothing.
  virtual StatusOr<FileStatistics> Stat(const std::string& path) = 0;
  // The names in a folder, in any order.
  virtual StatusOr<std::vector<std::string>> List(const std::string& path) = 0;
  // AlreadyExists; NotFound if the folder around it is not there.
  virtual Status MakeDirectory(const std::string& path) = 0;
  virtual Status DeleteFile(const std::string& path) = 0;
  // FailedPrecondition unless it is empty.
  virtual Status DeleteDirectory(const std::string& path) = 0;
  // Replaces a file that is there.
  virtual Status Rename(const std::string& from, const std::string& to) = 0;

  // A file, with all that is in it if it is a folder; symbolic links are not
  // followed. The first error is the one reported, the rest is deleted.
  virtual Status DeleteRecursively(const std::string& path);
  // Is it a folder, and no link to one? Of what is to be deleted.
  virtual StatusOr<bool> IsFolderItself(const std::string& path);
  virtual Status Copy(const std::string& from, const std::string& to);
  // Equal for two names of one folder, so that walks do not go in circles.
  virtual std::string Identity(const std::string& path) { return path; }
};

// All of a file's bytes from `offset` on. `expected`: how many they should be;
// there may be more or fewer.
StatusOr<std::string> ReadToEnd(const RandomAccessFile& file,
                                uint64_t expected = 0, uint64_t offset = 0);
// Closes `to` if all of them could be appended.
Status CopyBytes(const RandomAccessFile& from, WritableFile* to);

// Bytes in memory as a MappedFile.
std::unique_ptr<MappedFile> BytesAsMapped(std::string bytes);

}  // namespace gk::io

#endif  // GK_IO_FILE_SYSTEM_H_
