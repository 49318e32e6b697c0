// Variables by name: handles made of the same container and name, anywhere in
// the process, refer to the same variable, which lives until it is destroyed.
//
// A variable comes into being with its first handle and has no value then.
// Thread-safe; a lookup takes a lock for as long as a map's search takes.
#ifndef GK_FRAMEWORK_SHARED_VARIABLES_H_
#define GK_FRAMEWORK_SHARED_VARIABLES_H_

#include <string>
#include <string_view>

#include "framework/variable.h"

namespace gk {

// The container of those that name none.
inline constexpr std::string_view kDefaultContainer = "localhost";
// The name that asks for a variable of one's own.
inline constexpr std::string_view kAnonymousName =
    "cd2c89b7-88b7-44c8-ad83-06c2a9158347";

// A handle to the variable of this name, made if there is none. Handles may
// say different things of one variable's values; what is assigned decides.
// Reads and writes as another dtype than that of its value fail.
Tensor SharedVariableHandle(std::string container, const std::string& name,
                            DataType dtype, const PartialTensorShape& shape);
// Handles of the container's names refer to new variables from now on.
void DropSharedVariables(std::string_view container);

}  // namespace gk

#endif  // GK_FRAMEWORK_SHARED_VARIABLES_H_
