// Where ops write text for people (PrintV2). The layer above may put itself
// in between so that lines come in one order with those of its language.
//
// The sink is process-wide and is set once at start; it is called from any
// thread and must be thread-safe.
#ifndef GK_FRAMEWORK_PRINT_SINK_H_
#define GK_FRAMEWORK_PRINT_SINK_H_

#include <string_view>

#include "base/status.h"

namespace gk {

enum class PrintStream { kStdout, kStderr };

using PrintSink = Status (*)(PrintStream stream, std::string_view text);

// Null restores the default: the C streams, flushed after each text.
void SetPrintSink(PrintSink sink);
Status Print(PrintStream stream, std::string_view text);

}  // namespace gk

#endif  // GK_FRAMEWORK_PRINT_SINK_H_
