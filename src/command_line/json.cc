#include "command_line/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/json_escape.h"

namespace gk::command {
namespace {

constexpr int kMaxDepth = 200;

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

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
    const char* const wrong = ReadJsonCharacter(text_, &at_, out);
    return wrong == nullptr ? OkStatus() : Wrong(wrong);
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
