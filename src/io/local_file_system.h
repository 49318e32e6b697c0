// Files of this machine: paths without a scheme, and "file://host/path".
//
// Waiting for a disk ends when the host language wants to interrupt
// (base/interrupt.h). Nothing waits for the other end of a named pipe.
#ifndef GK_IO_LOCAL_FILE_SYSTEM_H_
#define GK_IO_LOCAL_FILE_SYSTEM_H_

#include "io/file_system.h"

namespace gk::io {

class LocalFileSystem final : public FileSystem {
 public:
  StatusOr<std::unique_ptr<RandomAccessFile>> OpenToRead(
      const std::string& path) override;
  StatusOr<std::unique_ptr<WritableFile>> OpenToWrite(const std::string& path,
                                                      WriteMode mode) override;
  // Written beside, under a name of its own, then renamed. What has no folder
  // that can be written, or is no regular file, is written in place.
  StatusOr<std::unique_ptr<WritableFile>> OpenToReplace(
      const std::string& path) override;
  StatusOr<std::unique_ptr<MappedFile>> Map(const std::string& path) override;
  StatusOr<FileStatistics> Stat(const std::string& path) override;
  StatusOr<std::vector<std::string>> List(const std::string& path) override;
  Status MakeDirectory(const std::string& path) override;
  Status DeleteFile(const std::string& path) override;
  Status DeleteDirectory(const std::string& path) override;
  StatusOr<bool> IsFolderItself(const std::string& path) override;
  Status Rename(const std::string& from, const std::string& to) override;
  // With the mode of the old one.
  Status Copy(const std::string& from, const std::string& to) override;
  std::string Identity(const std::string& path) override;
};

}  // namespace gk::io

#endif  // GK_IO_LOCAL_FILE_SYSTEM_H_
