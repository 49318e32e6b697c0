// Where ops run, in words, while LogsPlacement() (logical_device.h).
#ifndef GK_FRAMEWORK_PLACEMENT_LOG_H_
#define GK_FRAMEWORK_PLACEMENT_LOG_H_

#include <string_view>

namespace gk {

// "Executing op Mul in device ...", to stderr.
void LogExecution(std::string_view op, int device);
// "mul: (Mul): /job:...", to stdout and the log, of a node that will run.
void LogPlacement(std::string_view node, std::string_view op, int device);

}  // namespace gk

#endif  // GK_FRAMEWORK_PLACEMENT_LOG_H_
