// Modules and variables of programs in C++ as checkpoints and saved models see
// them.
#ifndef GK_API_MODULE_OBJECTS_H_
#define GK_API_MODULE_OBJECTS_H_

#include <map>
#include <string>

#include "checkpoint/trackable.h"
#include "graphkiln/checkpoint.h"
#include "graphkiln/module.h"
#include "saved_model/exported_object.h"

namespace gk::api {

using CheckpointedObjects = Checkpoint::Objects;

TrackablePtr DescribedModule(const Module& module,
                             const CheckpointedObjects& attached = {});

// The same to be saved, with functions beside what is in the module.
ExportedObjectRef ExportedModule(
    const Module& module,
    const std::map<std::string, ExportedObjectRef>& functions);

}  // namespace gk::api

#endif  // GK_API_MODULE_OBJECTS_H_
