// Modules and variables of programs in C++ as checkpoints see them.
#ifndef GK_API_MODULE_OBJECTS_H_
#define GK_API_MODULE_OBJECTS_H_

#include <map>
#include <string>
#include <variant>

#include "checkpoint/trackable.h"
#include "graphkiln/dataset.h"
#include "graphkiln/module.h"

namespace gk::api {

using CheckpointedObjects =
    std::map<std::string, std::variant<Module, Variable, Iterator>>;

TrackablePtr DescribedModule(const Module& module,
                             const CheckpointedObjects& attached = {});

}  // namespace gk::api

#endif  // GK_API_MODULE_OBJECTS_H_
