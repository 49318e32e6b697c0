#include "proto/text_reader.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <limits>

#include "base/json_quoted.h"
#include "proto/message_types.h"
#include "proto/varint.h"
#include "proto/wire.h"

namespace gk::proto {
namespace {

constexpr std::string_view kAny = "google.protobuf.Any";

void PutTag(uint32_t number, WireType type, std::string* out) {
  AppendVarint(number << 3 | type, out);
}
void PutBytes(uint32_t number, std::string_view bytes, std::string* out) {
  PutTag(number, kBytes, out);
  AppendVarint(bytes.size(), out);
  out->append(bytes);
}
template <class T>
void PutFixed(uint32_t number, T value, std::string* out) {
  PutTag(number, sizeof(T) == 8 ? kFixed64 : kFixed32, out);
  out->append(reinterpret_cast<const char*>(&value), sizeof value);
}

bool IsNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

class MessageReader {
 public:
  MessageReader(std::string_view text, const MessageTypes& types)
      : text_(text), types_(types) {}

  StatusOr<std::string> ReadAll(std::string_view name) {
    std::string out;
    GK_RETURN_IF_ERROR(ReadFields(name, '\0', 0, &out));
    return out;
  }

 private:
  template <class... Args>
  Status Wrong(FormatPattern<sizeof...(Args)> what, const Args&... args) {
    const std::string_view before = text_.substr(0, at_);
    const size_t line = 1 + std::ranges::count(before, '\n');
    const size_t start = before.rfind('\n');
    const size_t column = start == before.npos ? at_ + 1 : at_ - start;
    return InvalidArgument("line {}, column {}: {}", line, column,
                           Format(what, args...));
  }

