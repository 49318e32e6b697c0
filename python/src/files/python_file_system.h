// File systems written in Python, for the library: an object with the methods
// of graphkiln._src.files.fsspec_files.FsspecFiles behind io::FileSystem.
#ifndef GK_PYTHON_PYTHON_FILE_SYSTEM_H_
#define GK_PYTHON_PYTHON_FILE_SYSTEM_H_

#include <nanobind/nanobind.h>

#include <string>

#include "base/status.h"

namespace gk::py {

// `file_system` is an fsspec file system, or has its methods.
Status RegisterPythonFileSystem(const std::string& scheme,
                                nanobind::handle file_system);
// Schemes that fsspec knows are found when a path has one.
void AddFsspecFinder();

}  // namespace gk::py

#endif  // GK_PYTHON_PYTHON_FILE_SYSTEM_H_
