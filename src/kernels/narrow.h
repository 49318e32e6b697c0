// Bulk conversion between float and the 16-bit floating-point types, for
// kernels that compute those types in float. Stateless and thread-safe.
#ifndef GK_KERNELS_NARROW_H_
#define GK_KERNELS_NARROW_H_

#include <cstdint>

#include "kernels/element_type.h"

namespace gk {

// `type` is kHalf or kBFloat16; other types leave the output untouched.
void WidenToFloat(ElementType type, const void* in, int64_t count, float* out);
void NarrowFromFloat(ElementType type, const float* in, int64_t count,
                     void* out);

}  // namespace gk

#endif  // GK_KERNELS_NARROW_H_
