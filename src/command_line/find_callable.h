// FindCallable: which function of a model is called.
#ifndef GK_COMMAND_LINE_FIND_CALLABLE_H_
#define GK_COMMAND_LINE_FIND_CALLABLE_H_

#include "command_line/callable.h"
#include "command_line/graph_callable.h"
#include "command_line/model_files.h"

namespace gk::command {

// "--signature NAME", "--tags ...": which function of a model.
inline constexpr Option kSignatureOption = {
    "signature", "NAME",
    "the signature to call, or the way to a function among the model's\n"
    "objects (encoder.call); serving_default if there is one"};
// The function with the values of its variables. Throws Failure.
Callable FindCallable(const std::string& path, const Arguments& arguments);

}  // namespace gk::command

#endif  // GK_COMMAND_LINE_FIND_CALLABLE_H_
