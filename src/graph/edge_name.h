// Names of edges in files: "x", "x:1" in graphs, "x:output:1" in functions.
#ifndef GK_GRAPH_EDGE_NAME_H_
#define GK_GRAPH_EDGE_NAME_H_

#include <charconv>
#include <cstdint>
#include <string_view>

namespace gk {

struct EdgeName {
  std::string_view node;
  std::string_view argument;  // in functions
  int64_t index = 0;

  // False unless `text`, which it borrows, is such a name; "^x" is none.
  bool Parse(std::string_view text, bool in_function);
};

inline bool EdgeName::Parse(std::string_view text, bool in_function) {
  const size_t colon = text.find(':');
  node = text.substr(0, colon);
  if (node.empty()) return false;
  if (colon == std::string_view::npos) return !in_function;
  text.remove_prefix(colon + 1);
  if (in_function) {
    const size_t second = text.find(':');
    if (second == std::string_view::npos) return false;
    argument = text.substr(0, second);
    text.remove_prefix(second + 1);
  }
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, index);
  return error == std::errc() && stop == end && index >= 0 && !text.empty() &&
         text[0] != '-';
}

}  // namespace gk

#endif  // GK_GRAPH_EDGE_NAME_H_
