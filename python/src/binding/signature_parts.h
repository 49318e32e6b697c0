// The parameters of a signature as text, one by one.
#ifndef GK_PYTHON_SIGNATURE_PARTS_H_
#define GK_PYTHON_SIGNATURE_PARTS_H_

#include <algorithm>
#include <string_view>

namespace gk::py {

// Takes "a=','" off "a=',', b": up to a comma that is in no text.
inline std::string_view TakeParameter(std::string_view* left) {
  size_t end = 0;
  for (bool in_text = false; end < left->size(); ++end) {
    const char c = (*left)[end];
    if (c == '\'') in_text = !in_text;
    if (c == ',' && !in_text) break;
  }
  const std::string_view one = left->substr(0, end);
  left->remove_prefix(std::min(end + 1, left->size()));
  return one;
}

}  // namespace gk::py

#endif  // GK_PYTHON_SIGNATURE_PARTS_H_