  // The next character that means something; '\0' at the end.
  char Peek() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        ++at_;
      } else {
        return text_[at_];
      }
    }
    return '\0';
  }
  bool Take(char c) {
    if (Peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  // A name, a number or a word like "-inf".
  std::string_view Word() {
    Peek();
    const size_t start = at_;
    while (at_ < text_.size() &&
           (IsNameCharacter(text_[at_]) || text_[at_] == '.' ||
            text_[at_] == '-' || text_[at_] == '+')) {
      ++at_;
    }
    return text_.substr(start, at_ - start);
  }

  Status ReadFields(std::string_view name, char end, int depth,
                    std::string* out) {
    const MessageType* const type = types_.FindMessage(name);
    if (type == nullptr) return Wrong("no message {} is known", name);
    if (depth > kMaxDepth) {
      return Wrong("messages nest deeper than {} levels", kMaxDepth);
    }
    while (true) {
      const char c = Peek();
      if (at_ == text_.size()) {
        return end == '\0' ? OkStatus() : Wrong("'{}' is missing", end);
      }
      if (c == end && end != '\0') {
        ++at_;
        return OkStatus();
      }
      if (c == '[' && name == kAny) {
        GK_RETURN_IF_ERROR(ReadAny(depth, out));
      } else {
        GK_RETURN_IF_ERROR(ReadField(name, *type, depth, out));
      }
      if (!Take(',')) Take(';');
    }
  }

  Status ReadField(std::string_view message, const MessageType& type, int depth,
                   std::string* out) {
    Peek();
    const size_t start = at_;
    while (at_ < text_.size() && IsNameCharacter(text_[at_])) ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    const auto field = type.find(name);
    if (field == type.end()) {
      at_ = start;
      return name.empty() ? Wrong("expected the name of a field of {}", message)
                          : Wrong("{} has no field '{}'", message, name);
    }
    const bool colon = Take(':');
    const FieldType& own = field->second;
    if (!colon && own.kind != FieldKind::kMessage &&
        own.kind != FieldKind::kGroup) {
      return Wrong("expected ':' after {}", name);
    }
    if (!Take('[')) return ReadValue(own, depth, out);
    if (!own.is_repeated) return Wrong("{} is one value, not a list", name);
    if (Take(']')) return OkStatus();
    do {
      GK_RETURN_IF_ERROR(ReadValue(own, depth, out));
    } while (Take(','));
    return Take(']') ? OkStatus() : Wrong("expected ',' or ']'");
  }

  // "[type.googleapis.com/a.B] { ... }": the message inside is known by name.
  Status ReadAny(int depth, std::string* out) {
    ++at_;
    const size_t close = text_.find(']', at_);
    if (close == text_.npos) return Wrong("']' is missing");
    const std::string_view url = text_.substr(at_, close - at_);
    at_ = close + 1;
    Take(':');
    std::string inner;
    GK_RETURN_IF_ERROR(
        ReadBraced(url.substr(url.rfind('/') + 1), depth, &inner));
    PutBytes(1, url, out);
    PutBytes(2, inner, out);
    return OkStatus();
  }

  Status ReadBraced(std::string_view message, int depth, std::string* out) {
    if (Take('{')) return ReadFields(message, '}', depth + 1, out);
    if (Take('<')) return ReadFields(message, '>', depth + 1, out);
    return Wrong("expected '{{' and the fields of {}", message);
  }

  Status ReadValue(const FieldType& field, int depth, std::string* out) {
    switch (field.kind) {
      case FieldKind::kGroup: {
        PutTag(field.number, kGroup, out);
        GK_RETURN_IF_ERROR(ReadBraced(field.type, depth, out));
        PutTag(field.number, kEndGroup, out);
        return OkStatus();
      }
      case FieldKind::kMessage: {
        std::string inner;
        GK_RETURN_IF_ERROR(ReadBraced(field.type, depth, &inner));
        PutBytes(field.number, inner, out);
        return OkStatus();
      }
      case FieldKind::kString:
      case FieldKind::kBytes: {
        std::string value;
        GK_RETURN_IF_ERROR(ReadText(&value));
        PutBytes(field.number, value, out);
        return OkStatus();
      }
      case FieldKind::kDouble:
      case FieldKind::kFloat:
        return ReadReal(field, out);
      default:
        return ReadWhole(field, out);
    }
  }

  Status ReadReal(const FieldType& field, std::string* out) {
    const size_t start = at_;
    std::string word(Word());
    std::ranges::transform(word, word.begin(), [](unsigned char c) {
      return static_cast<char>(std::tolower(c));
    });
    if (word.size() > 1 && word.back() == 'f' && !word.ends_with("inf")) {
      word.pop_back();
    }
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (word.empty() || *end != '\0') {
      at_ = start;
      return Wrong("expected a number");
    }
    if (field.kind == FieldKind::kDouble) {
      PutFixed(field.number, value, out);
    } else {
      // Rounded once, from the digits.
      PutFixed(field.number, std::strtof(word.c_str(), &end), out);
    }
    return OkStatus();
  }

  // Magnitude and sign of a whole number in base 8, 10 or 16.
  static bool ParseWhole(std::string_view word, bool* negative,
                         uint64_t* value) {
    *negative = word.starts_with('-');
    if (*negative) word.remove_prefix(1);
    int base = 10;
    if (word.starts_with("0x") || word.starts_with("0X")) {
      base = 16;
      word.remove_prefix(2);
    } else if (word.size() > 1 && word[0] == '0') {
      base = 8;
    }
    const auto [end, error] =
        std::from_chars(word.data(), word.data() + word.size(), *value, base);
    return error == std::errc() && end == word.data() + word.size();
  }

  Status ReadWhole(const FieldType& field, std::string* out) {
    Peek();
    const size_t start = at_;
    const std::string_view word = Word();
    bool negative = false;
    uint64_t value = 0;
    if (field.kind == FieldKind::kBool) {
      const bool yes =
          word == "true" || word == "True" || word == "t" || word == "1";
      if (!yes && word != "false" && word != "False" && word != "f" &&
          word != "0") {
        at_ = start;
        return Wrong("expected true or false");
      }
      PutTag(field.number, kVarint, out);
      AppendVarint(yes ? 1 : 0, out);
      return OkStatus();
    }
    if (field.kind == FieldKind::kEnum) {
      const EnumType* const values = types_.FindEnum(field.type);
      if (values == nullptr) return Wrong("no enum {} is known", field.type);
      const auto named = values->find(word);
      if (named != values->end()) {
        PutTag(field.number, kVarint, out);
        AppendVarint(static_cast<uint64_t>(int64_t{named->second}), out);
        return OkStatus();
      }
    }
    if (!ParseWhole(word, &negative, &value)) {
      at_ = start;
      return field.kind == FieldKind::kEnum
                 ? Wrong("{} has no value '{}'", field.type, word)
                 : Wrong("expected a whole number");
    }
    if (!Fits(field.kind, negative, value)) {
      at_ = start;
      return Wrong("{} is out of range", word);
    }
    PutWhole(field, negative ? 0 - value : value, out);
    return OkStatus();
  }

  static bool Fits(FieldKind kind, bool negative, uint64_t value) {
    switch (kind) {
      case FieldKind::kUint64:
      case FieldKind::kFixed64:
        return !negative || value == 0;
      case FieldKind::kUint32:
      case FieldKind::kFixed32:
        return (!negative || value == 0) && value <= UINT32_MAX;
      case FieldKind::kInt64:
      case FieldKind::kSint64:
      case FieldKind::kSfixed64:
        return value <= uint64_t{INT64_MAX} + negative;
      default:
        return value <= uint64_t{INT32_MAX} + negative;
    }
  }

  static void PutWhole(const FieldType& field, uint64_t value,
                       std::string* out) {
    switch (field.kind) {
      case FieldKind::kFixed64:
      case FieldKind::kSfixed64:
        return PutFixed(field.number, value, out);
      case FieldKind::kFixed32:
      case FieldKind::kSfixed32:
        return PutFixed(field.number, static_cast<uint32_t>(value), out);
      case FieldKind::kSint32:
      case FieldKind::kSint64:
        value = ZigZag(static_cast<int64_t>(value));
        break;
      default:
        break;
    }
    PutTag(field.number, kVarint, out);
    AppendVarint(value, out);
  }

  // Pieces in quotes, one behind the other.
  Status ReadText(std::string* value) {
    char quote = Peek();
    if (quote != '"' && quote != '\'')
      return Wrong("expected a text in quotes");
    for (; quote == '"' || quote == '\''; quote = Peek()) {
      ++at_;
      while (true) {
        if (at_ == text_.size() || text_[at_] == '\n') {
          return Wrong("the text does not end");
        }
        const char c = text_[at_++];
        if (c == quote) break;
        if (c != '\\') {
          value->push_back(c);
          continue;
        }
        GK_RETURN_IF_ERROR(ReadEscape(value));
      }
    }
    return OkStatus();
  }

  // Digits of a base, at most `most`; false if there is none.
  bool Digits(int base, size_t most, uint32_t* value) {
    const std::string_view digits = text_.substr(at_, most);
    const auto [end, error] = std::from_chars(
        digits.data(), digits.data() + digits.size(), *value, base);
    at_ += end - digits.data();
    return error == std::errc();
  }

  Status ReadEscape(std::string* value) {
    if (at_ == text_.size()) return Wrong("the text does not end");
    constexpr std::string_view kLetters = "nrtabfv\\'\"?";
    constexpr std::string_view kMeant = "\n\r\t\a\b\f\v\\'\"?";
    const char c = text_[at_];
    uint32_t code = 0;
    if (c >= '0' && c <= '7') {
      Digits(8, 3, &code);
      if (code > 0xFF) return Wrong("no byte has this number");
      value->push_back(static_cast<char>(code));
      return OkStatus();
    }
    ++at_;
    if (const size_t which = kLetters.find(c); which != kLetters.npos) {
      value->push_back(kMeant[which]);
      return OkStatus();
    }
    if (c == 'x' || c == 'X') {
      if (!Digits(16, 2, &code)) return Wrong("digits are missing");
      value->push_back(static_cast<char>(code));
      return OkStatus();
    }
    if (c == 'u' || c == 'U') {
      if (!Digits(16, c == 'u' ? 4 : 8, &code) || code > 0x10FFFF) {
        return Wrong("no character has this number");
      }
      AppendUtf8(code, value);
      return OkStatus();
    }
    return Wrong("there is no escape '\\{}'", c);
  }

  const std::string_view text_;
  const MessageTypes& types_;
  size_t at_ = 0;
};

}  // namespace

StatusOr<std::string> WireOfText(std::string_view text,
                                 std::string_view message,
                                 const MessageTypes& types) {
  return MessageReader(text, types).ReadAll(message);
}

bool LooksLikeText(std::string_view bytes) {
  // Control characters but for space, which begin all of a GraphDef's fields.
  const std::string_view start = bytes.substr(0, 512);
  return !start.empty() &&
         std::ranges::none_of(start,
                              [](char c) {
                                const auto byte = static_cast<unsigned char>(c);
                                return byte < 0x20 && c != '\n' && c != '\r' &&
                                       c != '\t';
                              }) &&
         start[0] != '\n' && start.find_first_of("{:<#") != start.npos;
}

}  // namespace gk::proto
