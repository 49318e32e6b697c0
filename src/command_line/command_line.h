// The program `graphkiln`: its first word names a command, which is given the
// others.
#ifndef GK_COMMAND_LINE_COMMAND_LINE_H_
#define GK_COMMAND_LINE_COMMAND_LINE_H_

#include <span>
#include <string>

#include "command_line/console.h"

namespace gk::command {

// Runs the command that `words` (without the program's name) say. Whatever
// they and the files hold, the outcome is an exit status, with a message in
// `console.err` unless all went well.
Exit RunCommandLine(std::span<const std::string> words, const Console& console);

}  // namespace gk::command

// The same for a process of its own, whose signals it takes over: what the
// program `graphkiln` is, and what the package's script calls.
extern "C" __attribute__((visibility("default"))) int graphkiln_command_line(
    int argc, const char* const* argv);

#endif  // GK_COMMAND_LINE_COMMAND_LINE_H_
