#include "command_line/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace gk::command {
namespace {

constexpr int kMaxDepth = 200;

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

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

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  StatusOr<Json> ReadAll() {
    GK_ASSIGN_OR_RETURN(Json value, Read(0));
    SkipSpace();
    if (at_ < text_.size()) return Wrong("there is more after the value");
    return value;
  }

 private:
  Status Wrong(std::string_view what) const {
    const std::string_view before = text_.substr(0, at_);
    const size_t line = 1 + std::ranges::count(before, '\n');
    const size_t start = before.rfind('\n');
    const size_t column = start == before.npos ? at_ + 1 : at_ - start;
    return InvalidArgument("line {}, column {}: {}", line, column, what);
  }
  void SkipSpace() {
    while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
  }
  bool Take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  StatusOr<Json> Read(int depth) {
    SkipSpace();
    if (depth > kMaxDepth) return Wrong("the values nest too deep");
    if (at_ == text_.size()) return Wrong("a value is missing");
    switch (text_[at_]) {
      case '[':
        return ReadList(depth);
      case '{':
        return ReadMembers(depth);
      case '"': {
        GK_ASSIGN_OR_RETURN(std::string text, ReadText());
        return Json(std::move(text));
      }
      default:
        break;
    }
    if (Take("true")) return Json(true);
    if (Take("false")) return Json(false);
    if (Take("null")) return Json();
    for (const char* word : {"NaN", "Infinity", "-Infinity"}) {
      if (Take(word)) return Json(Json::Number{word});
    }
    return ReadNumber();
  }

  StatusOr<Json> ReadList(int depth) {
    Json::List list;
    ++at_;
    SkipSpace();
    if (Take("]")) return Json(std::move(list));
    while (true) {
      GK_ASSIGN_OR_RETURN(Json value, Read(depth + 1));
      list.push_back(std::move(value));
      SkipSpace();
      if (Take("]")) return Json(std::move(list));
      if (!Take(",")) return Wrong("expected ',' or ']'");
    }
  }

  StatusOr<Json> ReadMembers(int depth) {
    Json::Members members;
    ++at_;
    SkipSpace();
    if (Take("}")) return Json(std::move(members));
    while (true) {
      SkipSpace();
      if (at_ == text_.size() || text_[at_] != '"') {
        return Wrong("expected a name in quotes");
      }
      GK_ASSIGN_OR_RETURN(std::string name, ReadText());
      SkipSpace();
      if (!Take(":")) return Wrong("expected ':'");
      GK_ASSIGN_OR_RETURN(Json value, Read(depth + 1));
      members.emplace_back(std::move(name), std::move(value));
      SkipSpace();
      if (Take("}")) return Json(std::move(members));
      if (!Take(",")) return Wrong("expected ',' or '}'");
    }
  }

  StatusOr<Json> ReadNumber() {
    const size_t start = at_;
    const auto digits = [&] {
      const size_t first = at_;
      while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
      return at_ > first;
    };
    Take("-");
    if (!digits()) return Wrong("this is no value");
    if (Take(".") && !digits()) return Wrong("digits are missing");
    if (Take("e") || Take("E")) {
      if (!Take("+")) Take("-");
      if (!digits()) return Wrong("digits are missing");
    }
    return Json(Json::Number{std::string(text_.substr(start, at_ - start))});
  }

  StatusOr<uint32_t> ReadCodeUnit() {
    uint32_t code = 0;
    const std::string_view digits = text_.substr(at_, 4);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() < 4 || error != std::errc() ||
        end != digits.data() + digits.size()) {
      return Wrong("expected four hexadecimal digits");
    }
    at_ += 4;
    return code;
  }

  Status ReadEscape(std::string* out) {
    if (at_ == text_.size()) return Wrong("the text does not end");
    const char c = text_[at_++];
    constexpr std::string_view kNames = "\"\\/bfnrt",
                               kMeant = "\"\\/\b\f\n\r\t";
    if (const size_t which = kNames.find(c); which != kNames.npos) {
      out->push_back(kMeant[which]);
      return OkStatus();
    }
    if (c != 'u') return Wrong("there is no such escape");
    GK_ASSIGN_OR_RETURN(uint32_t code, ReadCodeUnit());
    if (code >= 0xD800 && code < 0xDC00 && Take("\\u")) {
      GK_ASSIGN_OR_RETURN(const uint32_t low, ReadCodeUnit());
      if (low < 0xDC00 || low > 0xDFFF) return Wrong("half a character");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code >= 0xD800 && code < 0xE000) {
      return Wrong("half a character");
    }
    AppendUtf8(code, out);
    return OkStatus();
  }

  StatusOr<std::string> ReadText() {
    std::string text;
    ++at_;
    while (true) {
      if (at_ == text_.size()) return Wrong("the text does not end");
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) < 0x20) {
        return Wrong("a control character in a text");
      }
      ++at_;
      if (c == '"') return text;
      if (c != '\\') {
        text.push_back(c);
        continue;
      }
      GK_RETURN_IF_ERROR(ReadEscape(&text));
    }
  }

  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Json::Json(double v) {
  if (std::isnan(v)) {
    value_ = Number{"NaN"};
  } else if (std::isinf(v)) {
    value_ = Number{v < 0 ? "-Infinity" : "Infinity"};
  } else {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, v).ptr;
    value_ = Number{std::string(digits, end)};
  }
}

StatusOr<Json> Json::Parse(std::string_view text) {
  return JsonReader(text).ReadAll();
}

std::string_view Json::KindName() const {
  constexpr std::string_view kNames[] = {
      "null", "a truth value", "a number", "a text", "a list", "an object"};
  return kNames[value_.index()];
}

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

void Json::AppendTo(std::string* out, int indent) const {
  const std::string line = "\n" + std::string(indent + 2, ' ');
  if (const bool* b = boolean()) {
    *out += *b ? "true" : "false";
  } else if (const Number* n = number()) {
    *out += n->text;
  } else if (const std::string* t = text()) {
    *out += JsonQuoted(*t);
  } else if (const List* l = list()) {
    const bool plain = std::ranges::all_of(
        *l, [](const Json& j) { return !j.list() && !j.members(); });
    *out += '[';
    for (size_t i = 0; i < l->size(); ++i) {
      *out += plain ? (i > 0 ? ", " : "") : (i > 0 ? "," + line : line);
      (*l)[i].AppendTo(out, indent + 2);
    }
    if (!plain) *out += "\n" + std::string(indent, ' ');
    *out += ']';
  } else if (const Members* m = members()) {
    *out += '{';
    for (size_t i = 0; i < m->size(); ++i) {
      *out += (i > 0 ? "," : "") + line + JsonQuoted((*m)[i].first) + ": ";
      (*m)[i].second.AppendTo(out, indent + 2);
    }
    if (!m->empty()) *out += "\n" + std::string(indent, ' ');
    *out += '}';
  } else {
    *out += "null";
  }
}

std::string Json::Text() const {
  std::string out;
  AppendTo(&out, 0);
  return out += '\n';
}

}  // namespace gk::command
