// Characters of JSON texts that are written as numbers.
#ifndef GK_BASE_JSON_ESCAPE_H_
#define GK_BASE_JSON_ESCAPE_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace gk {

// Adds to `out` the character whose four digits, behind "\u", begin at `*at`,
// with the second half of a pair if it takes one, and passes over them. Null,
// or what is wrong there.
const char* ReadJsonCharacter(std::string_view text, size_t* at,
                              std::string* out);

}  // namespace gk

#endif  // GK_BASE_JSON_ESCAPE_H_
