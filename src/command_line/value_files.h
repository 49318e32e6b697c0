// Files of values: what goes into a model, what came out.
#ifndef GK_COMMAND_LINE_VALUE_FILES_H_
#define GK_COMMAND_LINE_VALUE_FILES_H_

#include <string>
#include <vector>

#include "command_line/arguments.h"
#include "command_line/callable.h"
#include "command_line/npy.h"

namespace gk::command {

inline constexpr Option kInputOption = {
    "input", "[NAME=]FILE",
    "values of an input: .npy, .npz, .json, .csv, .tsv or a picture; - is\n"
    "the standard input. Without NAME: the model's only input, or all\n"
    "of them by the names in the file"};
inline constexpr Option kValueOption = {
    "value", "[NAME=]JSON",
    "values of an input as they stand here: x=[[1, 2]]"};

// A tensor for each input of the function. Throws Failure, naming the file
// and what the function takes.
TensorVector ReadInputs(const Callable& callable, const Arguments& arguments,
                        const Console& console);

// Writes results to "NAME=FILE" or, all of them, "FILE".
void WriteOutputs(const NamedTensors& results,
                  const std::vector<std::string>& targets,
                  const Console& console);

}  // namespace gk::command

#endif  // GK_COMMAND_LINE_VALUE_FILES_H_
