#include "kernels/unicode_text.h"

#include <iconv.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>

namespace gk {
namespace {

using Bytes = const unsigned char*;

Bytes BytesOf(std::string_view text) {
  return reinterpret_cast<Bytes>(text.data());
}

// ---- UTF-8 ----

// What may follow a first byte: how many bytes, and the range of the first of
// them; the others are 80 to BF.
struct Lead {
  int more = -1;
  unsigned char low = 0x80, high = 0xBF;
};

Lead LeadOf(unsigned char b) {
  if (b < 0x80) return {0};
  if (b < 0xC2 || b > 0xF4) return {};
  if (b < 0xE0) return {1};
  if (b == 0xE0) return {2, 0xA0};
  if (b == 0xED) return {2, 0x80, 0x9F};
  if (b < 0xF0) return {2};
  if (b == 0xF0) return {3, 0x90};
  if (b == 0xF4) return {3, 0x80, 0x8F};
  return {3};
}

class Utf8Decoder final : public TextDecoder {
 public:
  void Decode(std::string_view text, CharacterFn fn) override {
    const Bytes s = BytesOf(text);
    const size_t n = text.size();
    for (size_t at = 0; at < n;) {
      const Lead lead = LeadOf(s[at]);
      if (lead.more <= 0) {
        const bool fits = lead.more == 0;
        fn(fits ? s[at] : kReplacementCharacter, 1, !fits);
        ++at;
        continue;
      }
      int32_t code = s[at] & (0x3F >> lead.more);
      int k = 1;
      for (; k <= lead.more && at + k < n; ++k) {
        const unsigned char b = s[at + k];
        const bool first = k == 1;
        if (b < (first ? lead.low : 0x80) || b > (first ? lead.high : 0xBF)) {
          break;
        }
        code = code << 6 | (b & 0x3F);
      }
      const bool whole = k > lead.more;
      fn(whole ? code : kReplacementCharacter, k, !whole);
      at += k;
    }
  }
};

// ---- UTF-16 and UTF-32 ----

class WideDecoder final : public TextDecoder {
 public:
  // `marked`: the first unit may say which byte comes first.
  WideDecoder(int unit, bool little, bool marked)
      : unit_(unit), little_(little), marked_(marked) {}

  void Decode(std::string_view text, CharacterFn fn) override {
    bool little = little_;
    size_t at = 0;
    int before = 0;  // bytes of the mark, which count with what follows
    if (marked_ && text.size() >= static_cast<size_t>(unit_)) {
      for (const bool order : {false, true}) {
        if (UnitAt(text, 0, order) != 0xFEFF) continue;
        little = order;
        at = before = unit_;
        break;
      }
    }
    while (at < text.size()) {
      const size_t left = text.size() - at;
      int bytes = unit_;
      int32_t code = -1;
      if (left < static_cast<size_t>(unit_)) {
        bytes = static_cast<int>(left);
      } else {
        const uint32_t first = UnitAt(text, at, little);
        if (unit_ == 2 && first >= 0xD800 && first < 0xDC00) {
          if (left < 4) {
            bytes = static_cast<int>(left);
          } else if (const uint32_t second = UnitAt(text, at + 2, little);
                     second >= 0xDC00 && second < 0xE000) {
            bytes = 4;
            code = static_cast<int32_t>(0x10000 + ((first - 0xD800) << 10) +
                                        (second - 0xDC00));
          }
        } else if (first <= kMaxCodePoint) {
          code = static_cast<int32_t>(first);
        }
      }
      const bool fits = IsScalarValue(code);
      fn(fits ? code : kReplacementCharacter, bytes + before, !fits);
      before = 0;
      at += bytes;
    }
  }

 private:
  uint32_t UnitAt(std::string_view text, size_t at, bool little) const {
    const Bytes s = BytesOf(text) + at;
    uint32_t unit = 0;
    for (int i = 0; i < unit_; ++i) {
      unit = unit << 8 | s[little ? unit_ - 1 - i : i];
    }
    return unit;
  }

  int unit_;
  bool little_, marked_;
};

// ---- One byte a character ----

class ByteDecoder final : public TextDecoder {
 public:
  explicit ByteDecoder(int count) : count_(count) {}
  void Decode(std::string_view text, CharacterFn fn) override {
    for (const char c : text) {
      const int code = static_cast<unsigned char>(c);
      const bool fits = code < count_;
      fn(fits ? code : kReplacementCharacter, 1, !fits);
    }
  }

 private:
  int count_;  // of characters
};

// ---- All others, by the C library ----

class LibraryDecoder final : public TextDecoder {
 public:
  // `controls`: bytes of C1 controls that are nothing else stand for those.
  LibraryDecoder(iconv_t handle, bool controls)
      : handle_(handle), controls_(controls) {}
  ~LibraryDecoder() override { iconv_close(handle_); }

