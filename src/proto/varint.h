// Integers as messages and tables have them: seven bits a byte, the lowest
// first.
#ifndef GK_PROTO_VARINT_H_
#define GK_PROTO_VARINT_H_

#include <cstdint>
#include <string>

namespace gk::proto {

inline void AppendVarint(uint64_t value, std::string* to) {
  for (; value >= 0x80; value >>= 7) *to += static_cast<char>(value | 0x80);
  *to += static_cast<char>(value);
}

}  // namespace gk::proto

#endif  // GK_PROTO_VARINT_H_
