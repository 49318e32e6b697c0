// What the arguments of a function are called where each is one tensor: calls
// by name, inputs of signatures.
#ifndef GK_FUNCTION_ARGUMENT_NAMES_H_
#define GK_FUNCTION_ARGUMENT_NAMES_H_

#include <string>
#include <vector>

#include "function/concrete_function.h"

namespace gk {

// Those that the program gave, else those of the nodes. Parts of one argument
// have its name; the second is "x_1".
std::vector<std::string> FlatNames(const ConcreteFunction& function);

}  // namespace gk

#endif  // GK_FUNCTION_ARGUMENT_NAMES_H_
