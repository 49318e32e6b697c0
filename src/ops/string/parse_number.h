// Texts read as numbers, as TensorFlow reads them: with space around them, and
// real ones also in hexadecimal, as infinity or as no number.
#ifndef GK_OPS_STRING_PARSE_NUMBER_H_
#define GK_OPS_STRING_PARSE_NUMBER_H_

#include <charconv>
#include <limits>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace gk {

inline std::string_view Stripped(std::string_view s) {
  auto space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!s.empty() && space(s.front())) s.remove_prefix(1);
  while (!s.empty() && space(s.back())) s.remove_suffix(1);
  return s;
}

template <class T>
bool ParseInteger(std::string_view s, T* out) {
  s = Stripped(s);
  if (s.starts_with('+')) {
    s.remove_prefix(1);
    if (s.starts_with('-')) return false;
  }
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), *out);
  return error == std::errc() && end == s.data() + s.size();
}

template <class T>
bool ParseReal(std::string_view s, T* out) {
  s = Stripped(s);
  const bool negative = s.starts_with('-');
  if (negative || s.starts_with('+')) s.remove_prefix(1);
  if (s.empty() || s[0] == '-' || s.back() == ')') return false;
  std::chars_format format = std::chars_format::general;
  if (s.starts_with("0x") || s.starts_with("0X")) {
    s.remove_prefix(2);
    if (s.starts_with('-')) return false;
    format = std::chars_format::hex;
  }
  const char* const last = s.data() + s.size();
  T value = 0;
  auto [end, error] = std::from_chars(s.data(), last, value, format);
  if (end != last) return false;
  if (error == std::errc::result_out_of_range) {
    // Too large is infinite, too small is zero: a wider type or, beyond it,
    // the sign of the exponent tells which.
    long double wide = 0;
    const auto again = std::from_chars(s.data(), last, wide, format);
    const bool small =
        again.ec == std::errc()
            ? wide < 1
            : s.find(format == std::chars_format::hex ? "p-" : "e-") !=
                      std::string_view::npos ||
                  s.find("E-") != std::string_view::npos;
    value = small ? T(0) : std::numeric_limits<T>::infinity();
  } else if (error != std::errc()) {
    return false;
  }
  *out = negative ? -value : value;
  return true;
}

template <class T>
bool ParseNumber(std::string_view s, T* out) {
  if constexpr (std::is_integral_v<T>) {
    return ParseInteger(s, out);
  } else {
    return ParseReal(s, out);
  }
}

}  // namespace gk

#endif  // GK_OPS_STRING_PARSE_NUMBER_H_
