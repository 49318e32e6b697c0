#include "ops/example/example_json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <type_traits>
#include <utility>

#include "base/function_ref.h"
#include "base/json_escape.h"
#include "base/json_quoted.h"
#include "ops/example/message_fields.h"
#include "proto/varint.h"
#include "proto/wire.h"

namespace gk {
namespace {

constexpr int kDeepestList = 100;

bool IsJsonSpace(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}
bool IsJsonDigit(char c) { return c >= '0' && c <= '9'; }
bool IsJsonWordCharacter(char c) {
  return IsJsonDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         c == '_' || c == '$';
}

void AppendJsonField(uint32_t number, std::string_view bytes,
                     std::string* out) {
  proto::AppendVarint(number << 3 | proto::kBytes, out);
  proto::AppendVarint(bytes.size(), out);
  out->append(bytes);
}

// What base64 stands for, of either alphabet, with "=" behind it or without.
bool BytesOfBase64(std::string_view text, std::string* bytes) {
  std::string_view letters = text;
  while (letters.ends_with('=')) letters.remove_suffix(1);
  const size_t padding = text.size() - letters.size();
  const size_t left = letters.size() % 4;
  if (left == 1 || (padding > 0 && (left + padding) % 4 != 0) || padding > 2) {
    return false;
  }
  uint32_t bits = 0;
  int held = 0;
  for (const char c : letters) {
    uint32_t value;
    if (c >= 'A' && c <= 'Z') {
      value = static_cast<uint32_t>(c - 'A');
    } else if (c >= 'a' && c <= 'z') {
      value = static_cast<uint32_t>(c - 'a' + 26);
    } else if (IsJsonDigit(c)) {
      value = static_cast<uint32_t>(c - '0' + 52);
    } else if (c == '+' || c == '-') {
      value = 62;
    } else if (c == '/' || c == '_') {
      value = 63;
    } else {
      return false;
    }
    bits = bits << 6 | value;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes->push_back(static_cast<char>(bits >> held & 0xFF));
    }
  }
  return true;
}

// "-1.5e3" and nothing around it, without zeros in front.
bool IsJsonNumber(std::string_view text) {
  const auto digits = [&] {
    const size_t n =
        std::min(text.size(),
                 static_cast<size_t>(
                     std::find_if_not(text.begin(), text.end(), IsJsonDigit) -
                     text.begin()));
    text.remove_prefix(n);
    return n;
  };
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool zero = text.starts_with('0');
  const size_t whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (digits() == 0) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (digits() == 0) return false;
  }
  return text.empty();
}

bool DoubleOfJson(std::string_view text, double* value) {
  std::string_view digits = text;
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  auto format = std::chars_format::general;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    digits.remove_prefix(2);
    format = std::chars_format::hex;
  }
  if (digits.starts_with('-')) return false;
  const auto [end, error] = std::from_chars(
      digits.data(), digits.data() + digits.size(), *value, format);
  if (end != digits.data() + digits.size()) return false;
  if (negative) *value = -*value;
  if (error == std::errc::result_out_of_range) {
    // Too large, or too close to zero.
    const size_t exponent = text.find_first_of("eE");
    const bool tiny =
        exponent != text.npos && text.substr(exponent + 1).starts_with('-');
    *value = tiny ? 0 : std::numeric_limits<double>::infinity();
    return true;
  }
  return error == std::errc();
}

class ExampleReader {
 public:
  explicit ExampleReader(std::string_view text) : text_(text) {}

  StatusOr<std::string> ReadAll() {
    SkipSpace();
    if (at_ == text_.size()) {
      return InvalidArgument("Error while parsing JSON: unexpected EOF");
    }
    std::string example;
    GK_RETURN_IF_ERROR(ReadObject([&](std::string_view name) -> Status {
      if (name != "features") return NoField(name);
      if (TakeNull()) return OkStatus();
      std::string features;
      GK_RETURN_IF_ERROR(ReadFeatures(&features));
      AppendJsonField(1, features, &example);
      return OkStatus();
    }));
    SkipSpace();
    if (at_ < text_.size()) {
      return InvalidArgument(
          "Error while parsing JSON: extraneous characters after end of JSON "
          "object");
    }
    return example;
  }

