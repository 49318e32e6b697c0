// The commands, each in the file of its name.
#ifndef GK_COMMAND_LINE_COMMANDS_H_
#define GK_COMMAND_LINE_COMMANDS_H_

#include <span>

#include "command_line/arguments.h"

namespace gk::command {

extern const Command kShowCommand;
extern const Command kRunCommand;
extern const Command kBenchCommand;
extern const Command kVerifyCommand;
extern const Command kDiffCommand;
extern const Command kConvertCommand;
extern const Command kOptimizeCommand;
extern const Command kTrimCommand;
extern const Command kCompletionCommand;

// All of them, in the order in which help lists them.
std::span<const Command* const> Commands();

}  // namespace gk::command

#endif  // GK_COMMAND_LINE_COMMANDS_H_
