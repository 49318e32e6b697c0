// A dataset that keeps its elements in a file.
//
// The first complete pass writes `name`.index: a record that says what the
// file is, then one for each component of each element, a TensorProto. It is
// written beside and renamed when it is whole, so several passes at a time do
// no harm, and whoever finds the file reads it.
#ifndef GK_OPS_DATA_FILE_CACHE_H_
#define GK_OPS_DATA_FILE_CACHE_H_

#include <string>

#include "data/dataset.h"

namespace gk {

Ref<const Dataset> NewFileCache(ElementSignature signature,
                                Ref<const Dataset> input, std::string name);

}  // namespace gk

#endif  // GK_OPS_DATA_FILE_CACHE_H_
