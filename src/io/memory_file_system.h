// MemoryFileSystem: files "ram://a/b" that live as long as the process.
//
// Folders are made with what is put into them. Thread-safe; readers see what is
// in a file when they read.
#ifndef GK_IO_MEMORY_FILE_SYSTEM_H_
#define GK_IO_MEMORY_FILE_SYSTEM_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "io/file_system.h"

namespace gk::io {

class MemoryFileSystem final : public FileSystem {
 public:
  StatusOr<std::unique_ptr<RandomAccessFile>> OpenToRead(
      const std::string& path) override;
  StatusOr<std::unique_ptr<WritableFile>> OpenToWrite(const std::string& path,
                                                      WriteMode mode) override;
  StatusOr<std::unique_ptr<WritableFile>> OpenToReplace(
      const std::string& path) override;
  StatusOr<FileStatistics> Stat(const std::string& path) override;
  StatusOr<std::vector<std::string>> List(const std::string& path) override;
  Status MakeDirectory(const std::string& path) override;
  Status DeleteFile(const std::string& path) override;
  Status DeleteDirectory(const std::string& path) override;
  Status Rename(const std::string& from, const std::string& to) override;

  // What is in a file; shared by all who have it open.
  struct Content;

 private:
  class Replacing;
  struct Node {
    std::shared_ptr<Content> file;  // null: a folder
  };

  // All under the lock. Names are "a/b", of the root "".
  const Node* Find(const std::string& name) const;
  Status MakeFolder(const std::string& name);
  bool HasEntries(const std::string& name) const;
  // A file of that name in its folder: FailedPrecondition if that is none.
  Status Put(const std::string& name, std::shared_ptr<Content> file);

  std::mutex mutex_;
  std::map<std::string, Node> nodes_;  // without the root
};

}  // namespace gk::io

#endif  // GK_IO_MEMORY_FILE_SYSTEM_H_
