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

// A line of the program.
class Place {
 public:
  constexpr Place() = default;  // none: line 0
#ifdef __cpp_lib_source_location
  // The place that the standard library tells.
  constexpr Place(const std::source_location& l)
      : file_(l.file_name()),
        function_(l.function_name()),
        line_(l.line()),
        column_(l.column()) {}
  // As a default argument: where the function is called.
  static constexpr Place current(
      const std::source_location& l = std::source_location::current()) {
    return l;
  }
#else
  // As a default argument: where the function is called.
  static constexpr Place current(
      const char* file = __builtin_FILE(),
      const char* function = __builtin_FUNCTION(),
      uint32_t line = __builtin_LINE()) {
    Place place;
    place.file_ = file;
    place.function_ = function;
    place.line_ = line;
    return place;
  }
#endif

  // The file as the compiler names it, "" if there is none; the function; the
  // line, from 1.
  constexpr const char* file_name() const { return file_; }
  constexpr const char* function_name() const { return function_; }
  constexpr uint32_t line() const { return line_; }
  // 0 where the compiler does not tell.
  constexpr uint32_t column() const { return column_; }

 private:
  const char* file_ = "";
  const char* function_ = "";
  uint32_t line_ = 0;
  uint32_t column_ = 0;
};

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_PLACE_H_
