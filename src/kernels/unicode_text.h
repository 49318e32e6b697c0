// Texts in the encodings that there are, as code points and back.
//
// What belongs to no character is reported as ICU reports it: the longest
// beginning of a character that it could be, or one byte.
#ifndef GK_KERNELS_UNICODE_TEXT_H_
#define GK_KERNELS_UNICODE_TEXT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/function_ref.h"

namespace gk {

inline constexpr int32_t kMaxCodePoint = 0x10FFFF;
inline constexpr int32_t kReplacementCharacter = 0xFFFD;

// Can it stand in a text? Surrogates cannot.
inline bool IsScalarValue(int32_t code) {
  return code >= 0 && code <= kMaxCodePoint && (code < 0xD800 || code > 0xDFFF);
}

// Gets each character, how many bytes it took, and whether they are none.
using CharacterFn = FunctionRef<void(int32_t code, int bytes, bool malformed)>;

class TextDecoder {
 public:
  virtual ~TextDecoder() = default;
  virtual void Decode(std::string_view text, CharacterFn fn) = 0;

  // Null if there is no such encoding. Names are compared without case, blanks
  // and dashes.
  static std::unique_ptr<TextDecoder> Make(const std::string& encoding);
};

enum class TextForm { kUtf8, kUtf16Be, kUtf32Be };
// What is no scalar value is written as the replacement character.
void AppendCharacter(TextForm form, int32_t code, std::string* text);

// UTF-8 text in upper or lower case. Bytes that are no characters become the
// replacement character.
std::string CasedText(std::string_view utf8, bool upper);

// The number that ICU has for the script of a character: 103 for those that
// have none, -1 for what is no code point.
int32_t ScriptOf(int32_t code);

}  // namespace gk

#endif  // GK_KERNELS_UNICODE_TEXT_H_