  void Decode(std::string_view text, CharacterFn fn) override {
    iconv(handle_, nullptr, nullptr, nullptr, nullptr);
    char* in = const_cast<char*>(text.data());
    size_t left = text.size();
    int pending = 0;  // bytes that gave no character yet
    while (left > 0) {
      const char* before = in;
      uint32_t code = 0;
      char* out = reinterpret_cast<char*>(&code);
      size_t room = sizeof(code);
      const size_t done = iconv(handle_, &in, &left, &out, &room);
      const int error = done == static_cast<size_t>(-1) ? errno : 0;
      const int bytes = static_cast<int>(in - before) + pending;
      if (room == 0) {
        fn(static_cast<int32_t>(code), bytes, false);
        pending = 0;
        continue;
      }
      pending = bytes;
      if (error == 0) break;
      // The beginning of a character at the end, or what is none.
      const int bad = error == EINVAL ? static_cast<int>(left) : 1;
      const unsigned char b = static_cast<unsigned char>(*in);
      const bool control = controls_ && b >= 0x80 && b < 0xA0;
      fn(control ? b : kReplacementCharacter, pending + bad, !control);
      pending = 0;
      in += bad;
      left -= bad;
    }
    uint32_t code = 0;
    char* out = reinterpret_cast<char*>(&code);
    size_t room = sizeof(code);
    iconv(handle_, nullptr, nullptr, &out, &room);
    if (room == 0) fn(static_cast<int32_t>(code), pending, false);
  }

 private:
  iconv_t handle_;
  bool controls_;
};

std::string Simplified(std::string_view name) {
  std::string simple;
  for (const char c : name) {
    if (c == '-' || c == '_' || c == ' ') continue;
    simple += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return simple;
}

// What the C library calls an encoding whose common name means another table
// there.
constexpr std::pair<std::string_view, const char*> kLibraryNames[] = {
    {"shiftjis", "CP932"},    {"sjis", "CP932"},   {"mskanji", "CP932"},
    {"gbk", "CP936"},         {"gb2312", "CP936"}, {"euckr", "CP949"},
    {"ksc56011987", "CP949"}, {"big5", "CP950"},
};

std::unique_ptr<TextDecoder> MakeLibraryDecoder(const std::string& name,
                                                std::string_view simple) {
  // A slash begins what the C library shall do, not a name.
  if (name.empty() || name.find('/') != std::string::npos || name.size() > 64) {
    return nullptr;
  }
  const char* known = name.c_str();
  for (const auto& [common, library] : kLibraryNames) {
    if (simple == common) known = library;
  }
  iconv_t handle = iconv_open("UTF-32LE", known);
  if (handle == reinterpret_cast<iconv_t>(-1)) {
    handle = iconv_open("UTF-32LE", std::string(simple).c_str());
  }
  if (handle == reinterpret_cast<iconv_t>(-1)) return nullptr;
  const bool controls =
      simple.starts_with("windows125") || simple.starts_with("cp125");
  return std::make_unique<LibraryDecoder>(handle, controls);
}

}  // namespace

std::unique_ptr<TextDecoder> TextDecoder::Make(const std::string& encoding) {
  const std::string name = Simplified(encoding);
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (is({"utf8", "unicode11utf8", "cp1208"})) {
    return std::make_unique<Utf8Decoder>();
  }
  if (is({"usascii", "ascii", "iso646us", "646", "ansix3.41968", "ibm367"})) {
    return std::make_unique<ByteDecoder>(128);
  }
  if (is({"iso88591", "latin1", "l1", "cp819", "ibm819", "819"})) {
    return std::make_unique<ByteDecoder>(256);
  }
  if (is({"utf16", "utf16be", "utf16le", "utf32", "utf32be", "utf32le"})) {
    return std::make_unique<WideDecoder>(name.starts_with("utf32") ? 4 : 2,
                                         name.ends_with("le"),
                                         name.size() == 5);
  }
  return MakeLibraryDecoder(encoding, name);
}

void AppendCharacter(TextForm form, int32_t code, std::string* text) {
  if (!IsScalarValue(code)) code = kReplacementCharacter;
  const auto put = [&](int byte) { text->push_back(static_cast<char>(byte)); };
  const auto unit = [&](int value) {
    put(value >> 8);
    put(value & 0xFF);
  };
  switch (form) {
    case TextForm::kUtf8:
      if (code < 0x80) return put(code);
      if (code < 0x800) {
        put(0xC0 | code >> 6);
      } else if (code < 0x10000) {
        put(0xE0 | code >> 12);
        put(0x80 | (code >> 6 & 0x3F));
      } else {
        put(0xF0 | code >> 18);
        put(0x80 | (code >> 12 & 0x3F));
        put(0x80 | (code >> 6 & 0x3F));
      }
      return put(0x80 | (code & 0x3F));
    case TextForm::kUtf16Be:
      if (code < 0x10000) return unit(code);
      unit(0xD800 + ((code - 0x10000) >> 10));
      return unit(0xDC00 + ((code - 0x10000) & 0x3FF));
    case TextForm::kUtf32Be:
      unit(code >> 16);
      return unit(code & 0xFFFF);
  }
}

}  // namespace gk
