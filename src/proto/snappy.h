// Decompression of Snappy blocks, which tables of other writers may hold.
#ifndef GK_PROTO_SNAPPY_H_
#define GK_PROTO_SNAPPY_H_

#include <string>
#include <string_view>

namespace gk::proto {

// False for malformed input. Output never exceeds what `in` can expand to
// (some 22 times its size), whatever length it claims. Thread-safe.
bool SnappyUncompress(std::string_view in, std::string* out);

}  // namespace gk::proto

#endif  // GK_PROTO_SNAPPY_H_
