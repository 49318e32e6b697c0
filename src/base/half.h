// Narrow floating-point values: half, bfloat16, float8_e5m2, float8_e4m3fn.
//
// Plain trivially copyable bits. Conversions from float round to nearest even
// and keep NaN; half, bfloat16 and e5m2 overflow to infinity, e4m3fn (which
// has none) to NaN. All conversions are explicit, constexpr and free of
// branches, so loops over them vectorise. Computing is done in float.
#ifndef GK_BASE_HALF_H_
#define GK_BASE_HALF_H_

#include <bit>
#include <compare>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

namespace gk {
namespace half_internal {

constexpr uint32_t Bits(float f) { return std::bit_cast<uint32_t>(f); }
constexpr float FromBits(uint32_t b) { return std::bit_cast<float>(b); }

// A format with kMant stored mantissa bits, exponent bias kBias, and the
// infinity pattern kInf (its NaNs lie above). Results carry no sign.
template <int kMant, int kBias, uint32_t kInf>
struct Ieee {
  static constexpr int kShift = 23 - kMant;
  static constexpr uint32_t kRebias = uint32_t{127 - kBias} << 23;
  static constexpr uint32_t kMinNormal = kRebias + (1u << 23);
  // Adding this rounds a value to a multiple of the smallest subnormal.
  static constexpr uint32_t kMagic = uint32_t{127 - kBias + 1 + kShift} << 23;

  static constexpr uint32_t Narrow(uint32_t abs) {
    const uint32_t round = (1u << (kShift - 1)) - 1 + ((abs >> kShift) & 1);
    const uint32_t normal = (abs + round - kRebias) >> kShift;
    const uint32_t small =
        Bits(FromBits(abs < kMinNormal ? abs : 0) + FromBits(kMagic)) - kMagic;
    const uint32_t r = abs < kMinNormal ? small : normal;
    return r < kInf ? r : kInf;
  }
  static constexpr uint32_t Widen(uint32_t bits) {
    const uint32_t em = bits << kShift;
    // The top exponent, rebased twice, is 255.
    const uint32_t top = bits >= kInf ? kRebias : 0;
    const uint32_t small =
        Bits(FromBits(em + kMinNormal) - FromBits(kMinNormal));
    return em < (1u << 23) ? small : em + kRebias + top;
  }
};

}  // namespace half_internal

struct HalfFormat {
  using Storage = uint16_t;
  using Ieee = half_internal::Ieee<10, 15, 0x7c00>;
  static constexpr Storage kSign = 0x8000, kInf = 0x7c00, kNan = 0x7e00,
                           kMax = 0x7bff, kMinNormal = 0x0400,
                           kEpsilon = 0x1400;
  static constexpr int kDigits = 11, kMaxExponent = 16, kMinExponent = -13;
  static constexpr bool kHasInf = true;

  static constexpr uint32_t Narrow(uint32_t abs) {
    // The upper payload bits survive, as in hardware conversions.
    const uint32_t nan = kNan | ((abs >> 13) & 0x3ff);
    return abs > 0x7f800000 ? nan : Ieee::Narrow(abs);
  }
  // NaNs become quiet, as in hardware conversions.
  static constexpr uint32_t Widen(uint32_t bits) {
    return Ieee::Widen(bits) | (bits > kInf ? 0x00400000u : 0);
  }
};

struct Bfloat16Format {
  using Storage = uint16_t;
  static constexpr Storage kSign = 0x8000, kInf = 0x7f80, kNan = 0x7fc0,
                           kMax = 0x7f7f, kMinNormal = 0x0080,
                           kEpsilon = 0x3c00;
  static constexpr int kDigits = 8, kMaxExponent = 128, kMinExponent = -125;
  static constexpr bool kHasInf = true;

  static constexpr uint32_t Narrow(uint32_t abs) {
    const uint32_t r = (abs + 0x7fff + ((abs >> 16) & 1)) >> 16;
    return abs > 0x7f800000 ? uint32_t{kNan} : r;
  }
  static constexpr uint32_t Widen(uint32_t bits) { return bits << 16; }
};

struct Float8E5m2Format {
  using Storage = uint8_t;
  using Ieee = half_internal::Ieee<2, 15, 0x7c>;
  static constexpr Storage kSign = 0x80, kInf = 0x7c, kNan = 0x7e, kMax = 0x7b,
                           kMinNormal = 0x04, kEpsilon = 0x34;
  static constexpr int kDigits = 3, kMaxExponent = 16, kMinExponent = -13;
  static constexpr bool kHasInf = true;

  static constexpr uint32_t Narrow(uint32_t abs) {
    return abs > 0x7f800000 ? uint32_t{kNan} : Ieee::Narrow(abs);
  }
  static constexpr uint32_t Widen(uint32_t bits) { return Ieee::Widen(bits); }
};

struct Float8E4m3fnFormat {
  using Storage = uint8_t;
  using Ieee = half_internal::Ieee<3, 7, 0x7f>;
  static constexpr Storage kSign = 0x80, kInf = 0x7f, kNan = 0x7f, kMax = 0x7e,
                           kMinNormal = 0x08, kEpsilon = 0x20;
  static constexpr int kDigits = 4, kMaxExponent = 9, kMinExponent = -5;
  static constexpr bool kHasInf = false;