 private:
  Status Wrong(std::string_view what) const {
    const std::string_view before = text_.substr(0, at_);
    const size_t line = 1 + std::ranges::count(before, '\n');
    const size_t start = before.rfind('\n');
    const size_t column = start == before.npos ? at_ + 1 : at_ - start;
    return InvalidArgument(
        "Error while parsing JSON: invalid JSON in "
        "type.googleapis.com/tensorflow.Example, near {}:{} (offset {}): {}",
        line, column, at_, what);
  }
  Status NoField(std::string_view name) const {
    return Wrong(Format("no such field: '{}'", name));
  }

  void SkipSpace() {
    while (at_ < text_.size() && IsJsonSpace(text_[at_])) ++at_;
  }
  bool Take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  std::string_view Word() {
    const size_t start = at_;
    while (at_ < text_.size() && IsJsonWordCharacter(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }
  // Passes over "null" alone.
  bool TakeNull() {
    SkipSpace();
    const size_t before = at_;
    if (Word() == "null") return true;
    at_ = before;
    return false;
  }

  // Calls on_member(name), which reads the value, for each member.
  Status ReadObject(FunctionRef<Status(std::string_view)> on_member) {
    SkipSpace();
    if (!Take("{")) return Wrong("expected '{'");
    while (true) {
      SkipSpace();
      if (Take("}")) return OkStatus();
      std::string name;
      if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
        GK_ASSIGN_OR_RETURN(name, ReadText());
      } else {
        if (at_ < text_.size() && !IsJsonDigit(text_[at_])) name = Word();
        if (name.empty()) return Wrong("expected a name");
      }
      SkipSpace();
      if (!Take(":")) return Wrong("expected ':'");
      GK_RETURN_IF_ERROR(on_member(name));
      SkipSpace();
      if (Take(",")) continue;
      if (!Take("}")) return Wrong("expected ',' or '}'");
      return OkStatus();
    }
  }

  Status ReadFeatures(std::string* features) {
    std::set<std::string, std::less<>> seen;
    return ReadObject([&](std::string_view field) -> Status {
      if (field != "feature") return NoField(field);
      if (TakeNull()) return OkStatus();
      return ReadObject([&](std::string_view name) -> Status {
        if (!seen.emplace(name).second) {
          return Wrong(Format("got unexpectedly-repeated key '{}'", name));
        }
        std::string feature, entry;
        if (!TakeNull()) GK_RETURN_IF_ERROR(ReadFeature(&feature));
        AppendJsonField(1, name, &entry);
        AppendJsonField(2, feature, &entry);
        AppendJsonField(1, entry, features);
        return OkStatus();
      });
    });
  }

  Status ReadFeature(std::string* feature) {
    bool has_kind = false;
    return ReadObject([&](std::string_view name) -> Status {
      constexpr std::pair<std::string_view, std::string_view> kNames[] = {
          {"bytesList", "bytes_list"},
          {"floatList", "float_list"},
          {"int64List", "int64_list"}};
      uint32_t number = 0;
      for (uint32_t i = 0; i < 3; ++i) {
        if (name == kNames[i].first || name == kNames[i].second) number = i + 1;
      }
      if (number == 0) return NoField(name);
      if (TakeNull()) return OkStatus();
      if (has_kind) {
        return Wrong("multiple values for the fields of the oneof 'kind'");
      }
      has_kind = true;
      std::string values, list;
      GK_RETURN_IF_ERROR(ReadObject([&](std::string_view field) -> Status {
        if (field != "value") return NoField(field);
        if (TakeNull()) return OkStatus();
        return ReadValues(number, 0, &values);
      }));
      if (number == 1) {
        list = std::move(values);
      } else if (!values.empty()) {
        AppendJsonField(1, values, &list);
      }
      AppendJsonField(number, list, feature);
      return OkStatus();
    });
  }

  // One value, or a list of such, whose lists count as their elements.
  Status ReadValues(uint32_t kind, int depth, std::string* values) {
    SkipSpace();
    if (!Take("[")) return ReadValue(kind, values);
    if (depth == kDeepestList) return Wrong("the lists nest too deep");
    while (true) {
      SkipSpace();
      if (Take("]")) return OkStatus();
      GK_RETURN_IF_ERROR(ReadValues(kind, depth + 1, values));
      SkipSpace();
      if (Take(",")) continue;
      if (!Take("]")) return Wrong("expected ',' or ']'");
      return OkStatus();
    }
  }

  Status ReadValue(uint32_t kind, std::string* values) {
    const bool null = TakeNull();
    const size_t start = at_;
    const bool quoted =
        at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'');
    std::string value;
    if (quoted) {
      GK_ASSIGN_OR_RETURN(value, ReadText());
    } else if (!null) {
      while (at_ < text_.size() &&
             (IsJsonWordCharacter(text_[at_]) || text_[at_] == '.' ||
              text_[at_] == '-' || text_[at_] == '+')) {
        value.push_back(text_[at_++]);
      }
    }
    const auto wrong = [&](std::string_view what) {
      at_ = start;
      return Wrong(what);
    };
    if (kind == 1) {
      std::string bytes;
      if (!null && !quoted) return wrong("expected a text in base64");
      if (!BytesOfBase64(value, &bytes)) return wrong("corrupt base64");
      AppendJsonField(1, bytes, values);
      return OkStatus();
    }
    if (kind == 3) {
      int64_t number = 0;
      if (!null && !ToInt64(value, &number)) {
        return wrong("expected a number that an int64 holds");
      }
      proto::AppendVarint(static_cast<uint64_t>(number), values);
      return OkStatus();
    }
    float number = 0;
    if (!null && !ToFloat(value, quoted, &number)) {
      return wrong("expected a number that a float holds");
    }
    values->append(reinterpret_cast<const char*>(&number), sizeof number);
    return OkStatus();
  }

