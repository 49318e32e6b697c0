// Format: text with values in place of each "{}", by the rules of {fmt}.
//
// The pattern is a literal; a wrong number of values does not compile. The
// values are erased before they leave the caller, and {fmt}'s own headers,
// half a second in every file, stay in format.cc.
#ifndef GK_BASE_FORMAT_H_
#define GK_BASE_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gk {

// One value, borrowed for the time of the call.
class FormatArg {
 public:
  enum class Kind : uint8_t {
    kInt,
    kUint,
    kBool,
    kChar,
    kFloat,
    kDouble,
    kText
  };

  template <class T>
  requires std::is_integral_v<T> || std::is_enum_v<T> FormatArg(T v) {
    if constexpr (std::is_same_v<T, bool>) {
      kind_ = Kind::kBool;
      uint_ = v;
    } else if constexpr (std::is_same_v<T, char>) {
      kind_ = Kind::kChar;
      int_ = v;
    } else if constexpr (std::is_unsigned_v<T>) {
      kind_ = Kind::kUint;
      uint_ = v;
    } else {
      static_assert(std::is_convertible_v<T, int64_t>);
      kind_ = Kind::kInt;
      int_ = v;
    }
  }
  FormatArg(float v) : kind_(Kind::kFloat), float_(v) {}
  FormatArg(double v) : kind_(Kind::kDouble), double_(v) {}
  FormatArg(std::vector<bool>::reference v) : FormatArg(bool{v}) {}
  FormatArg(const char* v) : FormatArg(std::string_view(v)) {}
  FormatArg(const std::string& v) : FormatArg(std::string_view(v)) {}
  FormatArg(std::string_view v)
      : kind_(Kind::kText), text_{v.data(), v.size()} {}

 private:
  friend std::string FormatArgs(std::string_view, std::span<const FormatArg>);
  Kind kind_;
  union {
    int64_t int_;
    uint64_t uint_;
    float float_;
    double double_;
    struct {
      const char* data;
      size_t size;
    } text_;
  };
};

// A pattern for `kArgs` values: "{}", "{:g}" and the like in order, or all
// numbered, "{0}"; "{{" and "}}" stand for braces.
template <size_t kArgs>
struct FormatPattern {
  consteval FormatPattern(const char* pattern) : text(pattern) {
    size_t fields = 0, numbered = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c != '{' && c != '}') continue;
      const char next = i + 1 < text.size() ? text[i + 1] : '\0';
      if (next == c) {
        ++i;
        continue;
      }
      if (c == '}') throw "a '}' without '{' in a format pattern";
      if (next >= '0' && next <= '9') {
        numbered =
            numbered > size_t(next - '0') + 1 ? numbered : next - '0' + 1;
      } else {
        ++fields;
      }
      while (i < text.size() && text[i] != '}') ++i;
      if (i == text.size()) throw "a '{' without '}' in a format pattern";
    }
    if (fields + numbered != kArgs) throw "as many values as places, please";
  }
  std::string_view text;
};

inline constexpr size_t kMaxFormatArgs = 16;

std::string FormatArgs(std::string_view pattern,
                       std::span<const FormatArg> args);

template <class... Args>
std::string Format(FormatPattern<sizeof...(Args)> pattern,
                   const Args&... args) {
  static_assert(sizeof...(Args) <= kMaxFormatArgs);
  if constexpr (sizeof...(Args) == 0) {
    return FormatArgs(pattern.text, {});
  } else {
    const FormatArg erased[] = {FormatArg(args)...};
    return FormatArgs(pattern.text, erased);
  }
}

// The values with `separator` between them.
std::string JoinText(std::span<const int64_t> values,
                     std::string_view separator);
std::string JoinText(std::span<const int32_t> values,
                     std::string_view separator);
std::string JoinText(std::span<const std::string> values,
                     std::string_view separator);

}  // namespace gk

#endif  // GK_BASE_FORMAT_H_
