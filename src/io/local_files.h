// Open files of this machine.
#ifndef GK_IO_LOCAL_FILES_H_
#define GK_IO_LOCAL_FILES_H_

#include <memory>
#include <string>

#include "io/descriptor.h"
#include "io/file_system.h"

namespace gk::io {

// `path` is for messages; `file` is open.
std::unique_ptr<RandomAccessFile> ReadableLocal(std::string path,
                                                Descriptor file);
// `position`: of the next byte.
std::unique_ptr<WritableFile> WritableLocal(std::string path, Descriptor file,
                                            int64_t position);

// A new file in the folder of `target`, with its mode, that replaces it when it
// is closed and is removed if it never is. Null if the folder has no place for
// one but the file itself can be written.
StatusOr<std::unique_ptr<WritableFile>> ReplacingLocal(
    const std::string& path, const std::string& target);

}  // namespace gk::io

#endif  // GK_IO_LOCAL_FILES_H_
