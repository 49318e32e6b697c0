// Files of Snappy blocks, as TensorFlow's datasets write them: of each its
// size, four bytes of which the first counts most, and the block.
#ifndef GK_IO_SNAPPY_FILE_H_
#define GK_IO_SNAPPY_FILE_H_

#include <memory>
#include <string>

#include "io/file_system.h"

namespace gk::io {

// The file as what its blocks hold, for one reader alone. Reads of an earlier
// place begin anew. DataLoss of what is damaged or ends too early; `path`: for
// messages.
std::unique_ptr<RandomAccessFile> ReadSnappy(
    std::unique_ptr<RandomAccessFile> file, std::string path);

// A file that gets blocks of what is appended. Tell() is of what it got.
std::unique_ptr<WritableFile> WriteSnappy(std::unique_ptr<WritableFile> file);

}  // namespace gk::io

#endif  // GK_IO_SNAPPY_FILE_H_
