// Bulk conversion between float and narrower floating-point types, for
// kernels that compute those types in float. Stateless and thread-safe.
#ifndef GK_KERNELS_NARROW_H_
#define GK_KERNELS_NARROW_H_

#include <cstdint>

#include "base/half.h"
#include "kernels/element_type.h"

namespace gk {

// `type` is kHalf or kBFloat16; other types leave the output untouched.
void WidenToFloat(ElementType type, const void* in, int64_t count, float* out);
void NarrowFromFloat(ElementType type, const float* in, int64_t count,
                     void* out);

struct FloatConversions {
  void (*widen)(const void* in, int64_t count, void* out);
  void (*narrow)(const void* in, int64_t count, void* out);
};
template <class T>
constexpr const FloatConversions* kFloatConversions = nullptr;
extern const FloatConversions kHalfConversions, kBfloat16Conversions,
    kFloat8E5m2Conversions, kFloat8E4m3fnConversions;
template <>
inline constexpr const FloatConversions* kFloatConversions<half> =
    &kHalfConversions;
template <>
inline constexpr const FloatConversions* kFloatConversions<bfloat16> =
    &kBfloat16Conversions;
template <>
inline constexpr const FloatConversions* kFloatConversions<float8_e5m2> =
    &kFloat8E5m2Conversions;
template <>
inline constexpr const FloatConversions* kFloatConversions<float8_e4m3fn> =
    &kFloat8E4m3fnConversions;

// An elementwise loop over narrow types: the loop over floats, between
// conversions of a few elements at a time.
struct LoopThroughFloat {
  using Fn = int (*)(void* out, const void* const* in, int64_t n,
                     const void* params);

  const FloatConversions* in = nullptr;   // null: no input is narrow
  const FloatConversions* out = nullptr;  // null: the output is not
  uint8_t num_inputs = 0;
  uint8_t in_size = 0, out_size = 0;

  // Stops at the first result of `loop` that is not 0, and returns it. `to`
  // may be exactly one of the inputs, if all have one size. Without a loop the
  // only input is converted.
  int Run(Fn loop, void* to, const void* const* from, int64_t n,
          const void* params) const;
};

}  // namespace gk

#endif  // GK_KERNELS_NARROW_H_
