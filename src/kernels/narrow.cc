#include "kernels/narrow.h"

#include "base/half.h"
#include "kernels/isa.h"

namespace gk {
namespace {

template <class From, class To>
struct ConvertBody {
  GK_INLINE static void Run(const void* in, int64_t count, void* out) {
    const From* from = static_cast<const From*>(in);
    To* to = static_cast<To*>(out);
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<To>(from[i]);
  }
};

template <class From, class To>
void Convert(const void* in, int64_t count, void* out) {
  Stamp<ConvertBody<From, To>, void(const void*, int64_t, void*)>::Best()(
      in, count, out);
}

}  // namespace

void WidenToFloat(ElementType type, const void* in, int64_t count,
                  float* out) {
  if (type == ElementType::kHalf) Convert<half, float>(in, count, out);
  if (type == ElementType::kBFloat16) Convert<bfloat16, float>(in, count, out);
}

void NarrowFromFloat(ElementType type, const float* in, int64_t count,
                     void* out) {
  if (type == ElementType::kHalf) Convert<float, half>(in, count, out);
  if (type == ElementType::kBFloat16) Convert<float, bfloat16>(in, count, out);
}

}  // namespace gk
