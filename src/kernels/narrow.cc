#include "kernels/narrow.h"

#if defined(__x86_64__)
#include <immintrin.h>  // declares the conversions of half
#endif

#include <algorithm>
#include <cstring>

#include "kernels/isa.h"

namespace gk {
namespace {

using Conversion = void(const void*, int64_t, void*);

template <class From, class To>
struct ConvertBody {
  GK_INLINE static void Run(const void* in, int64_t count, void* out) {
    const From* from = static_cast<const From*>(in);
    To* to = static_cast<To*>(out);
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<To>(from[i]);
  }
};
template <class From, class To, Isa kMax = Isa::kV4>
Conversion* Converter() {
  return Stamp<ConvertBody<From, To>, Conversion>::template For<kMax>(
      CurrentIsa());
}

// Eight values at a time, with the bits of ConvertBody.
template <auto Eight, class From, class To>
struct EightsBody {
  GK_INLINE static void Run(const void* in, int64_t count, void* out) {
    const From* from = static_cast<const From*>(in);
    To* to = static_cast<To*>(out);
    for (; count >= 8; count -= 8, from += 8, to += 8) Eight(from, to);
    if (count > 0) {
      alignas(32) From last[8] = {};
      alignas(32) To result[8];
      std::memcpy(last, from, count * sizeof(From));
      Eight(last, result);
      std::memcpy(to, result, count * sizeof(To));
    }
  }
};

template <class T, int kCount>
using Vector [[gnu::vector_size(kCount * sizeof(T))]] = T;
template <class V>
GK_INLINE V Load(const void* from) {
  V v;
  std::memcpy(&v, from, sizeof(V));
  return v;
}
template <class V>
GK_INLINE void Store(const V& v, void* to) {
  std::memcpy(to, &v, sizeof(V));
}

using Words = Vector<uint32_t, 8>;
using Halves = Vector<uint16_t, 8>;

GK_INLINE void WidenBfloat16(const void* from, void* to) {
  Store(__builtin_convertvector(Load<Halves>(from), Words) << 16, to);
}
GK_INLINE void NarrowToBfloat16(const void* from, void* to) {
  const Words bits = Load<Words>(from);
  const Words rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  const Words nan = ((bits >> 16) & 0x8000) | Bfloat16Format::kNan;
  const Words result = (bits & 0x7fffffff) > 0x7f800000 ? nan : rounded;
  Store(__builtin_convertvector(result, Halves), to);
}

template <auto Widen, auto Narrow, class T>
struct Eights {
  using ToFloat = Stamp<EightsBody<Widen, T, float>, Conversion>;
  using FromFloat = Stamp<EightsBody<Narrow, float, T>, Conversion>;
};

FloatConversions OfHalf() {
#if defined(__x86_64__)
  if (kStampsV3 && CurrentIsa() >= Isa::kV3) {
    constexpr auto kWiden =
        [](const void* from, void* to) __attribute__((always_inline)) {
      Store(__builtin_ia32_vcvtph2ps256(Load<Vector<int16_t, 8>>(from)), to);
    };
    constexpr auto kNarrow =
        [](const void* from, void* to) __attribute__((always_inline)) {
      Store(__builtin_ia32_vcvtps2ph256(Load<Vector<float, 8>>(from), 0), to);
    };
    using Both = Eights<kWiden, kNarrow, half>;
    return {Both::ToFloat::Only<Isa::kV3>(), Both::FromFloat::Only<Isa::kV3>()};
  }
#endif
  return {Converter<half, float>(), Converter<float, half>()};
}
FloatConversions OfBfloat16() {
  using Both = Eights<&WidenBfloat16, &NarrowToBfloat16, bfloat16>;
  return {Both::ToFloat::For(CurrentIsa()), Both::FromFloat::For(CurrentIsa())};
}
template <class T>
FloatConversions OfFloat8() {
  return {Converter<T, float, Isa::kV2>(), Converter<float, T, Isa::kV2>()};
}

constexpr int64_t kBlock = 512;
constexpr int kMaxInputs = 3;

}  // namespace

const FloatConversions kHalfConversions = OfHalf(),
                       kBfloat16Conversions = OfBfloat16(),
                       kFloat8E5m2Conversions = OfFloat8<float8_e5m2>(),
                       kFloat8E4m3fnConversions = OfFloat8<float8_e4m3fn>();

void WidenToFloat(ElementType type, const void* in, int64_t count,
                  float* out) {
  if (type == ElementType::kHalf) kHalfConversions.widen(in, count, out);
  if (type == ElementType::kBFloat16) {
    kBfloat16Conversions.widen(in, count, out);
  }
}

void NarrowFromFloat(ElementType type, const float* in, int64_t count,
                     void* out) {
  if (type == ElementType::kHalf) kHalfConversions.narrow(in, count, out);
  if (type == ElementType::kBFloat16) {
    kBfloat16Conversions.narrow(in, count, out);
  }
}

int LoopThroughFloat::Run(Fn loop, void* to, const void* const* from,
                          int64_t n, const void* params) const {
  if (!loop && !(in && out)) {
    (in ? in->widen : out->narrow)(from[0], n, to);
    return 0;
  }
  alignas(64) float wide[kMaxInputs][kBlock];
  alignas(64) float result[kBlock];
  for (int64_t at = 0; at < n; at += kBlock) {
    const int64_t count = std::min(kBlock, n - at);
    const void* operands[kMaxInputs];
    for (int i = 0; i < num_inputs; ++i) {
      const void* const x = static_cast<const char*>(from[i]) + at * in_size;
      operands[i] = in ? wide[i] : x;
      if (in) in->widen(x, count, wide[i]);
    }
    void* const y = static_cast<char*>(to) + at * out_size;
    if (loop) {
      const int error = loop(out ? result : y, operands, count, params);
      if (error != 0) return error;
    }
    if (out) out->narrow(loop ? result : wide[0], count, y);
  }
  return 0;
}

}  // namespace gk
