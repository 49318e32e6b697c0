#include "checkpoint/string_elements.h"

#include "proto/crc32c.h"
#include "proto/varint.h"
#include "proto/wire.h"

namespace gk {
namespace {

template <class T>
std::string_view BytesOf(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

// Lengths of 4 GB and more are words of 8 bytes.
uint32_t ExtendByLength(uint32_t crc, uint64_t length) {
  if (length > UINT32_MAX) return proto::ExtendCrc32c(crc, BytesOf(length));
  return proto::ExtendCrc32c(crc, BytesOf(static_cast<uint32_t>(length)));
}

}  // namespace

std::string StringLengths(std::span<const std::string> elements,
                          uint32_t* crc) {
  std::string out;
  *crc = 0;
  for (const std::string& element : elements) {
    *crc = ExtendByLength(*crc, element.size());
    proto::AppendVarint(element.size(), &out);
  }
  const uint32_t masked = proto::MaskCrc(*crc);
  out += BytesOf(masked);
  *crc = proto::ExtendCrc32c(*crc, BytesOf(masked));
  return out;
}

Status ReadStringElements(std::string_view bytes,
                          std::span<std::string> elements, uint32_t* crc) {
  // Twice over the lengths: nothing is allocated for ones that do not fit.
  proto::Reader in(bytes);
  *crc = 0;
  uint64_t total = 0;
  for (size_t i = 0; i < elements.size(); ++i) {
    uint64_t length;
    if (!in.Varint(&length) || length > bytes.size() ||
        (total += length) > bytes.size()) {
      return DataLoss("the length of string {} does not fit into {} bytes", i,
                      bytes.size());
    }
    *crc = ExtendByLength(*crc, length);
  }
  uint32_t masked;
  if (!in.Fixed(&masked)) return DataLoss("it ends within its lengths");
  if (masked != proto::MaskCrc(*crc)) {
    return DataLoss(
        "The length checksum does not match: expected {} but got {}", masked,
        proto::MaskCrc(*crc));
  }
  if (in.left() != total) {
    return DataLoss("its strings have {} bytes, but {} are there", total,
                    in.left());
  }
  *crc = proto::ExtendCrc32c(*crc, BytesOf(masked));
  const std::string_view rest(in.position(), in.left());
  *crc = proto::ExtendCrc32c(*crc, rest);
  proto::Reader lengths(bytes);
  const char* at = rest.data();
  for (std::string& element : elements) {
    uint64_t length = 0;
    lengths.Varint(&length);
    element.assign(at, length);
    at += length;
  }
  return OkStatus();
}

}  // namespace gk
