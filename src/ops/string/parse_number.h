// Texts read as numbers, as TensorFlow reads them: with space around them, and
// real ones also in hexadecimal, as infinity or as no number.
#ifndef GK_OPS_STRING_PARSE_NUMBER_H_
#define GK_OPS_STRING_PARSE_NUMBER_H_

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
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

// "123.45", if its digits and the power of ten below them are numbers of T
// without rounding: their quotient is then rounded once, as it has to be
// (Clinger, How to Read Floating Point Numbers Accurately, 1990).
template <class T>
bool ParsePlain(std::string_view s, T* out) {
  constexpr T kPowers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5,
                           1e6, 1e7, 1e8, 1e9, 1e10};
  constexpr uint64_t kMost = uint64_t{1} << std::numeric_limits<T>::digits;
  // So many digits are less than 2^64.
  if (s.size() > 19) return false;
  const bool negative = s.starts_with('-');
  if (negative) s.remove_prefix(1);
  uint64_t digits = 0;
  size_t point = s.size();
  for (size_t i = 0; i < s.size(); ++i) {
    const unsigned digit = static_cast<unsigned char>(s[i]) - unsigned{'0'};
    if (digit <= 9) {
      digits = digits * 10 + digit;
    } else if (s[i] == '.' && point == s.size()) {
      point = i;
    } else {
      return false;
    }
  }
  const bool pointed = point < s.size();
  const size_t below = pointed ? s.size() - point - 1 : 0;
  if (s.size() == pointed || below >= std::size(kPowers) || digits > kMost) {
    return false;
  }
  const T value = static_cast<T>(digits) / kPowers[below];
  *out = negative ? -value : value;
  return true;
}

template <class T>
bool ParseReal(std::string_view s, T* out) {
  if (ParsePlain(s, out)) return true;
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
