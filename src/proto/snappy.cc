#include "proto/snappy.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "proto/varint.h"
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
  out->resize(static_cast<size_t>(total));
  size_t at = 0;
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
        if (length > in.size() || length > total - at) return false;
        std::memcpy(out->data() + at, in.data(), length);
        at += length;
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
    if (offset == 0 || offset > at || length > total - at) return false;
    char* const to = out->data() + at;
    if (offset >= length) {
      std::memcpy(to, to - offset, length);
    } else {
      // Byte by byte: source and destination overlap on purpose.
      for (size_t i = 0; i < length; ++i) to[i] = to[i - offset];
    }
    at += length;
  }
  return at == total;
}

namespace {

constexpr size_t kPart = size_t{1} << 16;
constexpr int kHashBits = 14;
constexpr size_t kShortest = 4;  // that is worth a copy

uint32_t FourBytes(const char* from) {
  uint32_t value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}
size_t HashOf(uint32_t bytes) {
  return bytes * 0x9E3779B1u >> (32 - kHashBits);
}

void AppendLiteral(std::string_view text, std::string* out) {
  if (text.empty()) return;
  const size_t n = text.size() - 1;  // below 2^16
  if (n < 60) {
    out->push_back(static_cast<char>(n << 2));
  } else if (n < 256) {
    out->push_back(static_cast<char>(60 << 2));
    out->push_back(static_cast<char>(n));
  } else {
    out->push_back(static_cast<char>(61 << 2));
    out->push_back(static_cast<char>(n));
    out->push_back(static_cast<char>(n >> 8));
  }
  out->append(text);
}

void AppendCopy(size_t offset, size_t length, std::string* out) {
  while (length > 0) {
    const size_t n = std::min<size_t>(length, 64);
    out->push_back(static_cast<char>((n - 1) << 2 | 2));
    out->push_back(static_cast<char>(offset));
    out->push_back(static_cast<char>(offset >> 8));
    length -= n;
  }
}

void CompressPart(std::string_view part, std::string* out) {
  std::array<uint16_t, 1 << kHashBits> seen{};
  size_t written = 0, at = 1;
  while (at + kShortest <= part.size()) {
    const uint32_t bytes = FourBytes(part.data() + at);
    uint16_t& place = seen[HashOf(bytes)];
    const size_t before = place;
    place = static_cast<uint16_t>(at);
    if (before >= at || FourBytes(part.data() + before) != bytes) {
      // The longer nothing is found, the further it looks.
      at += 1 + (at - written) / 32;
      continue;
    }
    size_t length = kShortest;
    while (at + length < part.size() &&
           part[before + length] == part[at + length]) {
      ++length;
    }
    AppendLiteral(part.substr(written, at - written), out);
    AppendCopy(at - before, length, out);
    written = at += length;
  }
  AppendLiteral(part.substr(written), out);
}

}  // namespace

std::string SnappyCompress(std::string_view in) {
  std::string out;
  AppendVarint(in.size(), &out);
  for (size_t at = 0; at < in.size(); at += kPart) {
    CompressPart(in.substr(at, kPart), &out);
  }
  return out;
}

}  // namespace gk::proto
