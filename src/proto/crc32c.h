// CRC-32C (Castagnoli), the checksum of record files, checkpoints and tables.
//
// Uses the CPU's instruction where there is one. Thread-safe.
#ifndef GK_PROTO_CRC32C_H_
#define GK_PROTO_CRC32C_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gk::proto {

// The checksum of `bytes` appended to data whose checksum is `crc`.
uint32_t ExtendCrc32c(uint32_t crc, std::string_view bytes);

// The checksum of two pieces one behind the other, of the checksums of both and
// the length of the second one.
uint32_t JoinCrc32c(uint32_t first, uint32_t second, uint64_t second_size);

inline uint32_t Crc32c(std::string_view bytes) {
  return ExtendCrc32c(0, bytes);
}

// Files store checksums masked: data that contains its own plain checksum
// would weaken it.
inline uint32_t MaskCrc(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}
inline uint32_t MaskedCrc32c(std::string_view bytes) {
  return MaskCrc(Crc32c(bytes));
}

// The portable version, for tests and for CPUs without the instruction.
uint32_t ExtendCrc32cByTable(uint32_t crc, std::string_view bytes);

}  // namespace gk::proto

#endif  // GK_PROTO_CRC32C_H_
