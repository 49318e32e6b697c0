// Texts as JSON has them.
#ifndef GK_BASE_JSON_QUOTED_H_
#define GK_BASE_JSON_QUOTED_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace gk {

// The text in quotes. Bytes that are no UTF-8 stand as those of Latin-1.
std::string JsonQuoted(std::string_view text);
bool IsUtf8(std::string_view text);
// Adds the character of a number up to 0x10FFFF.
void AppendUtf8(uint32_t code, std::string* out);

}  // namespace gk

#endif  // GK_BASE_JSON_QUOTED_H_
