// A dataset that keeps its elements in a file.
//
// The first complete pass writes `name`.data-00000-of-00001, a TensorProto for
// each component of each element, and then `name`.index, which says what the
// other file is and how many elements it has. Both are written beside and
// renamed when they are whole; whoever finds the index reads the cache.
// `name`_0.lockfile is there while somebody writes; who would write too gets
// ALREADY_EXISTS.
#ifndef GK_OPS_DATA_FILE_CACHE_H_
#define GK_OPS_DATA_FILE_CACHE_H_

#include <string>

#include "data/dataset.h"

namespace gk {

Ref<const Dataset> NewFileCache(ElementSignature signature,
                                Ref<const Dataset> input, std::string name);

}  // namespace gk

#endif  // GK_OPS_DATA_FILE_CACHE_H_
