#ifndef GK_BASE_HTML_H_
#define GK_BASE_HTML_H_

#include <string>
#include <string_view>

namespace gk {

// The text as HTML shows it, in elements and in quoted attributes.
std::string EscapedHtml(std::string_view text);

}  // namespace gk

#endif  // GK_BASE_HTML_H_
