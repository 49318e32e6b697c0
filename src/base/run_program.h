// RunProgram: what another program makes of a text.
#ifndef GK_BASE_RUN_PROGRAM_H_
#define GK_BASE_RUN_PROGRAM_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gk {

// Runs `command` (found in PATH) with `input` and returns what it writes to its
// standard output. nullopt if there is no such program, it fails, or takes
// longer than `seconds`, after which it is killed.
std::optional<std::string> RunProgram(const std::vector<std::string>& command,
                                      std::string_view input, int seconds);

}  // namespace gk

#endif  // GK_BASE_RUN_PROGRAM_H_
