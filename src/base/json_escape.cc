#include "base/json_escape.h"

#include <charconv>
#include <cstdint>
#include <system_error>

#include "base/json_quoted.h"

namespace gk {
namespace {

bool ReadCodeUnit(std::string_view text, size_t* at, uint32_t* code) {
  const std::string_view digits = text.substr(*at, 4);
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, *code, 16);
  if (digits.size() < 4 || error != std::errc() || end != last) return false;
  *at += 4;
  return true;
}

}  // namespace

const char* ReadJsonCharacter(std::string_view text, size_t* at,
                              std::string* out) {
  constexpr const char* kNoDigits = "expected four hexadecimal digits";
  uint32_t code = 0, low = 0;
  if (!ReadCodeUnit(text, at, &code)) return kNoDigits;
  if (code >= 0xD800 && code < 0xDC00 && text.substr(*at).starts_with("\\u")) {
    *at += 2;
    if (!ReadCodeUnit(text, at, &low)) return kNoDigits;
    if (low < 0xDC00 || low > 0xDFFF) return "half a character";
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  } else if (code >= 0xD800 && code < 0xE000) {
    return "half a character";
  }
  AppendUtf8(code, out);
  return nullptr;
}

}  // namespace gk
