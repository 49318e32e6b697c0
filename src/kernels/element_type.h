// The element types that dense kernels know, as their descriptions name them.
#ifndef GK_KERNELS_ELEMENT_TYPE_H_
#define GK_KERNELS_ELEMENT_TYPE_H_

#include <cstdint>

namespace gk {

enum class ElementType : uint8_t {
  kFloat,
  kDouble,
  kHalf,
  kBFloat16,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kComplex64,
  kComplex128,
};

constexpr int64_t ElementSize(ElementType type) {
  constexpr int8_t kSizes[] = {4, 8, 2, 2, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16};
  return kSizes[static_cast<int>(type)];
}

}  // namespace gk

#endif  // GK_KERNELS_ELEMENT_TYPE_H_
