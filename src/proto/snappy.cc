#include "proto/snappy.h"

#include "proto/wire.h"

namespace gk::proto {
namespace {

// Reads `n` little-endian bytes.
bool TakeLittle(std::string_view* in, size_t n, size_t* value) {
  if (in->size() < n) return false;
  *value = 0;
  for (size_t i = 0; i < n; ++i) {
    *value |= static_cast<size_t>(static_cast<uint8_t>((*in)[i])) << (8 * i);
  }
  in->remove_prefix(n);
  return true;
}

}  // namespace

bool SnappyUncompress(std::string_view in, std::string* out) {
  Reader header(in);
  uint64_t total;
  // The densest element makes 64 bytes out of three.
  if (!header.Varint(&total) || total / 22 > in.size()) return false;
  in.remove_prefix(in.size() - header.left());
  out->clear();
  out->reserve(static_cast<size_t>(total));
  while (!in.empty()) {
    size_t tag = static_cast<uint8_t>(in[0]);
    in.remove_prefix(1);
    size_t length = 0;
    size_t offset = 0;
    switch (tag & 3) {
      case 0:
        length = tag >> 2;
        if (length >= 60 && !TakeLittle(&in, length - 59, &length)) {
          return false;
        }
        ++length;
        if (length > in.size() || length > total - out->size()) return false;
        out->append(in.substr(0, length));
        in.remove_prefix(length);
        continue;
      case 1:
        length = 4 + (tag >> 2 & 7);
        if (!TakeLittle(&in, 1, &offset)) return false;
        offset |= tag >> 5 << 8;
        break;
      case 2:
        length = 1 + (tag >> 2);
        if (!TakeLittle(&in, 2, &offset)) return false;
        break;
      case 3:
        length = 1 + (tag >> 2);
        if (!TakeLittle(&in, 4, &offset)) return false;
        break;
    }
    if (offset == 0 || offset > out->size() || length > total - out->size()) {
      return false;
    }
    // Byte by byte: source and destination may overlap, on purpose.
    for (size_t i = 0; i < length; ++i) {
      out->push_back((*out)[out->size() - offset]);
    }
  }
  return out->size() == total;
}

}  // namespace gk::proto
