// The file systems that this process knows, by their schemes.
//
// Local files, without a scheme or with "file", are built in. Everything that
// reads or writes files finds the file system by the path (io/files.h), so one
// that is registered serves ops, readers and both faces. Thread-safe.
#ifndef GK_IO_FILE_SYSTEMS_H_
#define GK_IO_FILE_SYSTEMS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/file_system.h"

namespace gk::io {

// File systems of schemes that nobody registered one by one.
class FileSystemFinder {
 public:
  virtual ~FileSystemFinder() = default;
  // Null if it knows none. Asked until it gives one, which is registered.
  virtual StatusOr<std::shared_ptr<FileSystem>> Find(
      const std::string& scheme) = 0;
};

// For paths "scheme://...". AlreadyExists if the scheme has one;
// InvalidArgument for what is no scheme.
Status RegisterFileSystem(const std::string& scheme,
                          std::shared_ptr<FileSystem> file_system);
void AddFileSystemFinder(std::unique_ptr<FileSystemFinder> finder);
// Sorted; local files are "" and "file", those in memory "ram".
std::vector<std::string> RegisteredSchemes();

// Unimplemented if nobody knows the scheme; InvalidArgument of a NUL.
StatusOr<std::shared_ptr<FileSystem>> FileSystemOf(std::string_view path);

}  // namespace gk::io

#endif  // GK_IO_FILE_SYSTEMS_H_
