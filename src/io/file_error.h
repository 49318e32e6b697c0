// What the system's error numbers are called, as errors that say the path, what
// was asked of it, and what helps.
#ifndef GK_IO_FILE_ERROR_H_
#define GK_IO_FILE_ERROR_H_

#include <string_view>

#include "base/status.h"

namespace gk::io {

// The code that TensorFlow gives errno's `error`: kNotFound for ENOENT.
Code CodeOfErrno(int error);

// "{path}; No such file or directory (to open it for reading; ...)". `asked`
// completes "it was asked ...": "to open it for reading".
Status FileError(int error, std::string_view path, std::string_view asked);

// InvalidArgument for a path with a NUL in it, which the system would cut off.
Status CheckPath(std::string_view path);

}  // namespace gk::io

#endif  // GK_IO_FILE_ERROR_H_
