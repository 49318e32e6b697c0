// JSON (RFC 8259), with NaN, Infinity and -Infinity as Python writes them.
//
// Read text may be anything: errors say where it is wrong. Objects keep the
// order of their names.
#ifndef GK_COMMAND_LINE_JSON_H_
#define GK_COMMAND_LINE_JSON_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/json_quoted.h"
#include "base/status.h"

namespace gk::command {

class Json {
 public:
  using List = std::vector<Json>;
  using Members = std::vector<std::pair<std::string, Json>>;
  // Numbers keep their text, and with it all of their digits.
  struct Number {
    std::string text;
  };

  Json() = default;  // null
  Json(bool v) : value_(v) {}
  Json(int64_t v) : value_(Number{std::to_string(v)}) {}
  Json(int v) : Json(int64_t{v}) {}
  Json(size_t v) : value_(Number{std::to_string(v)}) {}
  Json(double v);
  Json(Number v) : value_(std::move(v)) {}
  Json(std::string v) : value_(std::move(v)) {}
  Json(std::string_view v) : value_(std::string(v)) {}
  Json(const char* v) : value_(std::string(v)) {}
  Json(List v) : value_(std::move(v)) {}
  Json(Members v) : value_(std::move(v)) {}

  // InvalidArgument: "line 2, column 5: ...".
  static StatusOr<Json> Parse(std::string_view text);

  const bool* boolean() const { return std::get_if<bool>(&value_); }
  const Number* number() const { return std::get_if<Number>(&value_); }
  const std::string* text() const { return std::get_if<std::string>(&value_); }
  const List* list() const { return std::get_if<List>(&value_); }
  const Members* members() const { return std::get_if<Members>(&value_); }
  // "a list", "a number": for messages.
  std::string_view KindName() const;

  // Indented; lists of plain values stand on one line.
  std::string Text() const;

 private:
  void AppendTo(std::string* out, int indent) const;

  std::variant<std::monostate, bool, Number, std::string, List, Members> value_;
};

}  // namespace gk::command

#endif  // GK_COMMAND_LINE_JSON_H_
