// Tensors of strings as checkpoints hold them: the lengths as varints, a
// checksum of the lengths, then all bytes.
#ifndef GK_CHECKPOINT_STRING_ELEMENTS_H_
#define GK_CHECKPOINT_STRING_ELEMENTS_H_

#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace gk {

// What stands before the bytes: the lengths and their checksum. `crc`: the
// unmasked checksum of it, which takes each length as a fixed word in place of
// its varint; the entry's goes on over the bytes.
std::string StringLengths(std::span<const std::string> elements, uint32_t* crc);

// DataLoss unless `bytes` holds exactly as many strings. `crc`: the
// entry's.
Status ReadStringElements(std::string_view bytes,
                          std::span<std::string> elements, uint32_t* crc);

}  // namespace gk

#endif  // GK_CHECKPOINT_STRING_ELEMENTS_H_
