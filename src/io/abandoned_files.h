// New files that writers put beside those that they replace, and what killed
// writers left of them.
//
// Whoever writes one holds a lock of it, which ends with the process, whatever
// ends that and on whichever machine it runs.
#ifndef GK_IO_ABANDONED_FILES_H_
#define GK_IO_ABANDONED_FILES_H_

#include <string>
#include <string_view>

#include "io/descriptor.h"

namespace gk::io {

// What their names begin with.
inline constexpr std::string_view kNewFilePrefix = ".gk-new-";

// Marks a file that was just made as this process's. False if another one took
// it for abandoned before: it is gone.
bool OwnNewFile(const Descriptor& file);

// Removes those of a folder that no process owns. A folder is looked through
// once a minute at most. Thread-safe.
void RemoveAbandonedFiles(const std::string& folder);

}  // namespace gk::io

#endif  // GK_IO_ABANDONED_FILES_H_
