#include "framework/print_sink.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace gk {
namespace {

Status PrintToCStream(PrintStream stream, std::string_view text) {
  std::FILE* file = stream == PrintStream::kStdout ? stdout : stderr;
  if (std::fwrite(text.data(), 1, text.size(), file) != text.size() ||
      std::fflush(file) != 0) {
    return Internal("Could not print: {}", std::strerror(errno));
  }
  return OkStatus();
}

std::atomic<PrintSink> current_sink{PrintToCStream};

}  // namespace

void SetPrintSink(PrintSink sink) {
  current_sink.store(sink ? sink : PrintToCStream);
}

Status Print(PrintStream stream, std::string_view text) {
  return current_sink.load()(stream, text);
}

}  // namespace gk
