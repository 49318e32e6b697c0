// Datasets of programs in C++ as saved models see them.
#ifndef GK_API_DATASET_OBJECTS_H_
#define GK_API_DATASET_OBJECTS_H_

#include "graphkiln/dataset.h"
#include "saved_model/exported_object.h"

namespace gk::api {

const void* IdentityOf(const Dataset& dataset);
inline bool IsInCheckpoints(const Dataset&) { return false; }

// With the function that makes the dataset of a loaded model, and the files
// that it reads.
ExportedObjectRef Described(const Dataset& dataset, bool whole);

}  // namespace gk::api

#endif  // GK_API_DATASET_OBJECTS_H_
