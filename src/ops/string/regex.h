// Regular expressions of the RE2 library, which is loaded when the first one is
// made.
//
// It is not linked: another library of the process may bring an RE2 of its own
// whose symbols everybody sees, as TensorFlow does, and the functions of one
// must not meet the objects of the other. docs/decisions/regex.md.
#ifndef GK_OPS_STRING_REGEX_H_
#define GK_OPS_STRING_REGEX_H_

#include <memory>
#include <string>

#include "base/status.h"

namespace gk {

// Compiled; any thread may use it.
class Regex {
 public:
  // The one that the thread made last, if it has this pattern: compiling takes
  // longer than matching a short text. InvalidArgument of a bad pattern.
  static StatusOr<std::shared_ptr<const Regex>> Of(const std::string& pattern);

  virtual ~Regex() = default;
  virtual bool MatchesAll(const std::string& text) const = 0;
  // `to` becomes the text with its first match, or all of them, replaced by
  // `rewrite`.
  virtual void Replace(const std::string& text, const std::string& rewrite,
                       bool all, std::string* to) const = 0;
};

}  // namespace gk

#endif  // GK_OPS_STRING_REGEX_H_