  static bool ToInt64(std::string_view text, int64_t* value) {
    if (!IsJsonNumber(text)) return false;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), *value);
    if (end == text.data() + text.size()) return error == std::errc();
    double whole;  // "1e2"
    if (!DoubleOfJson(text, &whole) || whole != std::floor(whole) ||
        whole < -0x1p63 || whole >= 0x1p63) {
      return false;
    }
    *value = static_cast<int64_t>(whole);
    return true;
  }

  static bool ToFloat(std::string_view text, bool quoted, float* value) {
    double number;
    if (quoted) {  // as strtod reads
      while (!text.empty() && IsJsonSpace(text.front())) text.remove_prefix(1);
      while (!text.empty() && IsJsonSpace(text.back())) text.remove_suffix(1);
      if (text.starts_with('+') && !text.starts_with("+-")) {
        text.remove_prefix(1);
      }
    } else if (!IsJsonNumber(text)) {
      return false;
    }
    if (text.empty() || !DoubleOfJson(text, &number)) return false;
    const bool is_word = text.find_first_of("nN") != text.npos;
    constexpr double kRoundsToInfinity = 0x1.ffffffp127;
    if (!is_word && std::abs(number) >= kRoundsToInfinity) return false;
    *value = static_cast<float>(number);
    return true;
  }

  Status ReadEscape(std::string* out) {
    if (at_ == text_.size()) return Wrong("the text does not end");
    const char c = text_[at_++];
    constexpr std::string_view kNames = "\"'\\/bfnrt",
                               kMeant = "\"'\\/\b\f\n\r\t";
    if (const size_t which = kNames.find(c); which != kNames.npos) {
      out->push_back(kMeant[which]);
      return OkStatus();
    }
    if (c != 'u') return Wrong("invalid escape");
    const char* const wrong = ReadJsonCharacter(text_, &at_, out);
    return wrong == nullptr ? OkStatus() : Wrong(wrong);
  }

  // In quotes of either kind.
  StatusOr<std::string> ReadText() {
    std::string text;
    const char quote = text_[at_++];
    while (true) {
      if (at_ == text_.size()) return Wrong("the text does not end");
      const char c = text_[at_++];
      if (c == quote) break;
      if (c != '\\') {
        text.push_back(c);
        continue;
      }
      GK_RETURN_IF_ERROR(ReadEscape(&text));
    }
    if (!IsUtf8(text)) return Wrong("the text is no UTF-8");
    return text;
  }

  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

StatusOr<std::string> ExampleOfJson(std::string_view text) {
  return ExampleReader(text).ReadAll();
}

}  // namespace gk
