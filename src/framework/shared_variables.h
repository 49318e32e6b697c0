// Variables by name: handles made of the same container and name, anywhere in
// the process, refer to the same variable, which lives until it is destroyed.
//
// A variable comes into being with its first handle and has no value then.
// Thread-safe; a lookup takes a lock for as long as a map's search takes.
#ifndef GK_FRAMEWORK_SHARED_VARIABLES_H_
#define GK_FRAMEWORK_SHARED_VARIABLES_H_

#include <string>

#include "framework/resource_manager.h"
#include "framework/variable.h"

namespace gk {

// A handle to the variable of this name, made if there is none. Handles may
// say different things of one variable's values; what is assigned decides.
// Reads and writes as another dtype than that of its value fail.
Tensor SharedVariableHandle(std::string container, const std::string& name,
                            DataType dtype, const PartialTensorShape& shape);
}  // namespace gk

#endif  // GK_FRAMEWORK_SHARED_VARIABLES_H_
