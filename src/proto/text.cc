#include "proto/text.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace gk::proto {
namespace {

template <class T>
std::string Shortest(T value, int digits, int more_digits) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char text[32];
  std::snprintf(text, sizeof(text), "%.*g", digits,
                static_cast<double>(value));
  if (static_cast<T>(std::strtod(text, nullptr)) != value) {
    std::snprintf(text, sizeof(text), "%.*g", more_digits,
                  static_cast<double>(value));
  }
  return text;
}

}  // namespace

std::string FloatText(float value) { return Shortest(value, 6, 9); }
std::string FloatText(double value) { return Shortest(value, 15, 17); }

std::string Escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    switch (c) {
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '"': out += "\\\""; break;
      case '\'': out += "\\'"; break;
      case '\\': out += "\\\\"; break;
      default: {
        unsigned byte = static_cast<uint8_t>(c);
        if (byte >= 0x20 && byte < 0x7f) {
          out += c;
        } else {
          out += '\\';
          out += static_cast<char>('0' + (byte >> 6));
          out += static_cast<char>('0' + (byte >> 3 & 7));
          out += static_cast<char>('0' + (byte & 7));
        }
      }
    }
  }
  return out;
}

}  // namespace gk::proto