  // Whatever passes 448 after rounding, infinity and NaN become 0x7f.
  static constexpr uint32_t Narrow(uint32_t abs) { return Ieee::Narrow(abs); }
  static constexpr uint32_t Widen(uint32_t bits) {
    return bits == kNan ? 0x7fc00000u : Ieee::Widen(bits);
  }
};

template <class Format>
class NarrowFloat {
 public:
  using Storage = typename Format::Storage;

  NarrowFloat() = default;
  explicit constexpr NarrowFloat(float f) : bits_(FromFloat(f)) {}
  template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, float>)
  explicit constexpr NarrowFloat(T v) : NarrowFloat(static_cast<float>(v)) {}

  static constexpr NarrowFloat FromBits(Storage bits) {
    NarrowFloat r(0.0f);
    r.bits_ = bits;
    return r;
  }
  constexpr Storage bits() const { return bits_; }

  template <class T>
  requires std::is_arithmetic_v<T>
  explicit constexpr operator T() const {
    if constexpr (std::is_same_v<T, bool>) {
      return (bits_ & Storage(~Format::kSign)) != 0;
    } else {
      return static_cast<T>(ToFloat());
    }
  }
  constexpr bool isnan() const {
    const Storage abs = bits_ & Storage(~Format::kSign);
    return Format::kHasInf ? abs > Format::kInf : abs == Format::kNan;
  }

  constexpr NarrowFloat operator-() const {
    return FromBits(bits_ ^ Format::kSign);
  }
  friend constexpr bool operator==(NarrowFloat a, NarrowFloat b) {
    return a.ToFloat() == b.ToFloat();
  }
  friend constexpr std::partial_ordering operator<=>(NarrowFloat a,
                                                     NarrowFloat b) {
    return a.ToFloat() <=> b.ToFloat();
  }

 private:
  static constexpr Storage FromFloat(float f) {
    const uint32_t x = half_internal::Bits(f);
    const uint32_t r = Format::Narrow(x & 0x7fffffffu);
    constexpr int kDown = 32 - 8 * sizeof(Storage);
    return static_cast<Storage>(r | ((x & 0x80000000u) >> kDown));
  }
  constexpr float ToFloat() const {
    const uint32_t b = bits_;
    constexpr int kUp = 32 - 8 * sizeof(Storage);
    const uint32_t sign = (b & Format::kSign) << kUp;
    return half_internal::FromBits(
        Format::Widen(b & (uint32_t{Format::kSign} - 1)) | sign);
  }

  Storage bits_;
};

using half = NarrowFloat<HalfFormat>;
using bfloat16 = NarrowFloat<Bfloat16Format>;
using float8_e5m2 = NarrowFloat<Float8E5m2Format>;
using float8_e4m3fn = NarrowFloat<Float8E4m3fnFormat>;

template <class T>
inline constexpr bool kIsNarrowFloat = false;
template <class Format>
inline constexpr bool kIsNarrowFloat<NarrowFloat<Format>> = true;

static_assert(std::is_trivially_copyable_v<half> && sizeof(half) == 2);
static_assert(std::is_trivial_v<float8_e5m2> && sizeof(float8_e5m2) == 1);

}  // namespace gk

template <class Format>
class std::numeric_limits<gk::NarrowFloat<Format>> {
  using T = gk::NarrowFloat<Format>;

 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool is_bounded = true;
  static constexpr bool has_infinity = Format::kHasInf;
  static constexpr bool has_quiet_NaN = true;
  static constexpr int radix = 2;
  static constexpr int digits = Format::kDigits;
  static constexpr int max_exponent = Format::kMaxExponent;
  static constexpr int min_exponent = Format::kMinExponent;
  static constexpr T max() { return T::FromBits(Format::kMax); }
  static constexpr T lowest() { return -max(); }
  static constexpr T min() { return T::FromBits(Format::kMinNormal); }
  static constexpr T denorm_min() { return T::FromBits(1); }
  static constexpr T epsilon() { return T::FromBits(Format::kEpsilon); }
  static constexpr T quiet_NaN() { return T::FromBits(Format::kNan); }
  // Like std's, zero for a format without infinities.
  static constexpr T infinity() {
    return T::FromBits(has_infinity ? Format::kInf : 0);
  }
};

template <class Format>
struct std::hash<gk::NarrowFloat<Format>> {
  size_t operator()(gk::NarrowFloat<Format> v) const noexcept {
    // Equal values hash alike: both zeros are one value.
    return static_cast<bool>(v) ? v.bits() : 0;
  }
};

#endif  // GK_BASE_HALF_H_
