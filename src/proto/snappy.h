// Snappy blocks (Google's format description of 2011), which tables of other
// writers and files of datasets hold.
#ifndef GK_PROTO_SNAPPY_H_
#define GK_PROTO_SNAPPY_H_

#include <string>
#include <string_view>

namespace gk::proto {

// False for malformed input. Output never exceeds what `in` can expand to
// (some 22 times its size), whatever length it claims. Thread-safe.
bool SnappyUncompress(std::string_view in, std::string* out);

// A block that holds `in`. Each part of 64 KB finds what it repeats within
// itself. Thread-safe.
std::string SnappyCompress(std::string_view in);

}  // namespace gk::proto

#endif  // GK_PROTO_SNAPPY_H_
