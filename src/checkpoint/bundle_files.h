// The files of a checkpoint as a whole.
#ifndef GK_CHECKPOINT_BUNDLE_FILES_H_
#define GK_CHECKPOINT_BUNDLE_FILES_H_

#include <string>

#include "base/status.h"

namespace gk {

// Whether there is an index of that prefix.
bool BundleExists(const std::string& prefix);
// Or files of the first format (SliceFiles).
bool CheckpointExists(const std::string& prefix);
// All data files of that prefix, those too that no index names.
StatusOr<std::vector<std::string>> DataFilesOf(const std::string& prefix);
// The index first: what is left if it stops there is no checkpoint. OK if there
// is none.
Status DeleteBundle(const std::string& prefix);

}  // namespace gk

#endif  // GK_CHECKPOINT_BUNDLE_FILES_H_
