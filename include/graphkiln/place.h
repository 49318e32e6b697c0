// Place: a line of the program that errors show, usually that of the call.
//
// What std::source_location is, for compilers that do not have it; one of
// those converts to it. A wrapper around a function of the library takes
// `gk::Place where = gk::Place::current()` and passes it on.
#ifndef GRAPHKILN_PLACE_H_
#define GRAPHKILN_PLACE_H_

#include <cstdint>
#include <version>

#ifdef __cpp_lib_source_location
#include <source_location>
#endif

#include <graphkiln/export.h>

namespace gk {
GK_API_NAMESPACE {

class Place {
 public:
  // As a default argument: where the function is called.
  static constexpr Place current(const char* file = __builtin_FILE(),
                                 uint32_t line = __builtin_LINE()) {
    return Place(file, line);
  }
#ifdef __cpp_lib_source_location
  constexpr Place(const std::source_location& l)
      : Place(l.file_name(), l.line()) {}
#endif

  constexpr const char* file_name() const { return file_; }
  constexpr uint32_t line() const { return line_; }

 private:
  constexpr Place(const char* file, uint32_t line)
      : file_(file), line_(line) {}

  const char* file_;
  uint32_t line_;
};

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_PLACE_H_
