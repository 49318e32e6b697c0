#include "base/json_quoted.h"

namespace gk {

void AppendUtf8(uint32_t code, std::string* out) {
  if (code < 0x80) {
    out->push_back(static_cast<char>(code));
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  const uint32_t lead[] = {0, 0xC0, 0xE0, 0xF0};
  out->push_back(static_cast<char>(lead[more] | (code >> (6 * more))));
  for (int i = more - 1; i >= 0; --i) {
    out->push_back(static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3F)));
  }
}

namespace {

// Bytes of the UTF-8 character that begins the text; 0: it is none.
size_t CharacterSize(std::string_view s) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
  if (byte(0) < 0x80) return 1;
  const size_t n = byte(0) >= 0xF0   ? 4
                   : byte(0) >= 0xE0 ? 3
                   : byte(0) >= 0xC2 ? 2
                                     : 0;
  if (n == 0 || byte(0) > 0xF4 || s.size() < n) return 0;
  uint32_t code = byte(0) & (0xFF >> (n + 1));
  for (size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3F);
  }
  const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  return code < least[n] || code > 0x10FFFF || surrogate ? 0 : n;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t size = CharacterSize(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

std::string JsonQuoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text[0]);
    size_t size = 1;
    if (c == '"' || c == '\\') {
      (out += '\\') += text[0];
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c < 0x20 || c == 0x7F) {
      out += "\\u00";
      out += "0123456789abcdef"[c >> 4];
      out += "0123456789abcdef"[c & 15];
    } else if (size = CharacterSize(text); size > 0) {
      out += text.substr(0, size);
    } else {
      size = 1;
      AppendUtf8(c, &out);
    }
    text.remove_prefix(size);
  }
  return out += '"';
}

}  // namespace gk
