#include "proto/wire.h"

#include <algorithm>

namespace gk::proto {

bool Reader::LongVarint(uint64_t* value) {
  uint64_t result = 0;
  const char* p = p_;
  for (int shift = 0; shift < 64 && p != end_; shift += 7) {
    uint8_t byte = static_cast<uint8_t>(*p++);
    result |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      p_ = p;
      *value = result;
      return true;
    }
  }
  return false;
}

bool Reader::SkipField(uint32_t tag, int depth) {
  switch (tag & 7) {
    case kVarint: {
      uint64_t value;
      return Varint(&value);
    }
    case kFixed64: {
      uint64_t value;
      return Fixed(&value);
    }
    case kFixed32: {
      uint32_t value;
      return Fixed(&value);
    }
    case kBytes: {
      std::string_view value;
      return Bytes(&value);
    }
    case kGroup:
      if (depth <= 0) return false;
      for (;;) {
        uint32_t inner;
        if (!Tag(&inner)) return false;
        if ((inner & 7) == kEndGroup) return inner >> 3 == tag >> 3;
        if (!SkipField(inner, depth - 1)) return false;
      }
    default:
      return false;
  }
}

bool Reader::Skip(uint32_t tag) { return SkipField(tag, depth_); }

bool Reader::Keep(uint32_t tag, const char* start, std::string* unknown) {
  if (!Skip(tag)) return false;
  unknown->append(start, static_cast<size_t>(p_ - start));
  return true;
}

void Writer::Enlarge(size_t n) {
  size_t used = size();
  size_t wanted = std::max(used + n, std::max<size_t>(256, 2 * capacity_));
  std::unique_ptr<char[]> bigger(new char[wanted]);
  char* p = bigger.get() + wanted - used;
  if (used != 0) std::memcpy(p, p_, used);
  buffer_ = std::move(bigger);
  capacity_ = wanted;
  p_ = p;
}

}  // namespace gk::proto
