#include "framework/placement_log.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "framework/host_language.h"
#include "framework/logical_device.h"

namespace gk {
namespace {

// As TensorFlow's log has it; TF_CPP_MIN_LOG_LEVEL silences it.
void LogLine(const std::string& text) {
  static const bool silent = [] {
    const char* level = std::getenv("TF_CPP_MIN_LOG_LEVEL");
    return level != nullptr && std::atoi(level) > 0;
  }();
  if (silent) return;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  char head[64];
  std::snprintf(head, sizeof(head), "I0000 00:00:%lld.%06ld %7ld ",
                static_cast<long long>(now.tv_sec), now.tv_nsec / 1000,
                static_cast<long>(syscall(SYS_gettid)));
  (void)HostLanguage::Get().Print(PrintStream::kStderr,
                                  Format("{}placement] {}\n", head, text));
}

}  // namespace

void LogExecution(std::string_view op, int device) {
  LogLine(Format("Executing op {} in device {}", op, DeviceName(device)));
}

void LogPlacement(std::string_view node, std::string_view op, int device) {
  const std::string text = Format("{}: ({}): {}", node, op, DeviceName(device));
  // A log that cannot be written stops no program.
  (void)HostLanguage::Get().Print(PrintStream::kStdout, text + "\n");
  LogLine(text);
}

}  // namespace gk
