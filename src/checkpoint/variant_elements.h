// Tensors of variants as checkpoints hold them: of each element the length of
// its message, a varint, the message, and the checksum so far.
#ifndef GK_CHECKPOINT_VARIANT_ELEMENTS_H_
#define GK_CHECKPOINT_VARIANT_ELEMENTS_H_

#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "framework/variant.h"

namespace gk {

// Unimplemented unless all are states of iterators. `crc`: the unmasked
// checksum of what is returned.
StatusOr<std::string> VariantElements(std::span<const Variant> elements,
                                      uint32_t* crc);

// DataLoss unless `bytes` holds exactly as many, Unimplemented if one is no
// state of an iterator.
Status ReadVariantElements(std::string_view bytes, std::span<Variant> elements,
                           uint32_t* crc);

}  // namespace gk

#endif  // GK_CHECKPOINT_VARIANT_ELEMENTS_H_
