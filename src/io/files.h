// Files by their path, wherever they are: what ops, readers, writers and both
// faces call. Each finds the path's file system (io/file_system.h); errors are
// those of FileSystemOf and of the file system. Thread-safe.
#ifndef GK_IO_FILES_H_
#define GK_IO_FILES_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/file_system.h"

namespace gk::io {

StatusOr<std::unique_ptr<RandomAccessFile>> OpenToRead(const std::string& path);
StatusOr<std::unique_ptr<WritableFile>> OpenToWrite(const std::string& path,
                                                    WriteMode mode);
// FileSystem::OpenToReplace.
StatusOr<std::unique_ptr<WritableFile>> OpenToReplace(const std::string& path);
StatusOr<std::unique_ptr<MappedFile>> MapFile(const std::string& path);

StatusOr<std::string> ReadFile(const std::string& path);
// Readers see the old file or the whole new one.
Status WriteFile(const std::string& path, std::string_view bytes);

StatusOr<FileStatistics> Stat(const std::string& path);
// False whatever the reason; an error for a scheme that nobody knows.
StatusOr<bool> Exists(const std::string& path);
bool IsDirectory(const std::string& path);

// Sorted names. NotFound unless it is a folder.
StatusOr<std::vector<std::string>> List(const std::string& path);
// OK if there is something of that name.
Status MakeDirectory(const std::string& path);
// With those around it. OK if it is there; FailedPrecondition if a file is.
Status MakeDirectories(const std::string& path);
Status DeleteFile(const std::string& path);
// NotFound if there is nothing.
Status DeleteRecursively(const std::string& path);
// AlreadyExists if `to` is there and may not be overwritten. A file goes to
// another disk or file system as a copy.
Status Rename(const std::string& from, const std::string& to, bool overwrite);
// The same; a file that is copied onto itself stays as it is.
Status Copy(const std::string& from, const std::string& to, bool overwrite);

// The paths that a pattern describes, sorted. In each part of the path "*" is
// any number of characters, "?" one, "[a-z]" and "[!a-z]" one of a set or of
// the others; "\" takes the next character as it is. Names that begin with a
// dot are no exception. A pattern that begins with one of these describes
// paths "./...". Folders that cannot be read have nothing in them.
StatusOr<std::vector<std::string>> Glob(const std::string& pattern);

// One folder of a walk.
struct VisitedFolder {
  std::string path;
  std::vector<std::string> folders, files;  // names, sorted
};

// A folder and all that are in it, each before those in it or after them.
// Links to folders are followed, but not back to a folder that they are in.
class FolderWalk {
 public:
  FolderWalk(std::string top, bool top_down);
  ~FolderWalk();

  // Null when there are no more. Whoever takes names out of `folders` before
  // the next call, of a walk from the top, is spared those. An error is that
  // of one folder, which is left out; the walk goes on.
  StatusOr<VisitedFolder*> Next();

 private:
  struct Open;
  StatusOr<bool> Enter(std::string path);

  const std::string top_;
  const bool top_down_;
  bool begun_ = false;
  std::vector<std::unique_ptr<Open>> open_;  // from the top to where it is
  std::unique_ptr<VisitedFolder> last_;      // that is done
};

}  // namespace gk::io

#endif  // GK_IO_FILES_H_
